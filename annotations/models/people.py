from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from annotations.models.selection import Selection
from annotations.models.study import Study, optional_account
from annotations.names import clean_name, name_look
from annotations.random_keys import new_nonce

# Enough for a few workers behind the one address of a campus, too few to fill a study alone.
PLACES_PER_ADDRESS = 20


class Role(models.TextChoices):
    OWNER = "owner", gettext_lazy("owner")
    RESEARCHER = "researcher", gettext_lazy("researcher")
    ANNOTATOR = "annotator", gettext_lazy("annotator")


class Group(models.Model):
    """People of a study who get a part of its images: those of a selection, or all but those.

    Who is in no group gets all images.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="groups")
    name = models.CharField(max_length=80)
    selection = models.ForeignKey(Selection, on_delete=models.CASCADE, related_name="groups")
    inside = models.BooleanField(
        default=True, help_text="They get the images of the selection; else all but these."
    )

    class Meta:
        ordering = ["study", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"], name="a_name_stands_for_one_group_of_a_study"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def images_in_words(self) -> str:
        words = gettext("the images of “%(name)s”")
        if not self.inside:
            words = gettext("all images but those of “%(name)s”")
        return words % {"name": self.selection.name}


class Invitation(models.Model):
    """A link into a study, for people with an account or for crowd workers.

    The link is a signature over this row's key and nonce. Closing the row closes the link. A link
    for people is used up after `uses` of them; a crowd's link has no such number.
    """

    class Kind(models.TextChoices):
        PERSON = "person", gettext_lazy("people with an account")
        CROWD = "crowd", gettext_lazy("workers of a crowd platform")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitations")
    kind = models.CharField(max_length=6, choices=Kind, default=Kind.PERSON)
    role = models.CharField(max_length=12, choices=Role, default=Role.ANNOTATOR)
    note = models.CharField(max_length=200, blank=True, help_text="Who it is for.")
    nonce = models.CharField(max_length=16, default=new_nonce, editable=False)
    made_by = optional_account()
    uses = models.PositiveIntegerField(
        null=True, blank=True, default=1, validators=[MinValueValidator(1)]
    )
    used = models.PositiveIntegerField(default=0)
    images_each = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)]
    )
    # Who comes by this link gets the images of this group.
    group = models.ForeignKey(
        Group, null=True, blank=True, on_delete=models.SET_NULL, related_name="invitations"
    )
    completion_code = models.CharField(max_length=100, blank=True)
    completion_url = models.URLField(max_length=500, blank=True)
    screenout_code = models.CharField(
        max_length=100, blank=True, help_text="For workers who do not pass the practice round."
    )
    screenout_url = models.URLField(max_length=500, blank=True)
    signed = models.BooleanField(
        default=False, help_text="The platform signs each worker's id with the key of this link."
    )
    places_per_address = models.PositiveIntegerField(
        default=PLACES_PER_ADDRESS,
        validators=[MinValueValidator(1)],
        help_text="How many workers may come from one network address.",
    )
    turned_away = models.PositiveIntegerField(
        default=0, help_text="Visits that found no place left for their address."
    )
    expires_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind="person") | models.Q(role="annotator"),
                name="a_crowd_only_labels",
            ),
            models.CheckConstraint(
                condition=models.Q(uses__isnull=True) | models.Q(used__lte=models.F("uses")),
                name="a_link_is_used_as_often_as_it_may_be",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="crowd") | models.Q(uses__isnull=False),
                name="a_link_for_people_is_used_up_some_day",
            ),
            models.CheckConstraint(
                condition=~models.Q(role="owner") | models.Q(uses=1),
                name="one_link_makes_one_owner",
            ),
        ]

    def __str__(self) -> str:
        return self.note or f"{self.get_kind_display()} #{self.pk}"

    @property
    def uses_left(self) -> int | None:
        return None if self.uses is None else self.uses - self.used

    @property
    def is_open(self) -> bool:
        """Whether somebody new can come in by this link."""
        expired = self.expires_at is not None and self.expires_at < timezone.now()
        return self.closed_at is None and not expired and self.uses_left != 0


class Membership(models.Model):
    """One person in one study. Imported and simulated people have no account, only a name."""

    Role = Role

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="memberships",
    )
    name = models.CharField(max_length=200)
    role = models.CharField(max_length=12, choices=Role, default=Role.ANNOTATOR)
    simulated = models.BooleanField(default=False)
    # How far this person is in the order of images; see `annotations.labelling.image_order`.
    walk = models.JSONField(default=dict, blank=True)
    invitation = models.ForeignKey(
        Invitation, null=True, blank=True, on_delete=models.SET_NULL, related_name="members"
    )
    # The id a crowd platform gave them; such an account has no password.
    worker = models.CharField(max_length=120, blank=True)
    session_key = models.CharField(max_length=40, blank=True)
    # Keyed hashes: of the code that lets a worker go on in another browser, and of the address from
    # which they first came.
    resume_hash = models.CharField(max_length=64, blank=True)
    address_hash = models.CharField(max_length=64, blank=True)
    group = models.ForeignKey(
        Group, null=True, blank=True, on_delete=models.SET_NULL, related_name="members"
    )
    quota = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many images this person is given at most."
    )
    # The last practice round that they passed, and how many tries more than others they have.
    practice_passed = models.PositiveSmallIntegerField(default=0)
    practice_more = models.PositiveSmallIntegerField(default=0)
    removed_at = models.DateTimeField(null=True, blank=True)
    # Whose membership it was: no link lets them in again.
    removed_account = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="removed_memberships",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"], name="a_name_stands_for_one_person_of_a_study"
            ),
            models.UniqueConstraint(
                fields=["study", "user"],
                condition=models.Q(user__isnull=False),
                name="an_account_is_one_person_of_a_study",
            ),
            models.UniqueConstraint(
                fields=["study", "worker"],
                condition=~models.Q(worker=""),
                name="a_worker_is_one_person_of_a_study",
            ),
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) | models.Q(removed_account__isnull=True),
                name="a_person_is_in_a_study_or_removed",
            ),
        ]
        indexes = [
            models.Index(
                fields=["study", "address_hash"],
                condition=~models.Q(address_hash=""),
                name="worker_by_address",
            )
        ]

    def __str__(self) -> str:
        return self.name

    # The columns that say who somebody is.
    TELLING = ("name", "user", "removed_account", "invitation", "worker", "session_key") + (
        "resume_hash",
        "address_hash",
        "removed_at",
    )

    def take_out_who(self, name: str) -> None:
        """Only this name remains; save TELLING afterwards."""
        self.name = name
        self.user = self.removed_account = self.invitation = None
        self.worker = self.session_key = self.resume_hash = self.address_hash = ""
        self.removed_at = self.removed_at or timezone.now()

    @property
    def may_research(self) -> bool:
        return self.role in {self.Role.OWNER, self.Role.RESEARCHER}

    @property
    def must_practise(self) -> bool:
        """Before they get an image. Owners and researchers know the answers anyway."""
        if not self.study.practice_images or self.may_research:
            return False
        return self.practice_passed < self.study.practice_round


def free_name(study: Study, wanted: str) -> str:
    """This name, or with a number after it where somebody of the study has it, or one that looks
    the same."""
    wanted = clean_name(wanted)
    members = Membership.objects.filter(study=study).order_by()
    taken = set(map(name_look, members.values_list("name", flat=True)))
    name, number = wanted, 1
    while name_look(name) in taken:
        number += 1
        name = f"{wanted} ({number})"
    return name
