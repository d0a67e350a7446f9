from django.db import migrations

from annotations.migrations._old_jobs import carry_over

SAME = ("study_id", "by_id", "key", "state", "created_at", "began_at", "finished_at")
SENT = ("format", "name", "file", "choices", "generator", "judge", "dry_run", "strict")


def sent(row):
    payload = {name: getattr(row, name) for name in SENT}
    payload |= {"brings": row.kind, "delivery": row.delivery_id}
    return {"payload": payload, "done": row.read, "total": row.expected, "outcome": row.outcome}


class Migration(migrations.Migration):
    dependencies = [
        ("judges", "0004_model_servers"),
        ("annotations", "0005_deletions_are_jobs"),
    ]
    operations = [
        # Programs ask for imports by their numbers.
        carry_over(("judges", "Upload"), "upload", same=SAME, columns=sent, keep_id=True),
        migrations.DeleteModel("Upload"),
        migrations.CreateModel(
            "Upload",
            [],
            options={"proxy": True, "indexes": [], "constraints": []},
            bases=("annotations.job",),
        ),
    ]
