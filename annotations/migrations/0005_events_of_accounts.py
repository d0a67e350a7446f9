import importlib

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

earlier = importlib.import_module("annotations.migrations.0004_events")


def protect_again(apps, editor):
    """SQLite changes a column by making the table anew, and loses the trigger on the way."""
    if editor.connection.vendor == "sqlite":
        editor.execute("DROP TRIGGER IF EXISTS an_event_stays")
        earlier.protect(apps, editor)


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0004_events"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RateCount",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("used_until", models.FloatField(db_index=True)),
            ],
            options={"ordering": ["key"]},
        ),
        migrations.AddField(
            model_name="event",
            name="account",
            field=models.ForeignKey(
                blank=True,
                help_text="Whose account it is about.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="event",
            name="study",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="events",
                to="annotations.study",
            ),
        ),
        migrations.RunPython(protect_again, protect_again),
    ]
