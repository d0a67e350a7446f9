"""A report of a few tables, and nothing that stays: the same import, the same statistics and the same
words as in a study, inside a rehearsal."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.utils.text import slugify

from annotations.database.rehearsal import rehearsal
from annotations.errors import Refused
from annotations.exports.pseudonyms import names_as_written
from annotations.imports.outcome import Outcome
from annotations.models import Study
from audit.models import Report
from audit.reports.make import make_report
from audit.reports.options import Options
from audit.reports.pairing import questions_of
from audit.reports.progress import Progress
from judges.intake import bring_in
from jurybox_formats.registry import Source
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.two_tables import ReadingNotes, as_tidy

Step = Callable[[str, int, int | None], None]  # what is done, how much of it, of how much


@dataclass(frozen=True, slots=True)
class MadeReport:
    """What came of it, and the notes beside it."""

    body: str | bytes
    told: ReadingNotes
    outcome: Outcome
    judges: int

    def lines(self) -> list[str]:
        refused = self.told.refused
        left_out = [f"Left out ({len(refused)}):"] if refused else []
        named = [f"  {words}" for words in refused[:20]]
        return [*self.told.words, *left_out, *named, self.outcome.as_text()]


class TerminalProgress(Progress):
    """Progress on a terminal; no row in the database."""

    def __init__(self, show: Step) -> None:
        super().__init__()
        self.show = show

    def step(self) -> None:
        self.done += 1
        self.show("report", self.done, max(self.total, self.done))


def report_of(
    files: Mapping[str, Path],
    *,
    write: Callable[[Report], str | bytes],
    options: Options,
    title: str = "",
    columns: Mapping[str, str] | None = None,
    unit: str = "",
    show: Step = lambda what, done, total: None,
) -> MadeReport:
    folders = tempfile.TemporaryDirectory(prefix="jurybox-audit-")
    with folders as name, rehearsal(), names_as_written():
        folder = Path(name)
        try:
            told = as_tidy(files, folder, given=columns)
        except Unreadable as error:
            raise Refused(error.message) from None
        slug = _free(slugify(title or files["labels"].stem)[:60] or "audit")
        outcome = bring_in.import_study(
            slug=slug,
            format="tidy",
            source=Source(folder, unit=unit),
            progress=lambda done: show("rows", done, None),
        )
        study = Study.objects.filter(slug=slug).first()
        if study is None or not outcome.answers:
            raise Refused(f"No label could be read. {outcome.as_text()}")
        if not outcome.scores:
            raise Refused(f"No score could be read. {outcome.as_text()}")
        if not questions_of(study):
            raise Refused(
                "No question is answered in numbers alone, and statistics need numbers: write answers "
                "as numbers, or leave those out that are texts."
            )
        if title:
            study.title = title[:200]
            study.save(update_fields=["title"])
        report = make_report(study=study, options=options, progress=TerminalProgress(show))
        return MadeReport(write(report), told, outcome, len(report.body["judges"]))


def _free(slug: str) -> str:
    """Beside real studies, should there be any."""
    wanted, number = slug, 1
    while wanted in bring_in.RESERVED or Study._base_manager.filter(slug=wanted).exists():
        number += 1
        wanted = f"{slug}-{number}"
    return wanted
