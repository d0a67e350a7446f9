from django.db import migrations, models
from django.db.models import Max, Min


def keep_units(apps, schema_editor):
    """Imported scores from 0 to 1 were shown in points so far, and go on to be."""
    runs = apps.get_model("judges", "Run").objects.filter(judge__method="imported")
    for pk in runs.order_by().values_list("pk", flat=True):
        # Both ends stand in an index.
        scores = apps.get_model("judges", "Score").objects.filter(run=pk)
        ends = scores.aggregate(least=Min("value"), most=Max("value"))
        if ends["least"] is not None and ends["least"] >= 0 and ends["most"] <= 1:
            runs.filter(pk=pk).update(in_peoples_unit=True)


class Migration(migrations.Migration):
    dependencies = [("judges", "0007_cards")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="in_peoples_unit",
            field=models.BooleanField(
                blank=True,
                help_text="Whether a score is a share of yes, as a recipe or the person who imported it says.",
                null=True,
            ),
        ),
        migrations.RunPython(keep_units, migrations.RunPython.noop),
    ]
