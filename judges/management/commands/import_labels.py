"""`manage.py import_labels STUDY FILE`: labels of a study that is there."""

from judges.intake import bring_in as sources
from judges.management.imports import IntoStudy


class Command(IntoStudy):
    help = "Bring labels into a study that is there."
    verb = staticmethod(sources.import_labels)
