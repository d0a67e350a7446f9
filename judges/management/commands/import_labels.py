"""`manage.py import_labels STUDY FILE`: labels into an existing study."""

from judges.intake import bring_in
from judges.management.imports import IntoStudy


class Command(IntoStudy):
    help = "Import labels into an existing study."
    importer = staticmethod(bring_in.import_labels)
