"""Each generator knows how many images it has, and known answers have an index with and without files."""

from django.db import migrations, models
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce


def count(apps, schema_editor):
    Generator = apps.get_model("annotations", "Generator")
    Image = apps.get_model("annotations", "Image")
    own = (
        Image.objects.filter(generator=OuterRef("pk"))
        .order_by()
        .values("generator")
        .annotate(n=Count("pk"))
        .values("n")
    )
    Generator.objects.update(image_count=Coalesce(Subquery(own), 0))


class Migration(migrations.Migration):
    dependencies = [("annotations", "0020_pairs")]

    operations = [
        migrations.AddField(
            model_name="generator",
            name="image_count",
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.RunPython(count, migrations.RunPython.noop),
        migrations.RemoveIndex(model_name="image", name="gold_image_of_study"),
        migrations.AddIndex(
            model_name="image",
            index=models.Index(
                fields=["study"], condition=Q(gold__isnull=False), name="gold_image_of_study"
            ),
        ),
    ]
