from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils.translation import gettext_lazy

from annotations.models.prompt import Prompt
from annotations.models.study import Study
from annotations.random_keys import new_public_id


class Generator(models.Model):
    """A text-to-image model as one study knows it."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="generators")
    name = models.CharField(max_length=200)
    release_date = models.DateField(null=True, blank=True)
    family = models.CharField(max_length=200, blank=True)
    note = models.TextField(blank=True)
    # Changes with the images: counting a million takes a page too long.
    image_count = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["study", F("release_date").asc(nulls_last=True), "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"], name="a_name_stands_for_one_generator_of_a_study"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Images(models.Manager["Image"]):
    """Whoever makes images counts them."""

    def bulk_create(self, objs: Iterable["Image"], *args: Any, **kwargs: Any) -> list["Image"]:
        with transaction.atomic():
            made = super().bulk_create(objs, *args, **kwargs)
            count_images(Counter(image.generator_id for image in made))
        return made


class Image(models.Model):
    """One picture of one prompt by one generator. Annotators only see `public_id`, in pages,
    addresses and downloads. The file's name tells nothing (`annotations.pictures.store`)."""

    class Variant(models.TextChoices):
        ORIGINAL = "original", gettext_lazy("original prompt")
        REWRITTEN = "rewritten", gettext_lazy("rewritten prompt")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="images")
    prompt = models.ForeignKey(Prompt, on_delete=models.CASCADE, related_name="images")
    generator = models.ForeignKey(Generator, on_delete=models.CASCADE, related_name="images")
    key = models.CharField(max_length=200)
    public_id = models.CharField(max_length=22, unique=True, default=new_public_id, editable=False)
    variant = models.CharField(max_length=10, choices=Variant, default=Variant.ORIGINAL)
    sample = models.PositiveIntegerField(default=0)
    file = models.CharField(max_length=120, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    # The position in the labelling order, and how many places of the study's overlap are taken, by
    # answers and by leases.
    place = models.PositiveIntegerField(default=0)
    taken = models.PositiveSmallIntegerField(default=0)
    # Known answers, `{question: value}`, of a gold image: shows who pays attention. Everybody gets
    # these images, so the overlap does not apply.
    gold = models.JSONField(null=True, blank=True)

    objects = Images()

    class Meta:
        ordering = ["study", "key"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "key"], name="a_key_stands_for_one_image_of_a_study"
            ),
            models.CheckConstraint(
                condition=Q(file="", sha256="")
                | ~Q(file="") & ~Q(sha256="") & Q(width__gt=0) & Q(height__gt=0),
                name="an_image_file_has_a_hash_and_a_size",
            ),
        ]
        # For finding open images without reading the finished ones.
        indexes = [
            models.Index(
                fields=["generator", "taken", "place", "id"],
                condition=~Q(file="") & Q(gold__isnull=True),
                name="open_image_by_generator",
            ),
            models.Index(
                fields=["study", "taken"],
                condition=~Q(file="") & Q(gold__isnull=True),
                name="open_image_by_study",
            ),
            models.Index(
                fields=["study"],
                condition=Q(gold__isnull=False),
                name="gold_image_of_study",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    def save(self, *args: Any, **kwargs: Any) -> None:
        new = self._state.adding
        with transaction.atomic():
            super().save(*args, **kwargs)
            if new:
                count_images({self.generator_id: 1})


@receiver(post_delete, sender=Image)
def _deleted(sender: type[Image], instance: Image, **kwargs: Any) -> None:
    count_images({instance.generator_id: -1})


def count_images(more: Mapping[int, int]) -> None:
    """In the order of their keys, so that two transactions never wait for each other."""
    for generator, count in sorted(more.items()):
        Generator.objects.filter(pk=generator).update(image_count=F("image_count") + count)
