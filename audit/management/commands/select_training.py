"""`manage.py select_training STUDY JUDGE --rule paper|calibrated|people`: images to train a generator on."""

from __future__ import annotations

import json
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from audit.training.asked import MOST, PRECISION, RULES, Asked
from audit.training.freeze import freeze
from audit.training.write import FORMATS, write_set
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
        parser.add_argument("judge")
        parser.add_argument("--rule", choices=tuple(RULES), required=True)
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
        asked = Asked(
            judge=judge,
            rule=rule,
            question=options["question"],
            most=options["cap"],
            precision=options["precision"],
            category=options["category"],
            evaluation=tuple(options["evaluation"]),
        )
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
