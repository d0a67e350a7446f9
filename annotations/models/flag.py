from django.db import models
from django.utils.translation import gettext_lazy

from annotations.models.image import Image
from annotations.models.people import Membership
from annotations.models.study import optional_account


class Flag(models.Model):
    """A person reports that something is wrong with an image. Answers are not affected."""

    class Reason(models.TextChoices):
        BROKEN = "broken", gettext_lazy("The image is broken or does not show")
        DISTURBING = "disturbing", gettext_lazy("The image is disturbing or not safe for work")
        PROMPT = "prompt", gettext_lazy("The prompt makes no sense")
        FORM = "form", gettext_lazy("The questions do not fit this image")
        OTHER = "other", gettext_lazy("Something else")

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="flags")
    annotator = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="flags")
    reason = models.CharField(max_length=12, choices=Reason)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    # Written by the owner when it is settled.
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = optional_account()
    remark = models.TextField(blank=True)

    class Meta:
        ordering = ["image", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["image", "annotator"], name="one_flag_per_person_and_image"
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.image}: {self.get_reason_display()}"
