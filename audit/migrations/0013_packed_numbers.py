from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("audit", "0012_reports_have_no_parts")]
    operations = [migrations.RenameModel("Column", "PackedNumbers")]
