"""The option `--option k=v` of the commands that take a judge."""

from __future__ import annotations

from typing import Any

from django.core.management import CommandError

from annotations.management.command import Arguments
from jurybox_judging.registry import from_text


def add_option(add: Arguments, help: str | None = None) -> None:
    add.many("--option", help, metavar="k=v")


def options_of(judge: str, given: list[str]) -> Any:
    options = {}
    for pair in given:
        key, equals, text = pair.partition("=")
        if not key or not equals:
            raise CommandError(f"--option takes k=v, not “{pair}”.")
        options[key] = text
    return from_text(judge, options)
