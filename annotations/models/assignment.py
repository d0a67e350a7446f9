from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotations.models.image import Image
from annotations.models.people import Membership
from annotations.models.study import Study


class Assignment(models.Model):
    """An image that was given to a person: leased to them, answered or skipped by them.

    Reserved is leased as well: such images come after the one in hand, and their forms are in the
    browser already, for when the connection is gone.
    """

    class State(models.TextChoices):
        LEASED = "leased", gettext_lazy("leased")
        RESERVED = "reserved", gettext_lazy("reserved")
        ANSWERED = "answered", gettext_lazy("answered")
        SKIPPED = "skipped", gettext_lazy("skipped")

    # The states that hold a place for a while.
    HELD = (State.LEASED, State.RESERVED)

    # No index of their own: those below begin with each of them.
    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="assignments", db_index=False
    )
    image = models.ForeignKey(
        Image, on_delete=models.CASCADE, related_name="assignments", db_index=False
    )
    annotator = models.ForeignKey(
        Membership, on_delete=models.CASCADE, related_name="assignments", db_index=False
    )
    state = models.CharField(max_length=10, choices=State, default=State.LEASED)
    leased_until = models.DateTimeField(null=True, blank=True)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["image", "annotator"], name="an_image_is_given_once_to_one_person"
            ),
            models.UniqueConstraint(
                fields=["annotator"],
                condition=Q(state="leased"),
                name="one_image_in_hand_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["leased", "reserved"], leased_until__isnull=False)
                | ~Q(state__in=["leased", "reserved"]) & Q(leased_until__isnull=True),
                name="only_a_lease_has_an_end",
            ),
        ]
        indexes = [
            models.Index(fields=["study", "state", "leased_until"], name="lease_by_end"),
            models.Index(fields=["annotator", "state"], name="assignment_by_person"),
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.image} ({self.state})"


class HandedBack(models.Model):
    """An image that was given to a person and went back without an answer: the page was closed, or
    the lease ran out. They may still answer late; nobody answers for an image they were not given.
    """

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="+", db_index=False)
    annotator = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["image", "annotator"], name="handed_back_is_noted_once")
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.image}"
