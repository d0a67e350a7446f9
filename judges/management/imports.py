"""What the three import commands share: their flags, their outcome, their exit status."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.management import progress
from annotations.models import Study
from annotations.outcome import Outcome


class ImportCommand(BaseCommand):
    def add_flags(self, parser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="report, write nothing")
        parser.add_argument(
            "--strict", action="store_true", help="take every row or none, and end with status 1"
        )
        parser.add_argument("--json", action="store_true", help="print the outcome as one object")

    def carry_out(self, verb, *, dry_run: bool, strict: bool, **given) -> Outcome:
        try:
            with progress.bar() as told:
                return verb(dry_run=dry_run, strict=strict, progress=told, **given)
        except Refused as refusal:
            raise CommandError(refusal.message) from None

    def show(self, outcome: Outcome, *, as_json: bool, strict: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(outcome.as_json(), ensure_ascii=False))
        else:
            self.stdout.write(outcome.as_text())
        if strict and outcome.rejected_in_all:
            raise CommandError(
                f"{outcome.rejected_in_all} rows were refused; nothing was imported."
            )


def study_or_error(slug: str) -> Study:
    try:
        return Study.objects.get(slug=slug)
    except Study.DoesNotExist:
        raise CommandError(f"There is no study “{slug}”.") from None
