from django.db import models


class Job(models.Model):
    """What the rows of every kind of background work have: a lease, and how often it was tried.

    `annotations.database.leases.WorkerLease` moves them; each kind adds its own `state`.
    """

    holder = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    # Counted when a worker takes it, so that a worker that is killed counts too.
    tries = models.PositiveSmallIntegerField(default=0)
    reason = models.TextField(blank=True, help_text="Why it was given up, in a sentence.")

    class Meta:
        abstract = True
