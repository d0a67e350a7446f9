from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.db import models

from annotations.models.job import Job, in_payload
from annotations.models.study import Study


class AnswerJob(Job):
    """A stored answer that a worker computes, or computed last. `key`: the question and its parameters.
    `created_at`: when it was requested last."""

    KIND = "answer"
    question = in_payload()
    # What the worker has found, until it is stored with the end of the job.
    found: dict[str, Any] = {}

    class Meta:
        proxy = True

    @property
    def is_refused(self) -> bool:
        return self.state == self.State.REFUSED


class StoredAnswer(models.Model):
    """The newest answer of one question about a study: `annotations.stored_answers`. Its job says how far
    a worker is that computes it again, and why there is none."""

    # No index of its own: the unique one begins with it.
    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="stored_answers", db_index=False
    )
    question = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict)
    key = models.CharField(max_length=64, help_text="A hash of the parameters.")
    job = models.OneToOneField(
        AnswerJob, null=True, blank=True, on_delete=models.SET_NULL, related_name="stored_answer"
    )
    # JSON, but as text: databases write numbers and order keys in their own ways. Empty: none yet.
    content = models.TextField(blank=True)
    keys = models.BinaryField(default=b"", help_text="Whole numbers of 64 bits.")
    stamp = models.TextField(
        blank=True, help_text="The versions of the data that it was read from."
    )
    seconds = models.FloatField(default=0)
    computed_at = models.DateTimeField(null=True, blank=True)
    # Whether the data have changed since; set by who reads it.
    is_old = False

    class Meta:
        ordering = ["study", "question", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "question", "key"], name="a_question_has_one_stored_answer"
            )
        ]

    def __str__(self) -> str:
        return f"{self.question} of {self.study}"

    @property
    def body(self) -> dict[str, Any] | None:
        return json.loads(self.content) if self.content else None

    @property
    def old_since(self) -> datetime | None:
        """When it was computed, where data have changed since."""
        return self.computed_at if self.is_old else None

    @property
    def reason(self) -> str:
        """Why there is none, or no newer one."""
        return self.job.reason if self.job else ""

    @property
    def is_in_hand(self) -> bool:
        """Whether a worker has taken it up, or is to; of what nobody may store, never."""
        return self.is_old and self.job is not None and self.job.is_open

    @property
    def is_given_up(self) -> bool:
        return self.job is not None and self.job.is_given_up


class LabelVersion(models.Model):
    """Numbers that differ once labels, scores or votes of a study have changed: `annotations.versions`."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="label_version")
    labels = models.PositiveBigIntegerField(default=0, help_text="Of labels and judges' scores.")
    labels_read = models.PositiveBigIntegerField(default=0, help_text="The newest read so far.")
    votes = models.PositiveBigIntegerField(default=0, help_text="Of votes on pairs.")
    votes_read = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["study"]

    def __str__(self) -> str:
        return f"{self.study}, labels {self.labels}, votes {self.votes}"
