from django.db import migrations

from annotations.migrations._old_jobs import carry_over

STATES = {"sending": "working", "sent": "done"}


def told(row):
    # Whoever receives it knows it by its number of then.
    payload = {"event": row.event, "about": row.about, "body": {"id": row.pk, **row.body}}
    return {
        "key": f"{row.event} {row.about}",
        "study_id": row.hook.study_id,
        "state": STATES.get(row.state, row.state),
        "payload": payload,
    }


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0002_versions_and_answers_stand_in_annotations"),
        ("annotations", "0003_job"),
    ]
    operations = [
        carry_over(
            ("audit", "WebhookMessage"),
            "webhook message",
            same=["created_at", "due_at"],
            columns=told,
        ),
        migrations.DeleteModel("WebhookMessage"),
        migrations.CreateModel(
            "WebhookMessage",
            [],
            options={"proxy": True, "indexes": [], "constraints": []},
            bases=("annotations.job",),
        ),
    ]
