"""Two images of one prompt, and which of the two people prefer."""

import uuid

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from annotations.models.annotation import LANGUAGE_LENGTH
from annotations.models.image import Generator, Image
from annotations.models.people import Membership
from annotations.models.prompt import Prompt
from annotations.models.study import Study, optional_account
from annotations.random_keys import new_public_id


class Side(models.TextChoices):
    FIRST = "first", "first"
    SECOND = "second", "second"


class PairPlan(models.Model):
    """That a study asks for pairs, and how."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="pair_plan")
    overlap = models.PositiveSmallIntegerField(
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="How many people compare each pair.",
    )
    asks_quality = models.BooleanField(
        default=False, help_text="A second question: which image is the better picture."
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study"]
        constraints = [
            models.CheckConstraint(
                condition=Q(overlap__range=(1, 100)), name="each_pair_is_compared_by_somebody"
            )
        ]

    def __str__(self) -> str:
        return f"{self.study}: pairs, {self.overlap} people each"


class PairDraw(models.Model):
    """How some pairs of a study were chosen."""

    class DrawRule(models.TextChoices):
        RANDOM = "random", "at random, so many for each prompt"
        DUEL = "duel", gettext_lazy("two generators against each other")
        ADAPTIVE = "adaptive", gettext_lazy("more often where the outcome is open")
        FILE = "file", gettext_lazy("came with a file")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="pair_draws")
    by = models.CharField(max_length=10, choices=DrawRule)
    count = models.PositiveIntegerField(help_text="How many pairs it added.")
    per_prompt = models.PositiveIntegerField(null=True, blank=True)
    seed = models.BigIntegerField(null=True, blank=True)
    duel = models.ManyToManyField(Generator, blank=True, related_name="+")
    note = models.TextField(blank=True, help_text="Where the generators could not be connected.")
    made_by = optional_account()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "pk"]

    def __str__(self) -> str:
        return f"{self.count} pairs, {self.get_by_display()}"


class Pair(models.Model):
    """Two images of one prompt. Which is the first says nothing: it is the one with the lower key.
    People know a pair by `public_id` only, and never learn who made the images."""

    # No index of its own: one below begins with it.
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="pairs", db_index=False)
    prompt = models.ForeignKey(Prompt, on_delete=models.CASCADE, related_name="pairs")
    first = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="+", db_index=False)
    second = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200, help_text="The `pair_id` of files.")
    public_id = models.CharField(max_length=22, unique=True, default=new_public_id, editable=False)
    draw = models.ForeignKey(
        PairDraw, null=True, blank=True, on_delete=models.SET_NULL, related_name="pairs"
    )
    chance = models.FloatField(
        null=True, blank=True, help_text="The probability it was drawn with; empty if unknown."
    )
    # The position in the order in which pairs are given, and how many places of the plan's overlap
    # are taken, by votes and by leases.
    place = models.PositiveIntegerField(default=0)
    taken = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["study", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="two_images_are_one_pair"),
            models.UniqueConstraint(
                fields=["study", "key"], name="a_key_stands_for_one_pair_of_a_study"
            ),
            models.CheckConstraint(
                condition=Q(first__lt=F("second")), name="the_first_of_a_pair_has_the_lower_key"
            ),
            models.CheckConstraint(
                condition=Q(chance__isnull=True) | Q(chance__gt=0, chance__lte=1),
                name="a_drawn_pair_had_a_chance",
            ),
        ]
        indexes = [
            models.Index(fields=["study", "taken", "place", "id"], name="pair_by_places_taken")
        ]

    def __str__(self) -> str:
        return self.key


class PairAssignment(models.Model):
    """A pair that was given to a person, with the image that stood left for them."""

    class State(models.TextChoices):
        LEASED = "leased", "leased"
        ANSWERED = "answered", "answered"
        SKIPPED = "skipped", "skipped"
        # It holds no place. The row stays, for a late vote needs to know which image stood left.
        RETURNED = "returned", "handed back"

    # No index of their own: those below begin with each of them.
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+", db_index=False)
    pair = models.ForeignKey(
        Pair, on_delete=models.CASCADE, related_name="assignments", db_index=False
    )
    annotator = models.ForeignKey(
        Membership, on_delete=models.CASCADE, related_name="pair_assignments", db_index=False
    )
    left = models.CharField(max_length=6, choices=Side)
    state = models.CharField(max_length=10, choices=State, default=State.LEASED)
    leased_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "annotator"], name="a_pair_is_given_once_to_one_person"
            ),
            models.UniqueConstraint(
                fields=["annotator"],
                condition=Q(state="leased"),
                name="one_pair_in_hand_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(state="leased", leased_until__isnull=False)
                | ~Q(state="leased") & Q(leased_until__isnull=True),
                name="only_a_lease_of_a_pair_has_an_end",
            ),
        ]
        indexes = [
            models.Index(fields=["study", "state", "leased_until"], name="pair_lease_by_end"),
            models.Index(fields=["annotator", "state"], name="pair_given_by_person"),
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.pair} ({self.state})"


class PairVote(models.Model):
    """One person's answer about a pair. A row is never changed but for `current`: a correction is
    a row with a higher `revision`, and a vote that was taken back is current no longer."""

    class Value(models.TextChoices):
        FIRST = "first", "the first"
        SECOND = "second", "the second"
        BOTH = "both", "both equally"
        NEITHER = "neither", "neither"
        CANNOT_TELL = "cannot_tell", "cannot tell"

    # No index of their own: those below begin with each of them.
    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="pair_votes", db_index=False
    )
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="votes", db_index=False)
    annotator = models.ForeignKey(
        Membership, on_delete=models.RESTRICT, related_name="pair_votes", db_index=False
    )
    question = models.CharField(max_length=80)
    value = models.CharField(max_length=11, choices=Value)
    left = models.CharField(
        max_length=6, choices=Side, blank=True, help_text="Which image stood left; empty: unknown."
    )
    # In which the questions were shown; empty for their own words.
    language = models.CharField(max_length=LANGUAGE_LENGTH, blank=True, default="", db_default="")
    seconds = models.FloatField(null=True, blank=True)
    revision = models.PositiveSmallIntegerField(default=1)
    current = models.BooleanField(default=True)
    # Made by the page before it sends, so that a second sending is recognised.
    submission = models.UUIDField(default=uuid.uuid4)
    submitted_at = models.DateTimeField()

    class Meta:
        ordering = ["study", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "question"], name="a_vote_is_sent_once_for_each_question"
            ),
            models.UniqueConstraint(
                fields=["pair", "annotator", "question", "revision"],
                name="revisions_of_a_vote_are_numbered_once",
            ),
            models.UniqueConstraint(
                fields=["pair", "annotator", "question"],
                condition=Q(current=True),
                name="one_vote_per_person_pair_and_question",
            ),
            models.CheckConstraint(
                condition=Q(seconds__isnull=True) | Q(seconds__gte=0),
                name="a_vote_takes_no_negative_time",
            ),
        ]
        indexes = [
            models.Index(fields=["study", "question", "current"], name="vote_by_question"),
            models.Index(fields=["annotator", "submitted_at"], name="vote_by_person"),
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.pair}: {self.question} = {self.value}"
