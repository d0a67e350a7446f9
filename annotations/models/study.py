from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotations.models.form import FormVersion
from annotations.random_keys import new_public_id

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def optional_account() -> "models.ForeignKey[User | None, User | None]":
    """Of who did something, for as long as the account is there."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )


class StudiesThere(models.Manager["Study"]):
    """Without those that are being deleted."""

    def get_queryset(self) -> models.QuerySet["Study"]:
        return super().get_queryset().filter(deleted_at=None)


class Study(models.Model):
    """Images of some prompts by some generators, one question form, and its people."""

    class Status(models.TextChoices):
        OPEN = "open", gettext_lazy("open")
        PAUSED = "paused", gettext_lazy("paused")
        CLOSED = "closed", gettext_lazy("closed")

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    form = models.ForeignKey(FormVersion, on_delete=models.PROTECT, related_name="studies")
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    overlap = models.PositiveSmallIntegerField(
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="How many people label each image.",
    )
    lease_minutes = models.PositiveSmallIntegerField(
        default=10,
        validators=[MinValueValidator(1), MaxValueValidator(10)],
        help_text="How long an image waits for the person it was given to.",
    )
    gold_share = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(50)],
        help_text="Of a hundred images that a person sees, how many have known answers.",
    )
    practice_images = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(50)],
        help_text="How many images with known answers a person practises with first; 0: none.",
    )
    practice_pass = models.PositiveSmallIntegerField(
        default=80,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="Percent of the practice answers that must be right.",
    )
    practice_tries = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(1), MaxValueValidator(20)]
    )
    practice_round = models.PositiveSmallIntegerField(
        default=1, help_text="Raised to ask everybody to practise again."
    )
    fastest_seconds = models.FloatField(
        default=0,
        validators=[MinValueValidator(0), MaxValueValidator(600)],
        help_text="An answer that took less is marked as too fast; 0: none is.",
    )
    simulated = models.BooleanField(
        default=False, help_text="Images and answers were made by a program."
    )
    created_by = optional_account()
    created_at = models.DateTimeField(auto_now_add=True)
    first = models.ForeignKey(
        "Selection",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The images that people are given before all others.",
    )
    only_first = models.BooleanField(
        default=False, help_text="All other images wait: people get those of a draw alone."
    )
    deleted_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Nobody can open it since."
    )

    objects = StudiesThere()

    class Meta:
        ordering = ["-created_at", "slug"]
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(overlap__gte=1), name="each_image_is_labelled_by_somebody"
            ),
            models.CheckConstraint(
                condition=models.Q(lease_minutes__range=(1, 10)),
                name="a_lease_ends_within_ten_minutes",
            ),
            models.CheckConstraint(
                condition=models.Q(gold_share__lte=50),
                name="at_most_half_of_the_images_are_known",
            ),
            models.CheckConstraint(
                condition=models.Q(practice_pass__range=(1, 100)),
                name="the_pass_mark_is_a_percentage",
            ),
            models.CheckConstraint(
                condition=models.Q(fastest_seconds__gte=0), name="no_answer_takes_less_than_no_time"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Its events go with it, which the database allows only for a study that is being deleted."""
        going = Study._base_manager.filter(pk=self.pk, deleted_at=None)
        going.update(deleted_at=timezone.now())
        return super().delete(*args, **kwargs)

    @property
    def is_open(self) -> bool:
        return self.status == self.Status.OPEN

    @property
    def given_alone(self) -> int | None:
        """The key of the selection outside of which images wait."""
        return self.first_id if self.only_first else None


class Retention(models.Model):
    """What is done with a study so many days after it has closed: `annotations.studies.retention`.

    A row for each study that was ever closed or has a rule. Not in the row of the study, which is
    read with every answer.
    """

    class Rule(models.TextChoices):
        KEEP = "keep", gettext_lazy("keep everything")
        PSEUDONYMISE = "pseudonymise", gettext_lazy("names become pseudonyms")
        FORGET = "forget", gettext_lazy("delete who people were")
        DELETE = "delete", gettext_lazy("delete the study")

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="retention")
    rule = models.CharField(max_length=12, choices=Rule, default=Rule.KEEP)
    days = models.PositiveIntegerField(
        default=365, validators=[MinValueValidator(1), MaxValueValidator(36500)]
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["study"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(rule="keep") | models.Q(decided_at__isnull=False),
                name="a_rule_was_decided_some_day",
            ),
            models.CheckConstraint(condition=models.Q(days__gte=1), name="a_day_at_least"),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.get_rule_display()} after {self.days} days"


class ExamplePicture(models.Model):
    """A picture that an owner brought for an example of the study's questions.

    A form names it by `public_id`, and versions are never changed: so a picture stays as long as
    its study, also when no version names it any more.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="example_pictures")
    public_id = models.CharField(max_length=22, unique=True, default=new_public_id, editable=False)
    file = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    added_by = optional_account()
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "sha256"], name="a_study_has_an_example_picture_once"
            ),
            models.CheckConstraint(
                condition=~Q(file="") & Q(width__gt=0) & Q(height__gt=0),
                name="an_example_picture_has_a_file_and_a_size",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id
