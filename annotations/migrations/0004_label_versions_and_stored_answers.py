import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0003_job"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="LabelVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "labels",
                    models.PositiveBigIntegerField(
                        default=0, help_text="Of labels and judges' scores."
                    ),
                ),
                (
                    "labels_read",
                    models.PositiveBigIntegerField(default=0, help_text="The newest read so far."),
                ),
                (
                    "votes",
                    models.PositiveBigIntegerField(default=0, help_text="Of votes on pairs."),
                ),
                ("votes_read", models.PositiveBigIntegerField(default=0)),
                (
                    "study",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="label_version",
                        to="annotations.study",
                    ),
                ),
            ],
            options={
                "ordering": ["study"],
            },
        ),
        migrations.CreateModel(
            name="StoredAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("holder", models.CharField(blank=True, max_length=32)),
                ("leased_until", models.DateTimeField(blank=True, null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                (
                    "reason",
                    models.TextField(blank=True, help_text="Why it was given up, in a sentence."),
                ),
                ("question", models.CharField(max_length=40)),
                ("parameters", models.JSONField(default=dict)),
                ("key", models.CharField(help_text="A hash of the parameters.", max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("ready", "ready"),
                            ("waiting", "waiting for a worker"),
                            ("working", "being computed"),
                            ("refused", "refused"),
                            ("given up", "given up"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("requested_at", models.DateTimeField()),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("content", models.TextField(blank=True)),
                ("keys", models.BinaryField(default=b"", help_text="Whole numbers of 64 bits.")),
                (
                    "stamp",
                    models.TextField(
                        blank=True, help_text="The versions of the data that it was read from."
                    ),
                ),
                ("seconds", models.FloatField(default=0)),
                ("computed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "requested_by",
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
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stored_answers",
                        to="annotations.study",
                    ),
                ),
            ],
            options={
                "ordering": ["study", "question", "-requested_at"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["waiting", "working", "given up"])),
                        fields=["state", "study"],
                        name="answer_in_hand",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "question", "key"), name="a_question_has_one_stored_answer"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ["refused", "given up"]), _negated=True),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="an_answer_that_is_not_computed_says_why",
                    ),
                ],
            },
        ),
    ]
