from django.db import migrations
from django.db.models import CharField


def carry_versions(apps, editor):
    """Reports are stamped with them. Answers are computed again."""
    version = apps.get_model("annotations", "LabelVersion")
    version.objects.bulk_create(
        version(
            study_id=pulse.study_id,
            labels=pulse.version,
            labels_read=pulse.version,
            votes=pulse.votes,
            votes_read=pulse.votes,
        )
        for pulse in apps.get_model("audit", "Pulse").objects.all()
    )


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0004_label_versions_and_stored_answers"),
        ("audit", "0001_initial"),
    ]
    operations = [
        migrations.RunPython(carry_versions, migrations.RunPython.noop),
        migrations.RunSQL(
            "DELETE FROM audit_making WHERE kind NOT IN ('report', 'counts')",
            migrations.RunSQL.noop,
        ),
        migrations.DeleteModel("Pulse"),
        migrations.DeleteModel("Meeting"),
        migrations.DeleteModel("Explanation"),
        migrations.DeleteModel("Standing"),
        migrations.AlterField(
            "making",
            "kind",
            CharField(
                choices=[
                    ("report", "report"),
                    ("counts", "what pages count over all labels"),
                ],
                default="report",
                max_length=9,
            ),
        ),
    ]
