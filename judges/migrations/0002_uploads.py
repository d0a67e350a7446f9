# Files that were sent, until a worker has brought them in.

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0001_studies_labels"),
        ("judges", "0001_judges_runs_scores"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("study", "prompts, images and what lies with them"),
                            ("labels", "labels"),
                            ("scores", "scores"),
                        ],
                        default="study",
                        max_length=8,
                    ),
                ),
                ("format", models.CharField(max_length=40)),
                ("name", models.CharField(help_text="What the file was called.", max_length=200)),
                (
                    "file",
                    models.CharField(
                        blank=True, help_text="Where it waits; empty after.", max_length=200
                    ),
                ),
                ("generator", models.CharField(blank=True, max_length=200)),
                ("judge", models.CharField(blank=True, max_length=120)),
                ("dry_run", models.BooleanField(default=False)),
                ("strict", models.BooleanField(default=False)),
                ("key", models.CharField(blank=True, max_length=80)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting for a worker"),
                            ("working", "being read"),
                            ("done", "done"),
                            ("refused", "refused"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                (
                    "read",
                    models.PositiveIntegerField(default=0, help_text="Rows that were read so far."),
                ),
                ("outcome", models.JSONField(blank=True, default=dict)),
                ("reason", models.TextField(blank=True)),
                ("holder", models.CharField(blank=True, max_length=32)),
                ("leased_until", models.DateTimeField(blank=True, null=True)),
                ("deaths", models.PositiveSmallIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
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
                        related_name="uploads",
                        to="annotations.study",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("key", ""), _negated=True),
                        fields=("study", "key"),
                        name="a_key_stands_for_one_upload_of_a_study",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "refused"), _negated=True),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="a_refused_upload_says_why",
                    ),
                ],
            },
        ),
    ]
