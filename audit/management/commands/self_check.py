"""`manage.py self_check JUDGE STUDY`: where a judge contradicts itself, without any label."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from audit.self_checks import counting, over_time
from audit.words import self_checks as words
from judges.management.commands.run_judge import pairs
from judges.management.imports import study_or_error
from judges.registry import from_text
from judges.self_checks import jobs
from judges.self_checks.make import COUNT


class Command(BaseCommand):
    help = (
        "Change pictures and prompts so that the effect on the score is known, and ask the judge."
    )

    def add_arguments(self, parser) -> None:
        parser.add_argument("judge")
        parser.add_argument("study")
        parser.add_argument("--option", action="append", default=[], metavar="k=v")
        parser.add_argument("--count", type=int, default=COUNT, help="images for each check")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--json", action="store_true", help="print one object")

    def handle(self, *, judge, study, option, count, seed, **options) -> None:
        if not (1 <= count <= jobs.MOST and 0 <= seed <= jobs.LARGEST_SEED):
            raise CommandError(f"--count is 1 to {jobs.MOST}, --seed is 0 to {jobs.LARGEST_SEED}.")
        try:
            check = jobs.check_here(
                study=study_or_error(study),
                name=judge,
                options=from_text(judge, pairs(option)),
                count=count,
                seed=seed,
            )
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        body = counting.counted(check)
        first = over_time.first_before(check)
        compared = over_time.compared(first, check) if first else None
        if options["json"]:
            self.stdout.write(json.dumps({**body, "compared": compared}, ensure_ascii=False))
        else:
            self.stdout.write("\n".join([*words.sentences(body, compared), "", *_lines(body)]))


def _lines(body: dict) -> list[str]:
    lines = []
    for name, row in body["checks"].items():
        lines.append(f"  {words.NAMES[name]}: {words.share(row)}")
        lines += [f"    left out: {number}, {why}" for why, number in row["left_out"].items()]
    return [*lines, f"  fingerprint {body['fingerprint']}, seed {body['seed']}"]
