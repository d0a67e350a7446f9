"""`manage.py import_scores STUDY FILE`: scores of a study that is there."""

from judges.intake import bring_in as sources
from judges.management.imports import IntoStudy


class Command(IntoStudy):
    help = "Bring scores into a study that is there."
    verb = staticmethod(sources.import_scores)
