from django.utils.translation import gettext_noop

from annotations.models.job import Job, in_payload


class Deletion(Job):
    """A study that is being deleted: nobody can open it any more, a worker removes its rows. It belongs
    to no study, or it would be removed with the others."""

    KIND, WORKING_WORDS = "deletion", gettext_noop("being deleted")
    # The primary key of the study.
    about = in_payload(int)
    # The study's own name is free for another one from now on.
    slug = in_payload()
    title = in_payload()

    class Meta:
        proxy = True


class StudyCopy(Job):
    """The prompts and images of another study on their way into this one."""

    KIND, WORKING_WORDS = "study copy", gettext_noop("being copied")
    # The primary key of the other study.
    source = in_payload(int)

    class Meta:
        proxy = True
