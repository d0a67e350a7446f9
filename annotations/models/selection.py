from django.db import models

from annotations.models.image import Image
from annotations.models.study import Study, optional_account


class Selection(models.Model):
    """Images that somebody chose, under a name. `Study.first` names the one that is labelled first."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="selections")
    name = models.CharField(max_length=200)
    made_by = optional_account()
    made_at = models.DateTimeField(auto_now_add=True)
    images = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["study", "-pk"]

    def __str__(self) -> str:
        return self.name


class SelectedImage(models.Model):
    # No index of its own: the first one below begins with it.
    selection = models.ForeignKey(
        Selection, on_delete=models.CASCADE, related_name="members", db_index=False
    )
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="selected")
    # Drawn, so that the order in which people get them tells nothing.
    place = models.PositiveIntegerField()

    class Meta:
        ordering = ["selection", "place"]
        constraints = [
            models.UniqueConstraint(
                fields=["selection", "image"], name="an_image_is_in_a_selection_once"
            )
        ]
        indexes = [models.Index(fields=["selection", "place", "image"], name="selected_by_place")]

    def __str__(self) -> str:
        return f"{self.image} in {self.selection}"
