import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0002_open_images_and_walks"),
    ]

    operations = [
        migrations.CreateModel(
            name="Flag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("broken", "The image is broken or does not show"),
                            ("disturbing", "The image is disturbing or not safe for work"),
                            ("prompt", "The prompt makes no sense"),
                            ("form", "The questions do not fit this image"),
                            ("other", "Something else"),
                        ],
                        max_length=12,
                    ),
                ),
                ("note", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="flags",
                        to="annotations.membership",
                    ),
                ),
                (
                    "image",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="flags",
                        to="annotations.image",
                    ),
                ),
            ],
            options={
                "ordering": ["image", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("image", "annotator"), name="one_flag_per_person_and_image"
                    )
                ],
            },
        ),
    ]
