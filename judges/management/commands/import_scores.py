"""`manage.py import_scores STUDY FILE`: scores into an existing study."""

from judges.intake import bring_in
from judges.management.imports import IntoStudy


class Command(IntoStudy):
    help = "Import scores into an existing study."
    importer = staticmethod(bring_in.import_scores)
