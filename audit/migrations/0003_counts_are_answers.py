from django.db import migrations
from django.db.models import CharField


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_versions_and_answers_stand_in_annotations")]
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
