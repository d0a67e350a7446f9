"""`manage.py export_lake FOLDER`: studies as Parquet by month, with a manifest of hashes."""

from pathlib import Path

from tqdm import tqdm

from annotations import event_log
from annotations.exports import pseudonyms
from annotations.management.command import PlainCommand, study_called
from annotations.models import Study
from audit.series.write_lake import write_study


class Command(PlainCommand):
    help = (
        "Write studies as Parquet that report --lake, DuckDB and others read; again: what changed."
    )

    def arguments(self, add) -> None:
        add("folder", type=Path)
        add("studies", "all, if none is named", nargs="*", metavar="STUDY")
        add("--pseudonyms", choices=pseudonyms.RULES, default=pseudonyms.RULES[0])

    def handle(self, *, folder, studies, pseudonyms, **options) -> None:
        for study in [study_called(slug) for slug in studies] or list(Study.objects.all()):
            with tqdm(unit=" rows", desc=study.slug, disable=None, leave=False) as bar:
                written = write_study(study, folder, people=pseudonyms, step=bar.update)
            event_log.note(study, "exported", "exported the study into a lake")
            rows = sum(one["rows"] for one in written.files)
            self.stdout.write(
                f"{written.folder}: {rows:,} rows in {len(written.files)} files, "
                f"{len(written.written)} of them new or changed."
            )
