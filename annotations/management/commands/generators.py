"""`manage.py generators STUDY list|set|import`: release dates and families of a study's generators."""

from pathlib import Path

from django.core.management import CommandError

from annotations.management.command import StudyCommand
from annotations.models import Generator
from annotations.studies import generators


class Command(StudyCommand):
    help = "List the generators of a study, or set when they were released."

    def arguments(self, add) -> None:
        add.verb("list", "print all as a table, as import takes it")
        change = add.verb("set", "change one generator")
        change("name")
        change("--released", "a full date like 2024-10-05")
        change("--family")
        change("--note")
        add.verb("import", "change several by a table, all of it or nothing")("file", type=Path)

    def _list(self, study, given: dict) -> str:
        return "\n".join(generators.as_table(study).splitlines())

    def _set(self, study, given: dict) -> str:
        row = Generator.objects.filter(study=study, name=given["name"]).first()
        if row is None:
            raise CommandError(f"The study has no generator “{given['name']}”.")
        released = row.release_date.isoformat() if row.release_date else ""
        before = (released, row.family, row.note)
        after = (given["released"], given["family"], given["note"])
        values = [old if new is None else new for old, new in zip(before, after, strict=True)]
        changed = generators.change(study=study, given={row.pk: generators.TypedDetails(*values)})
        return f"{row.name} is changed." if changed else f"{row.name} is as it was."

    def _import(self, study, given: dict) -> str:
        changed = generators.import_table(study=study, path=given["file"])
        return f"{changed} generator{'s' * (changed != 1)} changed."
