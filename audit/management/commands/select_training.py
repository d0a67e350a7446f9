"""`manage.py select_training STUDY JUDGE --rule paper|calibrated|people`: images to train a generator on."""

from pathlib import Path

from django.core.management import CommandError

from annotations.management.command import StudyCommand, as_json
from audit.training.candidates import MOST, PRECISION, RULES, TrainingOptions
from audit.training.freeze import freeze, studies_of
from audit.training.voted import BY, AskedPairs, voted
from audit.training.write import FORMATS, write_set, write_voted
from audit.words import training as words
from jurybox_judging.methods.gors import THRESHOLDS


class Command(StudyCommand):
    help = (
        "Choose images to train a generator on further (GORS), freeze the choice with its signature, and "
        "write it as a trainer reads it."
    )

    def arguments(self, add) -> None:
        add("judge", "may be left out with --pairs", nargs="?", default="")
        add("--rule", choices=tuple(RULES), default="")
        add(
            "--pairs",
            "for DPO: pairs that people voted for, by the majority of each pair or all votes; "
            "with a judge and a rule, also its pairs of prompts without a vote",
            choices=tuple(BY),
            default="",
        )
        add("--least-votes", "with --pairs: of a pair that is taken", type=int, default=1)
        add("--cap", "most images of a prompt", type=int, default=MOST)
        add("--precision", "rule calibrated", type=float, default=PRECISION)
        add("--question", default="")
        category = "rule paper: of prompts that do not say theirs"
        add("--category", category, default="", choices=("", *THRESHOLDS))
        evaluation = "leave out the prompts of this study; may be given several times"
        add.many("--evaluation", evaluation, metavar="STUDY")
        add("--format", choices=FORMATS, default="imagefolder")
        add("--out", type=Path, metavar="FOLDER")
        add("--licence", "for the card", default="")
        add.json()

    def do(self, study, *, json, **options) -> str:
        told, lines, written = (_pairs if options["pairs"] else _images)(study, **options)
        if json:
            return as_json(told, allow_nan=False)
        return "\n".join([*lines, *([f"Wrote {options['out']} {written}."] if written else [])])


def _images(study, *, judge, rule, out, format, licence, **options) -> tuple[dict, list[str], str]:
    if not judge or not rule:
        raise CommandError("Name a judge and a --rule, or take people's votes with --pairs.")
    made = freeze(study=study, asked=_read_options(judge, rule, options))
    counts = None if out is None else write_set(made, out, format, licence=licence)
    told = {"asked": made.asked, **made.body, "written": counts}
    lines = [*words.sentences(made.body), f"Signature: {made.sha256}"]
    return told, lines, "" if counts is None else f"({format}): {words.counts(counts)}"


def _pairs(study, *, judge, rule, out, licence, **options) -> tuple[dict, list[str], str]:
    asked = AskedPairs(
        options["pairs"],
        options["least_votes"],
        "" if judge else options["question"],
        tuple(options["evaluation"]),
    )
    if bool(judge) != bool(rule):
        raise CommandError("A judge's pairs beside people's need both: the judge and a --rule.")
    made = voted(study, asked, studies_of(asked.evaluation))
    beside = freeze(study=study, asked=_read_options(judge, rule, options)) if judge else None
    counts = None if out is None else write_voted(made, out, licence=licence, beside=beside)
    told = {
        "asked": asked.as_dict(),
        "pairs": made.pairs,
        "left_out": dict(made.left_out),
        "signature": made.signature,
        "written": counts,
    }
    lines = [*made.sentences(), f"Signature: {made.signature}"]
    if counts is None:
        return told, lines, ""
    by = ", ".join(f"{count} by {source}" for source, count in counts["by"].items())
    return told, lines, f"(dpo): {counts['rows']} rows, {by}"


def _read_options(judge: str, rule: str, options: dict) -> TrainingOptions:
    return TrainingOptions(
        judge=judge,
        rule=rule,
        question=options["question"],
        most=options["cap"],
        precision=options["precision"],
        category=options["category"],
        evaluation=tuple(options["evaluation"]),
    )
