"""`manage.py report STUDY`: the statistics of a study, for people or as one JSON object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.models import Study
from audit.handed_in.formats import HANDED_IN, of_report
from audit.pages.tables import drift_csv
from audit.paper_tables import LIKE, table
from audit.paper_tables.study import audited
from audit.reports import make as reports
from audit.reports.options import CONSENSUS
from audit.reports.progress import Unseen
from audit.words import report as report_words

FORMATS = ("text", "json", "csv", "pdf", "html", "latex")


class Command(BaseCommand):
    help = "Compute the report of a study."

    def add_arguments(self, parser) -> None:
        usual = reports.Options()
        parser.add_argument("study")
        parser.add_argument("--judge", action="append", metavar="J")
        parser.add_argument("--json", action="store_true")
        parser.add_argument("--seed", type=int, default=usual.seed)
        parser.add_argument("--resamples", type=int, default=usual.resamples)
        parser.add_argument("--question")
        parser.add_argument("--positive-at", type=float, default=usual.positive_at)
        parser.add_argument("--threshold", type=float)
        parser.add_argument("--consensus", choices=list(CONSENSUS), default=usual.consensus)
        parser.add_argument("--format", choices=FORMATS, default="text", help="--json is json")
        parser.add_argument("--out", metavar="FILE", help="write it there; pdf needs one")
        parser.add_argument(
            "--like", choices=list(LIKE), help="the tables of a paper, with this study's numbers"
        )
        parser.add_argument(
            "--lake", type=Path, metavar="FOLDER", help="read the study there, not in the database"
        )

    def handle(self, *, study, judge, seed, resamples, question, like, lake, **options) -> None:
        if resamples < 100:
            raise CommandError("Ask for at least 100 resamples; fewer give no usable interval.")
        wanted = reports.Options(
            question=question,
            judges=tuple(judge) if judge else None,
            seed=seed,
            resamples=resamples,
            positive_at=options["positive_at"],
            threshold=options["threshold"],
            consensus=options["consensus"],
        )
        format = "json" if options["json"] else options["format"]
        out = options["out"]
        if format == "pdf" and not out:
            raise CommandError(
                "A PDF is no text for a terminal: say where it goes with --out FILE."
            )
        if like and format in HANDED_IN:
            raise CommandError("A paper’s tables come as text, json or csv.")
        if lake and (like or format in HANDED_IN):
            raise CommandError("A report from a lake comes as text, json or csv.")
        try:
            made: str | bytes
            if lake:
                made = _of_lake(lake / study, wanted, format)
            elif like:
                made = _like(_study(study), wanted, like, format)
            else:
                made = _report(_study(study), wanted, format)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        if not out:
            self.stdout.write(str(made))
            return
        try:
            Path(out).write_bytes(made if isinstance(made, bytes) else made.encode())
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from None


def _study(slug: str) -> Study:
    try:
        return Study.objects.get(slug=slug)
    except Study.DoesNotExist:
        raise CommandError(f"There is no study “{slug}”.") from None


def _report(study: Study, options: reports.Options, format: str) -> str | bytes:
    report = reports.make_report(study=study, options=options)
    if format in HANDED_IN:
        return HANDED_IN[format](of_report(report))
    return _written(report.body, format)


def _of_lake(folder: Path, options: reports.Options, format: str) -> str:
    # DuckDB takes a moment to load.
    from audit.lake.read import LakeStudy

    return _written(reports.Computation(LakeStudy(folder), options, Unseen()).body, format)


def _written(body: dict[str, Any], format: str) -> str:
    if format == "json":
        return json.dumps(body, ensure_ascii=False)
    return drift_csv(body) if format == "csv" else report_words.as_text(body)


def _like(study: Study, options: reports.Options, paper: str, format: str) -> str:
    tables = LIKE[paper](audited(study, options))
    if format == "json":
        return json.dumps({"like": paper, "tables": table.as_json(tables)}, ensure_ascii=False)
    return table.as_csv(tables) if format == "csv" else table.as_text(tables)
