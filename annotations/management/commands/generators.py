"""`manage.py generators STUDY list|set|import`: release dates and families of a study's generators."""

from __future__ import annotations

from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.models import Generator, Study
from annotations.studies import generators


class Command(BaseCommand):
    help = "List the generators of a study, or set when they were released."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="the study's short name")
        verbs = parser.add_subparsers(dest="verb", required=True)
        verbs.add_parser("list", help="print all as a table, as import takes it")
        change = verbs.add_parser("set", help="change one generator")
        change.add_argument("name")
        change.add_argument("--released", help="a full date like 2024-10-05")
        change.add_argument("--family")
        change.add_argument("--note")
        take = verbs.add_parser("import", help="change several by a table, all of it or nothing")
        take.add_argument("file", type=Path)

    def handle(self, *, study, verb, **given) -> None:
        try:
            place = Study.objects.get(slug=study)
        except Study.DoesNotExist:
            raise CommandError(f"There is no study “{study}”.") from None
        try:
            self.stdout.write(getattr(self, f"_{verb}")(place, given))
        except Refused as refusal:
            raise CommandError(refusal.message) from None

    def _list(self, study: Study, given: dict) -> str:
        return "\n".join(generators.as_table(study).splitlines())

    def _set(self, study: Study, given: dict) -> str:
        row = Generator.objects.filter(study=study, name=given["name"]).first()
        if row is None:
            raise CommandError(f"The study has no generator “{given['name']}”.")
        released = row.release_date.isoformat() if row.release_date else ""
        before = (released, row.family, row.note)
        after = (given["released"], given["family"], given["note"])
        values = [old if new is None else new for old, new in zip(before, after, strict=True)]
        changed = generators.change(study=study, given={row.pk: generators.Given(*values)})
        return f"{row.name} is changed." if changed else f"{row.name} is as it was."

    def _import(self, study: Study, given: dict) -> str:
        changed = generators.import_table(study=study, path=given["file"])
        return f"{changed} generator{'s' * (changed != 1)} changed."
