"""Signals for the other apps; this app does not know who listens."""

from django.dispatch import Signal

# An account was made through an invitation: request, the name that was wanted, the name it got.
account_made = Signal()

# People of a study have other names from now on, in the same transaction: study_id, and names: what
# they were called -> what stands there from now on.
people_renamed = Signal()
# All that is kept about an account is told: user. Listeners answer with what they keep, by its name.
account_told = Signal()
# An account goes, in the same transaction: user.
account_erased = Signal()
