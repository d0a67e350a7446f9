from typing import Any

from django.db import migrations


def delete_jobs(apps: Any, editor: Any) -> None:
    """Nobody takes them any more."""
    apps.get_model("annotations", "Job").objects.filter(kind="report part").delete()


class Migration(migrations.Migration):
    dependencies = [("audit", "0011_comments"), ("annotations", "0018_family_of_prompts")]
    operations = [
        migrations.RunPython(delete_jobs, migrations.RunPython.noop),
        migrations.DeleteModel("ReportPart"),
    ]
