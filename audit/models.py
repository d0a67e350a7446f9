from django.conf import settings
from django.db import models
from django.db.models import F

from annotations.models import Study


class Report(models.Model):
    """What was found, with all that is needed to find it again. Written once, never changed."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="reports")
    body = models.JSONField(help_text="What `manage.py report --json` prints.")
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
