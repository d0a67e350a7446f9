"""The console script: every command of `manage.py`, from wherever Jurybox is installed."""

from __future__ import annotations

import os
import sys

# What people type first, and the command that does it.
SHORT = {"import": "import_study"}


def main(arguments: list[str] | None = None) -> None:
    given = sys.argv[1:] if arguments is None else arguments
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")
    from django.core.management import execute_from_command_line

    name, rest = given[:1], given[1:]
    execute_from_command_line(["jurybox", *(SHORT.get(word, word) for word in name), *rest])
