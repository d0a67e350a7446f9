from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("annotations", "0005_deletions_are_jobs")]
    operations = [migrations.DeleteModel("Kept")]
