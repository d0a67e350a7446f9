import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0009_known_answers"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PracticeAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("answers", models.JSONField()),
                ("expected", models.JSONField()),
                ("explanation", models.TextField(blank=True)),
                ("right", models.PositiveSmallIntegerField()),
                ("of", models.PositiveSmallIntegerField()),
                ("seen", models.BooleanField(default=False)),
                ("answered_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="PracticeTry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("round", models.PositiveSmallIntegerField()),
                ("number", models.PositiveSmallIntegerField()),
                ("images", models.JSONField(help_text="The images of this try, in their order.")),
                ("passed", models.BooleanField(blank=True, null=True)),
                ("started_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name_plural": "practice tries",
                "ordering": ["pk"],
            },
        ),
        migrations.AddField(
            model_name="invitation",
            name="screenout_code",
            field=models.CharField(
                blank=True,
                help_text="For workers who do not pass the practice round.",
                max_length=100,
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="screenout_url",
            field=models.URLField(blank=True, max_length=500),
        ),
        migrations.AddField(
            model_name="membership",
            name="practice_more",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="membership",
            name="practice_passed",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="study",
            name="fastest_seconds",
            field=models.FloatField(
                default=0,
                help_text="An answer that took less is marked as too fast; 0: none is.",
                validators=[
                    django.core.validators.MinValueValidator(0),
                    django.core.validators.MaxValueValidator(600),
                ],
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="practice_images",
            field=models.PositiveSmallIntegerField(
                default=0,
                help_text="How many images with known answers a person practises with first; 0: none.",
                validators=[django.core.validators.MaxValueValidator(50)],
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="practice_pass",
            field=models.PositiveSmallIntegerField(
                default=80,
                help_text="Percent of the practice answers that must be right.",
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(100),
                ],
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="practice_round",
            field=models.PositiveSmallIntegerField(
                default=1, help_text="Raised to ask everybody to practise again."
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="practice_tries",
            field=models.PositiveSmallIntegerField(
                default=2,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(20),
                ],
            ),
        ),
        migrations.AddConstraint(
            model_name="study",
            constraint=models.CheckConstraint(
                condition=models.Q(("practice_pass__range", (1, 100))),
                name="the_pass_mark_is_a_percentage",
            ),
        ),
        migrations.AddConstraint(
            model_name="study",
            constraint=models.CheckConstraint(
                condition=models.Q(("fastest_seconds__gte", 0)),
                name="no_answer_takes_less_than_no_time",
            ),
        ),
        migrations.AddField(
            model_name="practiceanswer",
            name="form",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="annotations.formversion",
            ),
        ),
        migrations.AddField(
            model_name="practiceanswer",
            name="image",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="annotations.image",
            ),
        ),
        migrations.AddField(
            model_name="practicetry",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="practice",
                to="annotations.membership",
            ),
        ),
        migrations.AddField(
            model_name="practiceanswer",
            name="attempt",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="answers",
                to="annotations.practicetry",
            ),
        ),
        migrations.AddConstraint(
            model_name="practicetry",
            constraint=models.UniqueConstraint(
                fields=("annotator", "round", "number"), name="tries_of_a_round_are_numbered_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="practicetry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at__isnull", True)),
                fields=("annotator",),
                name="one_practice_try_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="practicetry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended_at__isnull", True), ("passed__isnull", True)),
                    models.Q(("ended_at__isnull", False), ("passed__isnull", False)),
                    _connector="OR",
                ),
                name="a_try_that_ended_was_passed_or_not",
            ),
        ),
        migrations.AddConstraint(
            model_name="practiceanswer",
            constraint=models.UniqueConstraint(
                fields=("attempt", "image"), name="an_image_is_practised_once_in_a_try"
            ),
        ),
        migrations.AddConstraint(
            model_name="practiceanswer",
            constraint=models.CheckConstraint(
                condition=models.Q(("right__lte", models.F("of"))),
                name="no_more_right_than_there_were",
            ),
        ),
    ]
