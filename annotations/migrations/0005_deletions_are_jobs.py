from django.db import migrations
from django.db.models import DateTimeField

from annotations.migrations._old_jobs import carry_over


def asked(row):
    payload = {"about": row.study_id, "slug": row.slug, "title": row.title}
    return {"payload": payload, "by_id": row.asked_by_id, "created_at": row.asked_at}


class Migration(migrations.Migration):
    dependencies = [("annotations", "0004_label_versions_and_stored_answers")]
    operations = [
        migrations.AddField(
            "Job",
            "began_at",
            DateTimeField(null=True, blank=True, help_text="Since when `done` grows."),
        ),
        carry_over(("annotations", "Deletion"), "deletion", same=["state"], columns=asked),
        migrations.DeleteModel("Deletion"),
        migrations.CreateModel(
            "Deletion",
            [],
            options={"proxy": True, "indexes": [], "constraints": []},
            bases=("annotations.job",),
        ),
    ]
