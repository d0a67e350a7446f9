import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judges", "0003_parts_of_prompts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ModelServer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("address", models.CharField(max_length=200)),
                ("model", models.CharField(max_length=200)),
                ("locked_key", models.TextField(blank=True)),
                (
                    "price_in",
                    models.FloatField(
                        blank=True, help_text="For a million tokens asked.", null=True
                    ),
                ),
                (
                    "price_out",
                    models.FloatField(
                        blank=True, help_text="For a million tokens told.", null=True
                    ),
                ),
                ("daily_budget", models.FloatField(blank=True, null=True)),
                ("added_at", models.DateTimeField(auto_now_add=True)),
                (
                    "trial",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="What came of asking it about a drawn picture.",
                    ),
                ),
                (
                    "added_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["address", "model"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("address", "model"), name="a_model_of_a_server_is_named_once"
                    )
                ],
            },
        ),
    ]
