"""Signals for the other apps; this app does not know who listens."""

from django.db import transaction
from django.dispatch import Signal

# Labels of a study were written, corrected or taken back: study_id.
labels_changed = Signal()

# Asked when figures about labels are shown again, and before they are counted: study_id. The listener
# answers with a text that differs once labels have changed since the last counting.
labels_version = Signal()
labels_are_counted = Signal()
# Asked when old figures are shown: study_id. The listener answers whether they will soon be counted.
figures_are_behind = Signal()

# The same for votes on pairs, which change nothing about labels: study_id.
pair_votes_changed = Signal()
pair_votes_version = Signal()
pair_votes_are_counted = Signal()

# An account was made through an invitation: request, the name that was wanted, the name it got.
account_made = Signal()

# People of a study have other names from now on, in the same transaction: study_id.
people_renamed = Signal()


def announce_label_change(study_id: int) -> None:
    """Sent when the transaction is committed; never if it is rolled back."""
    transaction.on_commit(lambda: labels_changed.send(sender=None, study_id=study_id))


def announce_vote_change(study_id: int) -> None:
    """The same for votes on pairs."""
    transaction.on_commit(lambda: pair_votes_changed.send(sender=None, study_id=study_id))
