from django.conf import settings
from django.db import models

from annotations.models.image import Image


class KnownAnswer(models.Model):
    """Who set the known answers of an image, and why they are right.

    The answers themselves are `Image.gold`: the indexes by which people get images need them there.
    """

    image = models.OneToOneField(Image, on_delete=models.CASCADE, related_name="known")
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    set_at = models.DateTimeField(auto_now=True)
    explanation = models.TextField(blank=True, help_text="Shown in a practice round.")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.image}: known"
