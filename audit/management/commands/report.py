"""`manage.py report STUDY`: the statistics of a study, for people or as one JSON object."""

from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management import CommandError

from annotations.management.command import PlainCommand, as_json, study_called, write_file
from annotations.models import Study
from audit.handed_in.formats import HANDED_IN, of_body, write_beside
from audit.management.report_options import add_report_options, report_options
from audit.pages.tables import drift_csv
from audit.paper_tables import LIKE, table
from audit.paper_tables.study import audited
from audit.papers.citations import bibtex
from audit.reports import make as reports
from audit.reports.progress import Progress
from audit.words import report as report_words
from audit.words.page_sentences import languages_note

FORMATS = ("text", "json", "csv", "pdf", "html", "latex", "bibtex")


class Command(PlainCommand):
    help = "Compute the report of a study."

    def arguments(self, add) -> None:
        add("study", "the study's short name")
        add("--judge", action="append", metavar="J")
        add.json()
        add_report_options(add)
        add("--format", "--json is json", choices=FORMATS, default="text")
        add("--out", "write it there; pdf needs one", metavar="FILE")
        add("--like", "the tables of a paper, with this study's numbers", choices=list(LIKE))
        lake = "read the study there, not in the database"
        add("--lake", lake, type=Path, metavar="FOLDER")

    def handle(self, *, study, json, format, out, like, lake, **given) -> str | None:
        wanted = report_options(given)
        format = "json" if json else format
        if format == "pdf" and not out:
            raise CommandError(
                "A PDF is no text for a terminal: say where it goes with --out FILE."
            )
        if like and format in HANDED_IN:
            raise CommandError("A paper’s tables come as text, json or csv.")
        if format == "bibtex" and (like or lake):
            raise CommandError("BibTeX is made of a report of a study here.")
        if lake and (like or format in HANDED_IN):
            raise CommandError("A report from a lake comes as text, json or csv.")
        made: str | bytes
        if lake:
            made = _of_lake(lake / study, wanted, format)
        elif like:
            made = _like(study_called(study), wanted, like, format)
        else:
            report = reports.make_report(study=study_called(study), options=wanted)
            title, moment = report.study.title, report.created_at
            made = write_report(report.body, format, out, title, moment)
        if not out:
            return str(made)
        write_file(out, made)
        return None


def write_report(
    body: dict[str, Any], format: str, out: Path | str | None, title: str, moment: datetime
) -> str | bytes:
    if format in HANDED_IN:
        document = of_body(body, title, moment)
        if out:
            write_beside(document, format, Path(out))
        return HANDED_IN[format](document)
    return bibtex(body) if format == "bibtex" else _write_body(body, format)


def _of_lake(folder: Path, options: reports.Options, format: str) -> str:
    # DuckDB takes a moment to load.
    from audit.series.lake import LakeStudy

    source = LakeStudy(folder)
    body = reports.Computation(source, options, Progress()).body
    written = _write_body(body, format)
    languages = source.languages(body["question"]) if format == "text" else {}
    if len(languages) < 2:
        return written
    return "\n".join([written.rstrip("\n"), "", *languages_note({"languages": languages}), ""])


def _write_body(body: dict[str, Any], format: str) -> str:
    if format == "json":
        return as_json(body)
    return drift_csv(body) if format == "csv" else report_words.as_text(body)


def _like(study: Study, options: reports.Options, paper: str, format: str) -> str:
    tables = LIKE[paper](audited(study, options))
    if format == "json":
        return as_json({"like": paper, "tables": table.as_json(tables)})
    return table.as_csv(tables) if format == "csv" else table.as_text(tables)
