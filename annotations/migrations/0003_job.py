import django.utils.timezone
from django.conf import settings
from django.db import migrations
from django.db.models import (
    CASCADE,
    CharField,
    CheckConstraint,
    DateTimeField,
    ForeignKey,
    Index,
    JSONField,
    PositiveIntegerField,
    Q,
    UniqueConstraint,
)

from annotations.database.tables import account, job, table
from annotations.migrations._old_jobs import begin_above_old_ids

STATES = [
    ("waiting", "waiting for a worker"),
    ("working", "being worked on"),
    ("done", "done"),
    ("refused", "refused"),
    ("given up", "given up"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0002_an_event_stays"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        table(
            "Job",
            ["-pk"],
            UniqueConstraint(
                fields=["kind", "study", "key"],
                condition=~Q(key=""),
                name="the_same_asked_again_is_one_job",
            ),
            CheckConstraint(
                condition=~Q(state__in=["refused", "given up"]) | ~Q(reason=""),
                name="a_job_without_an_outcome_says_why",
            ),
            Index(fields=["state", "kind"], name="job_by_state"),
            **job(),
            kind=CharField(max_length=20),
            study=ForeignKey(
                "annotations.study", CASCADE, null=True, blank=True, related_name="jobs"
            ),
            by=account(),
            key=CharField(max_length=200, blank=True, help_text="The same asked again is one job."),
            payload=JSONField(blank=True, default=dict),
            state=CharField(max_length=8, default="waiting", choices=STATES),
            due_at=DateTimeField(null=True, blank=True, help_text="No worker takes it before."),
            done=PositiveIntegerField(default=0),
            total=PositiveIntegerField(null=True, blank=True, help_text="Empty: nobody can tell."),
            outcome=JSONField(blank=True, default=dict),
            created_at=DateTimeField(default=django.utils.timezone.now),
            finished_at=DateTimeField(null=True, blank=True),
        ),
        migrations.RunPython(begin_above_old_ids, migrations.RunPython.noop),
    ]
