from django.db import models
from django.db.models import F, Q

from annotations.models.form import FormVersion
from annotations.models.image import Image
from annotations.models.people import Membership
from annotations.models.study import optional_account


class KnownAnswer(models.Model):
    """Who set the known answers of an image, and why they are right.

    The answers themselves are `Image.gold`: the indexes by which people get images need them there.
    """

    image = models.OneToOneField(Image, on_delete=models.CASCADE, related_name="known")
    set_by = optional_account()
    set_at = models.DateTimeField(auto_now=True)
    explanation = models.TextField(blank=True, help_text="Shown in a practice round.")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.image}: known"


class PracticeTry(models.Model):
    """One person's way through a practice round. None of it is a label of the study."""

    annotator = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="practice")
    # The study's round when it began: a new one asks everybody again.
    round = models.PositiveSmallIntegerField()
    number = models.PositiveSmallIntegerField()
    images = models.JSONField(help_text="The images of this try, in their order.")
    passed = models.BooleanField(null=True, blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "practice tries"
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "round", "number"], name="tries_of_a_round_are_numbered_once"
            ),
            models.UniqueConstraint(
                fields=["annotator"],
                condition=Q(ended_at__isnull=True),
                name="one_practice_try_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, passed__isnull=True)
                | Q(ended_at__isnull=False, passed__isnull=False),
                name="a_try_that_ended_was_passed_or_not",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: practice {self.round}.{self.number}"


class PracticeAnswer(models.Model):
    """Answers in a practice round, with what was expected at that moment."""

    attempt = models.ForeignKey(PracticeTry, on_delete=models.CASCADE, related_name="answers")
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="+")
    form = models.ForeignKey(FormVersion, on_delete=models.PROTECT, related_name="+")
    answers = models.JSONField()
    expected = models.JSONField()
    explanation = models.TextField(blank=True)
    right = models.PositiveSmallIntegerField()
    of = models.PositiveSmallIntegerField()
    # They have read what was expected, and gone on.
    seen = models.BooleanField(default=False)
    answered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "image"], name="an_image_is_practised_once_in_a_try"
            ),
            models.CheckConstraint(
                condition=Q(right__lte=F("of")), name="no_more_right_than_there_were"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.attempt}: {self.image}"
