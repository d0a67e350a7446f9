"""Who labels which images: groups of people that get a part of them.

A group names a selection and gets its images, or all but those. So experts label the two hundred
chosen images and a crowd all the others. Who is in no group gets all. Each image still gets as many
people as the study wants, and images with known answers are mixed in for everybody.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext, ngettext

from annotations import event_log
from annotations.errors import StudyRefused
from annotations.labelling import assign
from annotations.models import Group, Membership, Selection, Study

NAME_LENGTH = 80


def groups_of(study: Study) -> QuerySet[Group]:
    """With `people`: how many are in each."""
    there = Count("members", filter=Q(members__removed_at=None))
    return (
        Group.objects.filter(study=study)
        .select_related("selection")
        .annotate(people=there)
        .order_by("name")
    )


@transaction.atomic
def make_group(*, study: Study, name: str, selection: Selection, inside: bool) -> Group:
    """`inside`: its people get the images of the selection; otherwise all but these."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= NAME_LENGTH:
        raise StudyRefused(f"A group has a name of 1 to {NAME_LENGTH} characters.")
    if selection.study_id != study.pk:
        raise StudyRefused("This selection belongs to another study.")
    if Group.objects.filter(study=study, name=name).exists():
        raise StudyRefused(f"There is a group “{name}” already.")
    group = Group.objects.create(study=study, name=name, selection=selection, inside=inside)
    key, among = event_log.key_of(group), event_log.key_of(selection)
    words = (
        f"created the group {key}: the images of {among}"
        if inside
        else f"created the group {key}: all images but those of {among}"
    )
    event_log.note(study, "group", words)
    return group


@transaction.atomic
def put(*, member: Membership, group: Group | None) -> None:
    """From their next image on; what they hold goes to others. None: they get all images."""
    if group is not None and group.study_id != member.study_id:
        raise StudyRefused("This group belongs to another study.")
    if member.group_id == (group.pk if group else None):
        return
    assign.release_all(annotator=member, comes_again=False)
    member.group = group
    member.save(update_fields=["group"])
    words = (
        f"put this person into the group {event_log.key_of(group)}"
        if group
        else "took this person out of their group"
    )
    event_log.note(member.study_id, "group", words, about=member)


@transaction.atomic
def delete_group(*, group: Group) -> str:
    """Its people, and whoever comes by one of its links, get all images from now on. Returns what
    happened in words."""
    people = group.members.count()
    event_log.note(group.study_id, "group", f"deleted the group {event_log.key_of(group)}")
    group.delete()
    deleted = gettext("The group “%(name)s” is deleted.") % {"name": group.name}
    if not people:
        get = gettext("People who come by its links get all images now; every answer is kept.")
    else:
        get = ngettext(
            "Its %(people)s person gets all images now; every answer is kept.",
            "Its %(people)s people get all images now; every answer is kept.",
            people,
        ) % {"people": people}
    return f"{deleted} {get}"
