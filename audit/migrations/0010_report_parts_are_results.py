from typing import Any

from django.db import migrations


def delete_unmade(apps: Any, editor: Any) -> None:
    """The report that waits for them announces them anew, as jobs."""
    apps.get_model("audit", "ReportPart").objects.exclude(state="done").delete()


class Migration(migrations.Migration):
    dependencies = [("audit", "0009_account_language")]
    operations = [
        migrations.RunPython(delete_unmade, migrations.RunPython.noop),
        *(
            migrations.RemoveField("reportpart", name)
            for name in ("holder", "leased_until", "tries", "reason", "state")
        ),
    ]
