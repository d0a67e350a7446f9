from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotations.models.job import Leased
from annotations.models.study import Study


class StoredAnswer(Leased):
    """The newest answer of one question about a study, and how far a worker is that computes it again:
    `annotations.stored_answers`."""

    class State(models.TextChoices):
        READY = "ready", gettext_lazy("ready")
        WAITING = "waiting", gettext_lazy("waiting for a worker")
        WORKING = "working", gettext_lazy("being computed")
        REFUSED = "refused", gettext_lazy("refused")
        GIVEN_UP = "given up", gettext_lazy("given up")

    # No index of its own: the unique one begins with it.
    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="stored_answers", db_index=False
    )
    question = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict)
    key = models.CharField(max_length=64, help_text="A hash of the parameters.")
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    requested_at = models.DateTimeField()
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
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
        ordering = ["study", "question", "-requested_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "question", "key"], name="a_question_has_one_stored_answer"
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["refused", "given up"]) | ~Q(reason=""),
                name="an_answer_that_is_not_computed_says_why",
            ),
        ]
        indexes = [
            models.Index(
                fields=["state", "study"],
                name="answer_in_hand",
                condition=Q(state__in=["waiting", "working", "given up"]),
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
    def is_in_hand(self) -> bool:
        """Whether a worker has taken it up, or is to; of what nobody may store, never."""
        return self.is_old and self.state in (self.State.WAITING, self.State.WORKING)

    @property
    def is_given_up(self) -> bool:
        return self.state == self.State.GIVEN_UP

    @property
    def is_refused(self) -> bool:
        return self.state == self.State.REFUSED


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
