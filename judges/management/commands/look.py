"""`manage.py look STUDY IMAGE_ID`: every question that was asked about one image, and the answers."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.models import Image
from judges.looks.of_image import Looked, Told, Verdict, looked
from judges.management.imports import study_or_error


class Command(BaseCommand):
    help = "Show what engines told about one image: question, probability, tokens, time."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("image_id")
        parser.add_argument("--judge", default="", metavar="NAME", help="only what this one asked")
        parser.add_argument("--json", action="store_true", help="print one object")

    def handle(self, *, study, image_id, judge, **options) -> None:
        images = Image.objects.filter(study=study_or_error(study), key=image_id)
        image = images.select_related("prompt").first()
        if image is None:
            raise CommandError(f"There is no image “{image_id}” in “{study}”.")
        found = looked(image, judge=judge)
        if judge and not found.verdicts:
            raise CommandError(f"“{judge}” has not scored “{image_id}”.")
        if options["json"]:
            self.stdout.write(json.dumps(found.as_json(), ensure_ascii=False))
        else:
            self._print(found)

    def _print(self, found: Looked) -> None:
        self.stdout.write(f"{found.image}: {found.prompt}")
        for verdict in found.verdicts:
            self.stdout.write(_verdict(verdict))
        for told in found.told:
            self.stdout.write("")
            for line in _told(told):
                self.stdout.write(line)
        if not found.told:
            self.stdout.write("No engine has looked at it.")


def _verdict(one: Verdict) -> str:
    score = "no score" if one.score is None else f"{one.score:.4f}"
    return f"  {one.title}: {score}{_seconds(one.seconds)}" + (
        f" – {one.reason}" if one.reason else ""
    )


def _told(one: Told) -> list[str]:
    lines = [f"{one.asked}", f"  {one.told}{_seconds(one.seconds)}, by {one.engine}"]
    if one.probability is not None:
        lines.append(f"  probability {one.probability:.6f}")
    if one.tokens:
        tokens = ", ".join(f"“{token}” {chance:.6f}" for token, chance in one.tokens)
        lines.append(f"  tokens {tokens}")
    return lines


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f" in {seconds:.3f} s"
