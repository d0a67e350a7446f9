"""What other apps may want to know; this app does not know who listens."""

from django.dispatch import Signal

# Scores of a study were written: study_id, and whether its run has ended.
scores_changed = Signal()
