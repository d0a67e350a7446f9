from django.db import migrations


class Migration(migrations.Migration):
    """A report that waited is requested again as soon as a worker looks round."""

    dependencies = [("audit", "0007_reports_name_nobody")]
    operations = [migrations.DeleteModel("Making")]
