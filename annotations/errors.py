"""Refusals, each with a message for the person on the screen and an HTTP status.

Refused                the base class (400)
├── NotYours           this person may not see or do this (403)
├── TooOften           too many requests of one kind; the sentence says how long to wait (429)
├── LabelRefused       the answer was not saved (409)
├── FormRefused        the form cannot be used; one sentence for each mistake (422)
├── StudyRefused       the study or its people cannot be changed like this (409)
│   └── TableRefused   nothing of a table was taken; one sentence for each mistake (422)
└── ImportRefused      nothing was imported (422)

What each `code` means to programs stands in `annotations.api.problems`.
"""

from jurybox_formats.sources.errors import FormRefused, ImportRefused, Refused, without_folders

__all__ = [
    "FormRefused",
    "ImportRefused",
    "LabelRefused",
    "NotYours",
    "Refused",
    "StudyRefused",
    "TableRefused",
    "TooOften",
    "without_folders",
]

NAMED = 20  # mistakes of a table


class NotYours(Refused):
    status = 403
    code = "not-yours"


class TooOften(Refused):
    status = 429
    code = "too-often"

    def __init__(self, seconds: int, what: str = "This was done too often.") -> None:
        wait = f"{seconds} seconds" if seconds < 100 else f"{round(seconds / 60)} minutes"
        super().__init__(f"{what} Wait {wait}, then try again.")
        self.seconds = seconds


class LabelRefused(Refused):
    status = 409
    code = "label"


class StudyRefused(Refused):
    status = 409
    code = "study"


class TableRefused(StudyRefused):
    status = 422

    def __init__(self, wrong: list[str]) -> None:
        more = [f"… and {len(wrong) - NAMED} more."] if len(wrong) > NAMED else []
        self.wrong = wrong[:NAMED] + more
        super().__init__("Nothing was imported. " + " ".join(self.wrong))
