import secrets

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models

from annotations.models.study import Study


def new_nonce() -> str:
    return secrets.token_urlsafe(9)


class Role(models.TextChoices):
    OWNER = "owner", "owner"
    RESEARCHER = "researcher", "researcher"
    ANNOTATOR = "annotator", "annotator"


class Invitation(models.Model):
    """A link into a study, for people with an account or for crowd workers.

    The link is a signature over this row's key and nonce. Closing the row closes the link.
    """

    class Kind(models.TextChoices):
        PERSON = "person", "people with an account"
        CROWD = "crowd", "workers of a crowd platform"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitations")
    kind = models.CharField(max_length=6, choices=Kind, default=Kind.PERSON)
    role = models.CharField(max_length=12, choices=Role, default=Role.ANNOTATOR)
    note = models.CharField(max_length=200, blank=True, help_text="Who it is for.")
    nonce = models.CharField(max_length=16, default=new_nonce, editable=False)
    images_each = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)]
    )
    completion_code = models.CharField(max_length=100, blank=True)
    completion_url = models.URLField(max_length=500, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind="person") | models.Q(role="annotator"),
                name="a_crowd_only_labels",
            )
        ]

    def __str__(self) -> str:
        return self.note or f"{self.get_kind_display()} #{self.pk}"


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
    quota = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many images this person is given at most."
    )
    removed_at = models.DateTimeField(null=True, blank=True)
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
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def may_research(self) -> bool:
        return self.role in {self.Role.OWNER, self.Role.RESEARCHER}
