from django.db import models


class RateCount(models.Model):
    """How much of an allowance is used up, by a hash of whose it is: `annotations.rates`."""

    key = models.CharField(max_length=64, primary_key=True)
    # Seconds since 1970, UTC: when all of the allowance is there again.
    used_until = models.FloatField(db_index=True)

    class Meta:
        ordering = ["key"]

    def __str__(self) -> str:
        return f"{self.key} until {self.used_until:.0f}"
