from django.db import migrations
from django.db.models import CharField

LEASE = ("holder", "leased_until", "tries", "reason")


def carry_over(apps, editor):
    """A look that waits, is under way or was given up; what was found stays with the delivery."""
    jobs = apps.get_model("annotations", "Job").objects
    deliveries = apps.get_model("judges", "Delivery").objects
    unlooked = deliveries.filter(state__in=["waiting", "working", "given up"])
    for row in unlooked.order_by("pk"):
        lease = {name: getattr(row, name) for name in LEASE}
        about = {"kind": "preview", "key": row.key, "by_id": row.by_id, "study_id": row.study_id}
        jobs.create(state=row.state, created_at=row.touched_at, **about, **lease)
    unlooked.update(state="open")


class Migration(migrations.Migration):
    dependencies = [("judges", "0005_uploads_are_jobs")]
    operations = [
        migrations.CreateModel(
            "Preview",
            [],
            options={"proxy": True, "indexes": [], "constraints": []},
            bases=("annotations.job",),
        ),
        migrations.RunPython(carry_over, migrations.RunPython.noop),
        *(migrations.RemoveField("Delivery", name) for name in (*LEASE, "read")),
        migrations.AlterField(
            "Delivery",
            "state",
            CharField(
                max_length=8,
                default="open",
                choices=[
                    ("open", "being sent"),
                    ("looked", "looked at"),
                    ("sent", "given to an import"),
                ],
            ),
        ),
    ]
