"""What other apps may want to know. Nobody here knows who listens."""

from django.dispatch import Signal

# Labels of a study were written, corrected or taken back: study_id.
labels_changed = Signal()
