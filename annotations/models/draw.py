from django.db import models
from django.db.models import Q

from annotations.models.image import Image
from annotations.models.selection import Selection
from annotations.models.study import Study, optional_account


class Draw(models.Model):
    """Images drawn at random for people to label next, each with a known chance."""

    class DrawRule(models.TextChoices):
        UNIFORM = "uniform", "the same chance for every image"
        UNCERTAINTY = "uncertainty", "more often where judges are unsure"
        ESCALATION = "escalation", "first where a judge may not be trusted"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="draws")
    by = models.CharField(max_length=12, choices=DrawRule)
    count = models.PositiveIntegerField(help_text="How many images were drawn.")
    seed = models.BigIntegerField()
    # What people are given: the images drawn, and those of earlier draws that still want labels.
    selection = models.ForeignKey(
        Selection, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_by = optional_account()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "pk"]

    def __str__(self) -> str:
        return f"{self.count} images, {self.get_by_display()}"


class DrawnImage(models.Model):
    """One image that could be drawn, with its chance as it was then, and whether it was drawn.

    An image that had labels before the first draw is certain (chance 1) without being drawn.
    """

    # No index of its own: the constraint below begins with it.
    draw = models.ForeignKey(Draw, on_delete=models.CASCADE, related_name="images", db_index=False)
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="+")
    chance = models.FloatField()
    drawn = models.BooleanField(default=False)

    class Meta:
        ordering = ["draw", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["draw", "image"], name="an_image_has_one_chance_in_a_draw"
            ),
            models.CheckConstraint(
                condition=Q(chance__gt=0, chance__lte=1), name="a_chance_is_above_0_and_at_most_1"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.image}: {self.chance:.4g}"


class AnchorSet(models.Model):
    """Images drawn once and kept, to be judged again later: each image had the same chance. A set never
    changes; a study may have several, one after another."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="anchor_sets")
    count = models.PositiveIntegerField(help_text="How many images were drawn.")
    of = models.PositiveIntegerField(help_text="How many images could be drawn.")
    seed = models.BigIntegerField()
    made_by = optional_account()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "pk"]

    def __str__(self) -> str:
        return f"{self.count} anchors of {self.made_at:%Y-%m-%d}"


class AnchorImage(models.Model):
    # No index of its own: the constraint below begins with it.
    anchors = models.ForeignKey(
        AnchorSet, on_delete=models.CASCADE, related_name="images", db_index=False
    )
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64, help_text="Of the stored picture, as judges get it.")

    class Meta:
        ordering = ["anchors", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["anchors", "image"], name="an_image_is_an_anchor_of_a_set_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.image} in {self.anchors}"


class AnchorRound(models.Model):
    """Anchors that people label once more, in a study of its own: what they answer there counts
    nowhere else. Its images have the keys of the anchors."""

    class Wording(models.TextChoices):
        THEN = "then", "the words of then"
        NOW = "now", "the words of now"

    anchors = models.ForeignKey(AnchorSet, on_delete=models.CASCADE, related_name="rounds")
    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="asks_again")
    words = models.CharField(max_length=4, choices=Wording)
    made_by = optional_account()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["anchors", "pk"]

    def __str__(self) -> str:
        return f"{self.anchors}, asked in {self.get_words_display()}"
