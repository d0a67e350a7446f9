from django.conf import settings
from django.db import models
from django.db.models import Q

from annotations.models.image import Image
from annotations.models.prompt import Atom


class Decision(models.Model):
    """The owner's decision about a question that people answered differently, with the reason. The
    people's own answers stay; the consensus "adjudicated" uses the decision instead."""

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="decisions")
    question = models.CharField(max_length=80)
    atom = models.ForeignKey(
        Atom, null=True, blank=True, on_delete=models.RESTRICT, related_name="decisions"
    )
    value = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True)
    note = models.TextField(blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["image", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["image", "question"],
                condition=Q(atom__isnull=True),
                name="one_decision_per_question",
            ),
            models.UniqueConstraint(
                fields=["image", "question", "atom"],
                condition=Q(atom__isnull=False),
                name="one_decision_per_question_and_atom",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(text=""),
                name="a_decision_is_a_number_or_a_text",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.image}: {self.question} = {self.text or self.value}"
