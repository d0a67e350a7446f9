"""Refusals, each with sentences for a person: those of forms, and of files that are imported."""

import re

# An absolute path: where a worker has its files is nobody's business, the file's name is.
_FOLDERS = re.compile(r"(?<![\w.:/-])(?:/[\w.+@~-]+)+/(?=[\w.+@~-]*)")


def without_folders(words: str) -> str:
    """The same words, of each absolute path the last part."""
    return _FOLDERS.sub("", words)


class Refused(Exception):
    status = 400  # of HTTP, for whoever answers a request
    code = "refused"  # for programs

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class FormRefused(Refused):
    """The form cannot be used; one sentence for each mistake."""

    status = 422
    code = "form"

    def __init__(self, wrong: list[str]) -> None:
        super().__init__(" ".join(wrong))
        self.wrong = wrong


class ImportRefused(Refused):
    """Nothing was imported."""

    status = 422
    code = "import"
