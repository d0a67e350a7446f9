from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy

from annotations.models.study import Study


class Retention(models.Model):
    """What is done with a study so many days after it has closed: `annotations.studies.retention`.

    A row for each study that was ever closed or has a rule. Not in the row of the study, which is
    read with every answer.
    """

    class Rule(models.TextChoices):
        KEEP = "keep", gettext_lazy("keep everything")
        PSEUDONYMISE = "pseudonymise", gettext_lazy("names become pseudonyms")
        FORGET = "forget", gettext_lazy("delete who people were")
        DELETE = "delete", gettext_lazy("delete the study")

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="retention")
    rule = models.CharField(max_length=12, choices=Rule, default=Rule.KEEP)
    days = models.PositiveIntegerField(
        default=365, validators=[MinValueValidator(1), MaxValueValidator(36500)]
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["study"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(rule="keep") | models.Q(decided_at__isnull=False),
                name="a_rule_was_decided_some_day",
            ),
            models.CheckConstraint(condition=models.Q(days__gte=1), name="a_day_at_least"),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.get_rule_display()} after {self.days} days"
