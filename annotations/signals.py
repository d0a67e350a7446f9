"""Signals for the other apps; this app does not know who listens."""

from importlib import import_module
from typing import Any

from django.dispatch import Signal

# An account was made through an invitation: request, the name that was wanted, the name it got.
account_made = Signal()

# People of a study have other names from now on, in the same transaction: study_id, and names: what
# they were called -> what stands there from now on.
people_renamed = Signal()
# A person wants to see all that is kept about their account: user. Listeners answer with what they
# keep, by its name.
account_told = Signal()
# An account goes, in the same transaction: user.
account_erased = Signal()
# A stored answer waits for a worker: job. Workers find it without, a little later.
answer_requested = Signal()


def connect_later(signal: Signal, place: str, *, sender: Any = None) -> None:
    """`place` is module:function; `sender` may be a model's name. The module is imported once the signal is sent: a program that starts
    loads nothing for what may never happen."""
    module, _, name = place.partition(":")

    def receive(**given: Any) -> Any:
        return getattr(import_module(module), name)(**given)

    signal.connect(receive, sender=sender, weak=False, dispatch_uid=place)
