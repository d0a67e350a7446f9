"""`manage.py export_lake FOLDER`: studies as Parquet by month, with a manifest of hashes."""

from __future__ import annotations

from pathlib import Path

from django.core.management import BaseCommand, CommandError
from tqdm import tqdm

from annotations import event_log
from annotations.errors import Refused
from annotations.exports import pseudonyms
from annotations.models import Study
from audit.lake.write import write_study
from judges.management.imports import study_or_error


class Command(BaseCommand):
    help = (
        "Write studies as Parquet that report --lake, DuckDB and others read; again: what changed."
    )

    def add_arguments(self, parser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("studies", nargs="*", metavar="STUDY", help="all, if none is named")
        parser.add_argument("--pseudonyms", choices=pseudonyms.RULES, default=pseudonyms.RULES[0])

    def handle(self, *, folder, studies, pseudonyms, **options) -> None:
        chosen = [study_or_error(slug) for slug in studies] or list(Study.objects.all())
        for study in chosen:
            with tqdm(unit=" rows", desc=study.slug, disable=None, leave=False) as bar:
                try:
                    written = write_study(study, folder, people=pseudonyms, step=bar.update)
                except Refused as refusal:
                    raise CommandError(refusal.message) from None
            event_log.note(study, "exported", "exported the study into a lake")
            rows = sum(one["rows"] for one in written.files)
            self.stdout.write(
                f"{written.folder}: {rows:,} rows in {len(written.files)} files, "
                f"{len(written.written)} of them new or changed."
            )
