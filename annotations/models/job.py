from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from annotations.models.study import Study, optional_account

# Small jobs are done within it.
FRESH = timedelta(seconds=2)


class Leased(models.Model):
    """What rows that workers hold for a while have: a lease, and how often they were tried.

    `annotations.database.leases.WorkerLease` moves them; each table adds its own `state`.
    """

    holder = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    # Counted when a worker takes it, so that a worker that is killed counts too.
    tries = models.PositiveSmallIntegerField(default=0)
    reason = models.TextField(blank=True, help_text="Why it was given up, in a sentence.")

    class Meta:
        abstract = True


class Jobs(models.Manager[Any]):
    """The jobs of one kind, or all of them."""

    def get_queryset(self) -> models.QuerySet[Any]:
        rows = super().get_queryset()
        return rows.filter(kind=self.model.KIND) if self.model.KIND else rows


class Job(Leased):
    """Work for a worker: what to do, how far it is, and what came of it (`annotations.jobs`).

    A kind of job is a proxy of this table. Its KIND is stored, and its own values stand in `payload`
    (the request) and `outcome` (what was found), read by `in_payload` and `in_outcome`.
    """

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("waiting for a worker")
        WORKING = "working", gettext_lazy("being worked on")
        DONE = "done", gettext_lazy("done")
        REFUSED = "refused", gettext_lazy("refused")
        GIVEN_UP = "given up", gettext_lazy("given up")

    KIND = ""
    # What a page calls the state of a job that a worker has in hand.
    WORKING_WORDS = gettext_noop("being worked on")

    kind = models.CharField(max_length=20)
    # No study: work for the installation, or for a study that is not there yet, or hardly any more.
    study = models.ForeignKey(
        Study, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs"
    )
    by = optional_account()
    key = models.CharField(max_length=200, blank=True, help_text="The same asked again is one job.")
    payload = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    due_at = models.DateTimeField(null=True, blank=True, help_text="No worker takes it before.")
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(null=True, blank=True, help_text="Empty: nobody can tell.")
    outcome = models.JSONField(default=dict, blank=True)
    seconds = models.FloatField(default=0, help_text="Of workers, in all tries so far.")
    created_at = models.DateTimeField(default=timezone.now)
    began_at = models.DateTimeField(null=True, blank=True, help_text="Since when `done` grows.")
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = Jobs()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "study", "key"],
                condition=~Q(key=""),
                name="the_same_asked_again_is_one_job",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["refused", "given up"]) | ~Q(reason=""),
                name="a_job_without_an_outcome_says_why",
            ),
        ]
        indexes = [models.Index(fields=["state", "kind"], name="job_by_state")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} ({self.state})"

    def save(self, *args: Any, **more: Any) -> None:
        self.kind = self.KIND or self.kind
        super().save(*args, **more)

    @property
    def is_open(self) -> bool:
        return self.state in {self.State.WAITING, self.State.WORKING}

    @property
    def is_fresh(self) -> bool:
        """Whether a small one may be done at any moment: pages look sooner again."""
        return timezone.now() - self.created_at < FRESH

    @property
    def is_given_up(self) -> bool:
        return self.state == self.State.GIVEN_UP

    @property
    def state_words(self) -> str:
        is_held = self.state == self.State.WORKING
        return gettext(self.WORKING_WORDS) if is_held else str(self.State(self.state).label)


class _JsonValue(property):
    """A property, so that it is an argument of the model, too; `default` makes what stands for a missing
    value."""

    def __init__(self, column: str, default: Callable[[], Any] = str) -> None:
        self.column, self.default = column, default
        super().__init__(self.read, self.write)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def read(self, job: Job) -> Any:
        column = getattr(job, self.column)
        return column[self.name] if self.name in column else self.default()

    def write(self, job: Job, value: Any) -> None:
        getattr(job, self.column)[self.name] = value


class _JsonKey(_JsonValue):
    """A row of another table by its primary key; None once it is gone."""

    def __init__(self, label: str) -> None:
        super().__init__("payload")
        self.label = label

    def read(self, job: Job) -> Any:
        known = job.__dict__.setdefault("_rows", {})
        if self.name not in known:
            rows = apps.get_model(self.label)._base_manager
            known[self.name] = rows.filter(pk=job.payload.get(self.name)).first()
        return known[self.name]

    def write(self, job: Job, value: Any) -> None:
        job.__dict__.setdefault("_rows", {})[self.name] = value
        super().write(job, None if value is None else value.pk)


# A value that was requested, one that was found, and a row that the job is about, such as "judges.Run".
in_payload = partial(_JsonValue, "payload")
in_outcome = partial(_JsonValue, "outcome")
row_in_payload = _JsonKey


class Deletion(Job):
    """A study that is being deleted: nobody can open it any more, a worker removes its rows. It belongs
    to no study, or it would be removed with the others."""

    KIND, WORKING_WORDS = "deletion", gettext_noop("being deleted")
    # The primary key of the study.
    about = in_payload(int)
    # The study's own name is free for another one from now on.
    slug = in_payload()
    title = in_payload()

    class Meta:
        proxy = True


class StudyCopy(Job):
    """The prompts and images of another study on their way into this one."""

    KIND, WORKING_WORDS = "study copy", gettext_noop("being copied")
    # The primary key of the other study.
    source = in_payload(int)

    class Meta:
        proxy = True
