"""What is remembered of requests for a while."""

from datetime import timedelta

from django.conf import settings
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


class KeptAnswer(models.Model):
    """What the API answered to a request with a key: `annotations.api.once`."""

    KEPT = timedelta(hours=24)

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    # Hashes, of the key and of the request that came with it.
    key = models.CharField(max_length=64)
    request = models.CharField(max_length=64)
    # 0 until the request is carried out, which no other transaction ever sees.
    status = models.PositiveSmallIntegerField(default=0)
    body = models.TextField(default="")
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="one_answer_per_person_and_key")
        ]

    def __str__(self) -> str:
        return f"{self.status} for {self.user_id} at {self.created_at:%F %T}"
