"""Signals for the other apps; this app does not know who listens."""

from django.dispatch import Signal

# An account was made through an invitation: request, the name that was wanted, the name it got.
account_made = Signal()
