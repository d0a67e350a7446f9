from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("annotations", "0004_label_versions_and_stored_answers")]
    operations = [migrations.DeleteModel("Kept")]
