import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0003_job"),
        ("judges", "0002_checks_are_jobs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PartsVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "source",
                    models.CharField(help_text="The grammar, or a server's model.", max_length=200),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("frozen_at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts_versions",
                        to="annotations.study",
                    ),
                ),
            ],
            options={
                "ordering": ["study", "number"],
            },
        ),
        migrations.CreateModel(
            name="PromptParts",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("parts", models.JSONField(default=list)),
                (
                    "hints",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Things that a person may mend."
                    ),
                ),
                ("is_checked", models.BooleanField(default=False)),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="annotations.prompt",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="prompts",
                        to="judges.partsversion",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "parts of prompts",
                "ordering": ["version", "prompt"],
            },
        ),
        migrations.AddConstraint(
            model_name="partsversion",
            constraint=models.UniqueConstraint(
                fields=("study", "number"), name="versions_of_parts_are_numbered_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="partsversion",
            constraint=models.UniqueConstraint(
                condition=models.Q(("frozen_at__isnull", True)),
                fields=("study",),
                name="one_draft_of_parts_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="promptparts",
            constraint=models.UniqueConstraint(
                fields=("version", "prompt"), name="a_prompt_stands_once_in_a_version_of_parts"
            ),
        ),
    ]
