"""`manage.py look STUDY IMAGE_ID`: all model outputs for one image."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.models import Image
from judges.looks.of_image import ImageOutputs, JudgeScore, ModelOutput, outputs_for
from judges.management.imports import study_or_error


class Command(BaseCommand):
    help = "Show all model outputs for one image: question, answer, probability, tokens, time."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("image_id")
        parser.add_argument(
            "--judge", default="", metavar="NAME", help="only what this judge asked"
        )
        parser.add_argument("--json", action="store_true", help="print one object")

    def handle(self, *, study, image_id, judge, **options) -> None:
        images = Image.objects.filter(study=study_or_error(study), key=image_id)
        image = images.select_related("prompt").first()
        if image is None:
            raise CommandError(f"There is no image “{image_id}” in “{study}”.")
        outputs = outputs_for(image, judge=judge)
        if judge and not outputs.verdicts:
            raise CommandError(f"“{judge}” has not scored “{image_id}”.")
        if options["json"]:
            self.stdout.write(json.dumps(outputs.as_json(), ensure_ascii=False))
        else:
            self._print(outputs)

    def _print(self, outputs: ImageOutputs) -> None:
        self.stdout.write(f"{outputs.image}: {outputs.prompt}")
        for score in outputs.verdicts:
            self.stdout.write(_score_line(score))
        for output in outputs.told:
            self.stdout.write("")
            for line in _output_lines(output):
                self.stdout.write(line)
        if not outputs.told:
            self.stdout.write("No judge has asked about this image yet.")


def _score_line(score: JudgeScore) -> str:
    value = "no score" if score.score is None else f"{score.score:.4f}"
    reason = f" – {score.reason}" if score.reason else ""
    return f"  {score.title}: {value}{_seconds(score.seconds)}{reason}"


def _output_lines(output: ModelOutput) -> list[str]:
    lines = [output.asked, f"  {output.told}{_seconds(output.seconds)}, by {output.engine}"]
    if output.probability is not None:
        lines.append(f"  probability {output.probability:.6f}")
    if output.tokens:
        tokens = ", ".join(f"“{token}” {chance:.6f}" for token, chance in output.tokens)
        lines.append(f"  tokens {tokens}")
    return lines


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f" in {seconds:.3f} s"
