"""`manage.py select_training STUDY JUDGE --rule paper|calibrated|people`: images to train a generator on."""

from __future__ import annotations

import json
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from audit.training.asked import MOST, PRECISION, RULES, Asked
from audit.training.freeze import freeze, studies_of
from audit.training.voted import BY, AskedPairs, voted
from audit.training.write import FORMATS, write_set, write_voted
from audit.words import training as words
from judges.management.imports import study_or_error
from judges.methods.gors import THRESHOLDS


class Command(BaseCommand):
    help = (
        "Choose images to train a generator on further (GORS), freeze the choice with its signature, and "
        "write it as a trainer reads it."
    )

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("judge", nargs="?", default="", help="may be left out with --pairs")
        parser.add_argument("--rule", choices=tuple(RULES), default="")
        parser.add_argument(
            "--pairs",
            choices=tuple(BY),
            default="",
            help="for DPO: pairs that people voted for, by the majority of each pair or all votes; "
            "with a judge and a rule, also its pairs of prompts without a vote",
        )
        parser.add_argument(
            "--least-votes", type=int, default=1, help="with --pairs: of a pair that is taken"
        )
        parser.add_argument("--cap", type=int, default=MOST, help="most images of a prompt")
        parser.add_argument("--precision", type=float, default=PRECISION, help="rule calibrated")
        parser.add_argument("--question", default="")
        parser.add_argument(
            "--category",
            default="",
            choices=("", *THRESHOLDS),
            help="rule paper: of prompts that do not say theirs",
        )
        parser.add_argument(
            "--evaluation",
            action="append",
            default=[],
            metavar="STUDY",
            help="leave out the prompts of this study; may be given several times",
        )
        parser.add_argument("--format", choices=FORMATS, default="imagefolder")
        parser.add_argument("--out", type=Path, metavar="FOLDER")
        parser.add_argument("--licence", default="", help="for the card")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, study, judge, rule, out, **options) -> None:
        if options["pairs"]:
            self._pairs(study_or_error(study), judge, rule, out, options)
            return
        if not judge or not rule:
            raise CommandError("Name a judge and a --rule, or take people's votes with --pairs.")
        asked = self._asked(judge, rule, options)
        try:
            made = freeze(study=study_or_error(study), asked=asked)
            counts = None
            if out is not None:
                counts = write_set(made, out, options["format"], licence=options["licence"])
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        if options["json"]:
            told = {"asked": made.asked, **made.body, "written": counts}
            self.stdout.write(json.dumps(told, ensure_ascii=False, allow_nan=False))
            return
        lines = [*words.sentences(made.body), f"Signature: {made.sha256}"]
        if counts is not None:
            lines.append(f"Wrote {out} ({options['format']}): {words.counts(counts)}.")
        self.stdout.write("\n".join(lines))

    def _pairs(self, study, judge, rule, out, options) -> None:
        asked = AskedPairs(
            options["pairs"],
            options["least_votes"],
            "" if judge else options["question"],
            tuple(options["evaluation"]),
        )
        if bool(judge) != bool(rule):
            raise CommandError("A judge's pairs beside people's need both: the judge and a --rule.")
        try:
            made = voted(study, asked, studies_of(asked.evaluation))
            beside = freeze(study=study, asked=self._asked(judge, rule, options)) if judge else None
            counts = None
            if out is not None:
                counts = write_voted(made, out, licence=options["licence"], beside=beside)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        if options["json"]:
            told = {
                "asked": asked.as_dict(),
                "pairs": made.pairs,
                "left_out": dict(made.left_out),
                "signature": made.signature,
                "written": counts,
            }
            self.stdout.write(json.dumps(told, ensure_ascii=False, allow_nan=False))
            return
        lines = [*made.sentences(), f"Signature: {made.signature}"]
        if counts is not None:
            by = ", ".join(f"{count} by {source}" for source, count in counts["by"].items())
            lines.append(f"Wrote {out} (dpo): {counts['rows']} rows, {by}.")
        self.stdout.write("\n".join(lines))

    def _asked(self, judge, rule, options) -> Asked:
        return Asked(
            judge=judge,
            rule=rule,
            question=options["question"],
            most=options["cap"],
            precision=options["precision"],
            category=options["category"],
            evaluation=tuple(options["evaluation"]),
        )
