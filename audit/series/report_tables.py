"""A report of a few tables, and nothing that stays: the same checks, the same statistics and the same
words as in a study, and no database."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.text import slugify

from annotations.errors import Refused
from annotations.exports.pseudonyms import names_as_written
from annotations.imports.outcome import Outcome
from audit.reports.make import Computation
from audit.reports.options import Options
from audit.reports.progress import Progress
from audit.series.tables import Tables
from judges.intake.bring_in import RESERVED, name_study
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.two_tables import ReadingNotes, as_tidy

Step = Callable[[str, int, int | None], None]  # what is done, how much of it, of how much


@dataclass(frozen=True, slots=True)
class MadeReport:
    """What came of it, and the notes beside it."""

    body: dict[str, Any]
    title: str
    notes: ReadingNotes
    outcome: Outcome

    def lines(self) -> list[str]:
        refused = self.notes.refused
        left_out = [f"Left out ({len(refused)}):"] if refused else []
        named = [f"  {words}" for words in refused[:20]]
        return [*self.notes.words, *left_out, *named, self.outcome.as_text()]


def report_tables(
    files: Mapping[str, Path],
    *,
    options: Options,
    title: str = "",
    columns: Mapping[str, str] | None = None,
    unit: str = "",
    show: Step = lambda what, done, total: None,
) -> MadeReport:
    slug = slugify(title or files["labels"].stem)[:60] or "audit"
    slug += "-2" * (slug in RESERVED)
    with tempfile.TemporaryDirectory(prefix="jurybox-audit-") as name:
        try:
            notes = as_tidy(files, Path(name), given=columns)
        except Unreadable as error:
            raise Refused(error.message) from None
        study = Tables(
            Path(name), slug=slug, unit=unit, progress=lambda done: show("rows", done, None)
        )
    outcome = study.outcome
    if not outcome.answers:
        raise Refused(f"No label could be read. {outcome.as_text()}")
    if not outcome.scores:
        raise Refused(f"No score could be read. {outcome.as_text()}")
    if not study.questions():
        raise Refused(
            "No question is answered in numbers alone, and statistics need numbers: write answers "
            "as numbers, or leave those out that are texts."
        )
    progress = Progress(lambda done, total: show("report", done, total))
    with names_as_written():
        body = Computation(study, options, progress).body
    return MadeReport(body, title[:200] or name_study(slug), notes, outcome)
