from django.conf import settings
from django.db import models

from annotations.models.people import Membership
from annotations.models.study import Study, optional_account


class EventsStay(models.QuerySet):
    def update(self, **values):
        raise TypeError("An event is written once; write another one.")

    def delete(self):
        raise TypeError("An event is never removed by itself, only with its study.")


class Event(models.Model):
    """Somebody changed, removed, exported or decided something. Never changed afterwards; a
    trigger in the database refuses it, too (see the migration).

    `words` holds no names of people: `by`, `about` and `account` are keys, so that an erased person is erased
    here as well.
    """

    # None: of the installation (log-ins, tokens, accounts, deleted studies), shown to its
    # superusers.
    study = models.ForeignKey(
        Study, null=True, blank=True, on_delete=models.CASCADE, related_name="events"
    )
    at = models.DateTimeField(auto_now_add=True)
    by = optional_account()
    by_command = models.BooleanField(default=False, help_text="On the server's own command line.")
    did = models.CharField(max_length=40)
    words = models.CharField(max_length=500)
    about = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="Whose account it is about.",
    )

    objects = EventsStay.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["study", "-id"], name="event_by_study")]

    def __str__(self) -> str:
        return f"{self.did}: {self.words}"

    def save(self, *args, **kwargs) -> None:
        if self.pk is not None:
            raise TypeError("An event is written once; write another one.")
        super().save(*args, **kwargs)
