from django.conf import settings
from django.db import models
from django.db.models import Q

from annotations.models.job import Leased
from annotations.models.study import Study


class Deletion(Leased):
    """A study that is being deleted: nobody can open it any more, a worker removes its rows."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting for a worker"
        WORKING = "working", "being deleted"
        GIVEN_UP = "given up", "given up"

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="deletion")
    # The study's own name is free for another one from now on.
    slug = models.CharField(max_length=80)
    title = models.CharField(max_length=200)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    asked_at = models.DateTimeField(auto_now_add=True)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="given up") | ~Q(reason=""), name="a_deletion_given_up_says_why"
            )
        ]

    @property
    def is_given_up(self) -> bool:
        return self.state == self.State.GIVEN_UP

    def __str__(self) -> str:
        return f"{self.title} ({self.state})"
