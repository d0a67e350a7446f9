"""`manage.py leaderboard STUDY`: the generators by people and by each judge."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.models import Study
from audit.contests.asked import MADE_FROM, TIES, Asked
from audit.contests.leaderboard import leaderboard
from audit.reports.options import RESAMPLES, SEED
from audit.words import contests as words
from audit.words.numbers import with_interval
from audit.words.report import title


class Command(BaseCommand):
    help = "Say which generators win, by people and by each judge, from comparisons of two images."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument("--question", default="")
        parser.add_argument(
            "--ties",
            choices=tuple(TIES),
            default="davidson",
            help="the model of ties; arena counts half a win for both",
        )
        parser.add_argument("--slice", default="", metavar="TAG", help="prompts with this tag only")
        parser.add_argument(
            "--from",
            dest="made_from",
            choices=tuple(MADE_FROM),
            default="",
            help="images seen side by side, where there are votes, or answers about single images",
        )
        parser.add_argument("--seed", type=int, default=SEED)
        parser.add_argument("--resamples", type=int, default=RESAMPLES)
        parser.add_argument("--json", action="store_true")

    def handle(
        self, *, study, question, ties, slice, made_from, seed, resamples, **options
    ) -> None:
        place = Study.objects.filter(slug=study).first()
        if place is None:
            raise CommandError(f"There is no study “{study}”.")
        if resamples < 100:
            raise CommandError("Ask for at least 100 resamples; fewer give no usable interval.")
        try:
            asked = Asked(question=question, ties=ties, slice=slice, made_from=made_from)
            body = leaderboard(place, asked, resamples=resamples, seed=seed)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(
            json.dumps(body, ensure_ascii=False) if options["json"] else as_text(body)
        )


def as_text(body: dict) -> str:
    simulated = ["Simulated: programs made the images and gave the answers."]
    lines = [*(simulated if body["simulated"] else []), *words.sentences(body)]
    told = body["people"]
    for place in told.get("places", []):
        lines += ["", f"{place['generator']}: {words.ranks(place)}"]
        lines.append(f"  people: {with_interval('win_share', place['win_share'])}")
        for name, judge in body["judges"].items():
            share = words.of_generator(judge["board"], place["generator"])
            said = share.get("undefined") or with_interval("win_share", share)
            lines.append(f"  {title(name)}: {said}")
    if told.get("groups"):
        lines += ["", "Cannot be told apart:"]
        lines += [f"  {words.listed(group)}" for group in told["groups"] if len(group) > 1] or [
            "  –"
        ]
    if body["judges"]:
        lines += ["", "Soft pairwise accuracy:"]
    for name, judge in body["judges"].items():
        soft = judge["soft_pairwise"]
        said = soft.get("undefined") or with_interval("vote_soft_pairwise", soft)
        lines.append(f"  {title(name)}: {said}")
    return "\n".join(lines)
