"""`manage.py report STUDY`: the statistics of a study, for people or as one JSON object."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.models import Study
from audit.reports import make as reports
from audit.reports.options import CONSENSUS
from audit.words import report as report_words


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
        parser.add_argument("--consensus", choices=CONSENSUS, default=usual.consensus)

    def handle(self, *, study, judge, seed, resamples, question, **options) -> None:
        if resamples < 100:
            raise CommandError("Ask for at least 100 resamples; fewer give no usable interval.")
        try:
            row = Study.objects.get(slug=study)
        except Study.DoesNotExist:
            raise CommandError(f"There is no study “{study}”.") from None
        wanted = reports.Options(
            question=question,
            judges=tuple(judge) if judge else None,
            seed=seed,
            resamples=resamples,
            positive_at=options["positive_at"],
            threshold=options["threshold"],
            consensus=options["consensus"],
        )
        try:
            report = reports.make_report(study=row, options=wanted)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        if options["json"]:
            self.stdout.write(json.dumps(report.body, ensure_ascii=False))
        else:
            self.stdout.write(report_words.as_text(report.body))
