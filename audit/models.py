from django.conf import settings
from django.db import models
from django.db.models import F

from annotations.models import Study


class Report(models.Model):
    """What was found, with all that is needed to find it again. Written once, never changed."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="reports")
    body = models.JSONField(help_text="What `manage.py report --json` prints.")
    # The few facts of the body that lists show, so that no list has to load bodies.
    summary = models.JSONField(default=dict, blank=True)
    # The data it saw, as a hash; and what it was asked for: question, seed, resamples, …
    data = models.CharField(max_length=64)
    options = models.JSONField(default=dict, blank=True)
    # A cheap stamp of labels and scores, to say whether they have changed since.
    stamp = models.CharField(max_length=200, blank=True)
    seconds = models.FloatField()
    made_for = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [models.Index("study", F("created_at").desc(), name="report_by_time")]

    def __str__(self) -> str:
        return f"{self.study}, {self.created_at:%Y-%m-%d %H:%M}"


class Column(models.Model):
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


class Pulse(models.Model):
    """Whether labels or scores of a study have changed since a report saw them: `audit.pulse`."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="pulse")
    version = models.PositiveBigIntegerField(default=0)
    seen = models.PositiveBigIntegerField(default=0)  # by the newest report
    met = models.PositiveBigIntegerField(default=0)  # by the newest `Meeting`

    class Meta:
        ordering = ["study"]

    def __str__(self) -> str:
        return f"{self.study}, v{self.version}"


class Meeting(models.Model):
    """People held against each other, as a page shows them: `audit.people.stored`. The newest only."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="meeting")
    body = models.JSONField()
    stamp = models.CharField(max_length=200)
    seconds = models.FloatField()
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["study"]

    def __str__(self) -> str:
        return f"{self.study}, {self.made_at:%Y-%m-%d %H:%M}"


class Making(models.Model):
    """A report that was asked for and is not there yet, and how far it is: `audit.reports.progress`."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="making")
    asked_at = models.DateTimeField()
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    # Why it was refused, for the page that waits for it.
    refusal = models.TextField(blank=True)

    class Meta:
        ordering = ["-asked_at"]

    def __str__(self) -> str:
        return f"{self.study}, {self.done} of {self.total}"


class WrongPassword(models.Model):
    """How often in a row a name's password was wrong from an address: `audit.installation.lockout`."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField(default=0)
    wait_until = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["key"]

    def __str__(self) -> str:
        return f"{self.count} until {self.wait_until:%H:%M:%S}"
