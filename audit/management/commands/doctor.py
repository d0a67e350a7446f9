"""`manage.py doctor`: what is wrong with this installation."""

from __future__ import annotations

import json
from dataclasses import asdict

from django.core.management import BaseCommand, CommandError

from annotations.kept import image_counts
from audit.installation import health
from judges.runs import counts

MARKS = {"well": "·", "look": "!", "broken": "✗"}


class Command(BaseCommand):
    help = "Check every part of the installation; exit status 1 when one is broken."
    # It has to run even when the database is away.
    requires_system_checks = ()

    def add_arguments(self, parser) -> None:
        parser.add_argument("--json", action="store_true")
        parser.add_argument(
            "--address",
            default="",
            metavar="URL",
            help="where visitors reach this installation; else https:// and the first of ALLOWED_HOSTS",
        )

        parser.add_argument(
            "--recount",
            action="store_true",
            help="count again what is kept (scores of runs, images of generators, figures of pages), "
            "and put it right",
        )

    def handle(self, *, json: bool, address: str, recount: bool, **options) -> None:
        if recount:
            wrong = {
                "run": counts.recount_all(),
                "generator": image_counts.recount_all(),
                "page's figure": _pages(),
            }
            told = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for what, n in wrong.items())
            self.stderr.write(f"Counted again: {told} put right.")
        findings = health.everything(address)
        if json:
            self.stdout.write(_as_json(findings))
        else:
            width = max(len(finding.part) for finding in findings)
            for finding in findings:
                self.stdout.write(
                    f"{MARKS[finding.state]} {finding.part:<{width}}  {finding.words}"
                )
        broken = [finding.part for finding in findings if finding.state == "broken"]
        if broken:
            raise CommandError(f"Broken: {', '.join(broken)}.")


def _pages() -> int:
    # The statistics take a second to load.
    from audit import counting

    return counting.recount_all()


def _as_json(findings: list[health.Finding]) -> str:
    return json.dumps([asdict(finding) for finding in findings], ensure_ascii=False)
