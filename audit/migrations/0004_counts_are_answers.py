from django.db import migrations
from django.db.models import CharField


class Migration(migrations.Migration):
    dependencies = [("audit", "0003_webhook_messages_are_jobs")]
    operations = [
        migrations.RunSQL(
            "DELETE FROM audit_making WHERE kind <> 'report'", migrations.RunSQL.noop
        ),
        migrations.AlterField(
            "making",
            "kind",
            CharField(choices=[("report", "report")], default="report", max_length=9),
        ),
    ]
