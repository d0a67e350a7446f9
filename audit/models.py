from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotations.models import Image, Job, Study, in_payload, optional_account


class Reports(models.QuerySet["Report"]):
    def with_usual_options(self) -> Reports:
        """Pages, cards and the API show the newest of these, which is the first."""
        return self.filter(options={})


class Report(models.Model):
    """A report with all that is needed to compute it again. Written once, never changed."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="reports")
    body = models.JSONField(help_text="What `manage.py report --json` prints.")
    # The few facts that lists show, so that no list has to load bodies.
    summary = models.JSONField(default=dict, blank=True)
    # A hash of the data; and the options: question, seed, resamples, …
    data = models.CharField(max_length=64)
    options = models.JSONField(default=dict, blank=True)
    # The version of labels and scores, to tell whether they have changed since.
    stamp = models.CharField(max_length=200, blank=True)
    # A hash of the few rows that it rests on and that no label or score changes: generators, runs, people.
    rows = models.CharField(max_length=64, blank=True)
    seconds = models.FloatField()
    made_for = optional_account()
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Reports.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [models.Index("study", F("created_at").desc(), name="report_by_time")]

    def __str__(self) -> str:
        return f"{self.study}, {self.created_at:%Y-%m-%d %H:%M}"


class PackedNumbers(models.Model):
    """One number for each image, packed: what the gallery sorts and filters by.

    Kept for the newest report only; see `audit.reports.gallery`.
    """

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="columns")
    name = models.CharField(max_length=200)
    content = models.BinaryField()

    class Meta:
        ordering = ["report", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["report", "name"], name="a_name_stands_for_one_column_of_a_report"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} of report {self.report_id}"


class TrainingSet(models.Model):
    """Images chosen to train a generator on, with their weights: written once, never changed. Its rows
    name images by key and hash, so that it outlives what happens to the study: `audit.training`."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="training_sets")
    asked = models.JSONField(help_text="Judge, rule, caps, studies whose prompts are left out.")
    body = models.JSONField(help_text="What was taken and why, with its signature.")
    rows = models.JSONField(help_text="Each image with its weight, score and labels.")
    sha256 = models.CharField(max_length=64)
    made_by = optional_account()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "sha256"], name="the_same_images_are_one_training_set"
            )
        ]

    def __str__(self) -> str:
        return f"{self.study}, {self.sha256[:12]}"


class Finding(models.Model):
    """What somebody found wrong with an image, as a pair of prompts: how it should be, and how it is. People
    say whether it is so before anything is repaired: `audit.repairs`."""

    class State(models.TextChoices):
        OPEN = "open", "to be confirmed"
        REAL = "real", "real"
        WRONG = "wrong", "the judge erred"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="findings")
    image = models.ForeignKey(
        Image, on_delete=models.CASCADE, related_name="findings", db_index=False
    )
    # Empty where people found it.
    judge = models.CharField(max_length=200, blank=True)
    atom = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Where one atom failed: its index."
    )
    wanted = models.TextField()
    found = models.TextField()
    others = models.PositiveSmallIntegerField(
        default=0, help_text="More that is wrong, or could be."
    )
    state = models.CharField(max_length=5, choices=State, default=State.OPEN)
    said_by = optional_account()
    said_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["study", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["image", "judge"], name="a_judge_finds_one_thing_wrong_with_an_image"
            )
        ]
        indexes = [models.Index(fields=["study", "state"], name="finding_by_state")]

    def __str__(self) -> str:
        return f"{self.image}: {self.wanted}"


class Tally(models.Model):
    """What people say together about one image, for one question: what the data browser filters and
    sorts by. Counted by `audit.images.tally`; a card asks for the answers themselves."""

    # No index of their own: those below begin with each of them.
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+", db_index=False)
    image = models.ForeignKey(
        Image, on_delete=models.CASCADE, related_name="tallies", db_index=False
    )
    question = models.CharField(max_length=80)
    people = models.PositiveIntegerField()
    # None where the answers are texts.
    mean = models.FloatField(null=True)
    # The share of pairs of people who differ; None where fewer than two have answered.
    split = models.FloatField(null=True)
    cannot_tell = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["image", "question"]
        constraints = [
            models.UniqueConstraint(
                fields=["image", "question"], name="an_image_is_tallied_once_for_a_question"
            )
        ]
        indexes = [
            models.Index(fields=["study", "question", "mean", "image"], name="tally_by_mean"),
            models.Index(fields=["study", "question", "split", "image"], name="tally_by_split"),
        ]

    def __str__(self) -> str:
        return f"{self.question} of {self.image}"


class WrongPassword(models.Model):
    """Wrong passwords in a row, by a hash of who tried: see `audit.accounts.lockout`."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField(default=0)
    wait_until = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["key"]

    def __str__(self) -> str:
        return f"{self.count} until {self.wait_until:%H:%M:%S}"


class ApiToken(models.Model):
    """Lets a program in as its owner, for a while: `audit.accounts.tokens`. Only a hash is kept."""

    class Scope(models.TextChoices):
        READ = "read", gettext_lazy("read")
        WRITE = "write", gettext_lazy("read and write")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=5, choices=Scope, default=Scope.READ)
    study = models.ForeignKey(
        Study, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    by_password = models.BooleanField(default=False, help_text="Asked for over the API.")
    second_factor_shown = models.BooleanField(
        default=False, db_default=False, help_text="Made by somebody who had shown one."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def has_expired(self) -> bool:
        return self.expires_at <= timezone.now()


class Identity(models.Model):
    """Who an account is at the provider of single sign-on: `audit.accounts.single_sign_on`."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="identities"
    )
    issuer = models.CharField(max_length=500)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["issuer", "subject"], name="a_subject_of_an_issuer_is_one_account"
            )
        ]

    def __str__(self) -> str:
        return f"{self.subject} at {self.issuer}"


class ConfirmedAddress(models.Model):
    """An e-mail address that is known to be its account's: `audit.accounts.addresses`."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="confirmed_address"
    )
    email = models.CharField(max_length=254)
    confirmed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "confirmed addresses"

    def __str__(self) -> str:
        return f"of account #{self.user_id}"


class ClosedTour(models.Model):
    """A person has closed the tour for good: empty studies do not show it to them any more."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="closed_tour"
    )
    closed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"of account #{self.user_id}"


class AccountLanguage(models.Model):
    """In which language a person wants their pages: each of their browsers hears it at the log-in."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="language"
    )
    language = models.CharField(max_length=10)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"of account #{self.user_id}"


class SecondFactor(models.Model):
    """The secret that an account shares with its owner's phone: `audit.accounts.second_factor`."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="second_factor"
    )
    secret = models.TextField(help_text="Encrypted with a key made from SECRET_KEY.")
    # None until a first code has shown that the phone has the secret.
    confirmed_at = models.DateTimeField(null=True, blank=True)
    # Each code counts once: the half minute of the last one.
    last_step = models.BigIntegerField(default=0)
    # Hashes of the recovery codes that are left.
    recovery = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"of account #{self.user_id}"


class Webhook(models.Model):
    """An address that hears what happens in a study: `audit.webhooks`."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="webhook")
    address = models.CharField(max_length=500)
    # With SECRET_KEY this makes the secret that messages are signed with; it is stored nowhere.
    salt = models.CharField(max_length=32)
    # What had happened before it was set is not sent.
    since = models.DateTimeField()
    last_report = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"of {self.study}"

    @property
    def messages(self) -> models.QuerySet[WebhookMessage]:
        return WebhookMessage.objects.filter(study=self.study_id)


class WebhookMessage(Job):
    """One thing that happened, sent until it arrives or is given up; its key is the event and what it is
    about, so that the same thing is sent once."""

    KIND, WORKING_WORDS = "webhook message", "being sent"
    event = in_payload()
    about = in_payload()
    body = in_payload(dict)

    class Meta:
        proxy = True


class Comment(models.Model):
    """What a researcher writes beside an image, for the others who run the study; annotators see none."""

    LONGEST = 2000

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="comments")
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="comments")
    text = models.TextField()
    by = optional_account()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        # “With comments” on the page of images.
        indexes = [models.Index(fields=["study", "image"], name="comment_by_study")]

    def __str__(self) -> str:
        return f"{self.image}: {self.text[:40]}"
