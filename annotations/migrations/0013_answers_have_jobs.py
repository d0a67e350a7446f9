from typing import Any

import django.db.models.deletion
from django.db import migrations, models

LEASE = ("holder", "leased_until", "tries", "reason", "done")


def carry_over(apps: Any, editor: Any) -> None:
    """What a worker was about is a job of each answer from now on."""
    jobs = apps.get_model("annotations", "Job").objects
    answers = apps.get_model("annotations", "StoredAnswer").objects
    rows = answers.defer("content", "keys").order_by("pk")
    for row in rows.iterator(chunk_size=100):
        job = jobs.create(
            kind="answer",
            study_id=row.study_id,
            by_id=row.requested_by_id,
            key=f"{row.question} {row.key}",
            payload={"question": row.question},
            state="done" if row.state == "ready" else row.state,
            total=row.total or None,
            created_at=row.requested_at,
            **{name: getattr(row, name) for name in LEASE},
        )
        answers.filter(pk=row.pk).update(job=job.pk)


class Migration(migrations.Migration):
    dependencies = [("annotations", "0012_kept_answers")]
    operations = [
        migrations.CreateModel(
            name="AnswerJob",
            fields=[],
            options={"proxy": True, "indexes": [], "constraints": []},
            bases=("annotations.job",),
        ),
        migrations.AddField(
            "storedanswer",
            "job",
            models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="stored_answer",
                to="annotations.answerjob",
            ),
        ),
        migrations.RunPython(carry_over, migrations.RunPython.noop),
    ]
