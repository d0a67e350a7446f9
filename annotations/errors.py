"""Refusals, each with a message for the person on the screen and an HTTP status.

Refused                the base class (400)
├── NotYours           this person may not see or do this (403)
├── LabelRefused       the answer was not saved (409)
├── FormRefused        the form cannot be used; one sentence for each mistake (422)
├── StudyRefused       the study or its people cannot be changed like this (409)
└── ImportRefused      nothing was imported (422)
"""


class Refused(Exception):
    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotYours(Refused):
    status = 403


class LabelRefused(Refused):
    status = 409


class FormRefused(Refused):
    status = 422

    def __init__(self, wrong: list[str]) -> None:
        super().__init__(" ".join(wrong))
        self.wrong = wrong


class StudyRefused(Refused):
    status = 409


class ImportRefused(Refused):
    status = 422
