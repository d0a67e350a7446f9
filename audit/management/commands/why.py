"""`manage.py why STUDY --judge J --from A --to B`: what moved the gap between people and a judge."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from audit.anchors import certificate as certificates
from audit.reports.options import RESAMPLES, SEED
from audit.why import stored, watches
from audit.why.asked import Asked
from audit.why.explain import explain
from audit.words import anchors as anchor_words
from audit.words import watches as watch_words
from audit.words import why as words
from audit.words.numbers import p_words, with_interval

SIDE = (
    "generators with commas between them, released=2024-01-01..2024-12-31, labelled=2025-01-01.. "
)


class Command(BaseCommand):
    help = "Say why the gap between people and a judge moved from one side of a study to another."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("--judge", required=True, metavar="J")
        parser.add_argument(
            "--judge-now",
            default="",
            metavar="J",
            help="another version, which scored the second side",
        )
        parser.add_argument("--from", dest="before", required=True, metavar="A", help=SIDE)
        parser.add_argument(
            "--to", dest="after", required=True, metavar="B", help=f"{SIDE}or study=NAME"
        )
        parser.add_argument("--question", default="")
        parser.add_argument("--seed", type=int, default=SEED)
        parser.add_argument("--resamples", type=int, default=RESAMPLES)
        parser.add_argument("--json", action="store_true")

    def handle(self, *, study, seed, resamples, **options) -> None:
        if resamples < 100:
            raise CommandError("Ask for at least 100 resamples; fewer give no usable interval.")
        asked = Asked(
            judge=options["judge"],
            before=options["before"],
            after=options["after"],
            judge_now=options["judge_now"],
            question=options["question"],
        )
        try:
            body = explain(
                stored.study_called(study),
                asked,
                find=stored.study_called,
                resamples=resamples,
                seed=seed,
            )
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        held = certificates.of_sides(body)
        body["watches"]["judge"] = watches.of_judge(body)
        if options["json"]:
            self.stdout.write(json.dumps({**body, "certificates": held}, ensure_ascii=False))
        else:
            self.stdout.write(_as_text(body, held))


def _as_text(body: dict, held: list[dict]) -> str:
    certified = [line for one in held for line in anchor_words.sentences(one)]
    watched = watch_words.sentences(body["watches"], body["watches"]["judge"])
    lines = [*words.sentences(body, anchored=bool(held)), *certified, *watched, ""]
    for part, estimate in [*words.parts_of(body), ("all together", body["moved"])]:
        shown = words.name(part) if part in body["parts"] else part
        if "undefined" in estimate:
            lines.append(f"  {shown}: {estimate['undefined']}")
            continue
        p = f", {p_words(estimate['p_holm'])}" if "p_holm" in estimate else ""
        lines.append(f"  {shown}: {with_interval('net_deviation', estimate)}{p}")
    return "\n".join(lines)
