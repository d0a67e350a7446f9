from django.conf import settings
from django.db import models

from annotations.models.study import Study


class Membership(models.Model):
    """One person in one study: with an account, or known by name only (imported, simulated)."""

    class Role(models.TextChoices):
        OWNER = "owner", "owner"
        RESEARCHER = "researcher", "researcher"
        ANNOTATOR = "annotator", "annotator"

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
    # How far this person has walked through the images; see `annotations.walking`.
    walk = models.JSONField(default=dict, blank=True)
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
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def may_research(self) -> bool:
        return self.role in {self.Role.OWNER, self.Role.RESEARCHER}
