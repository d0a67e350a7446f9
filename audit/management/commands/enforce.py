"""`manage.py enforce STUDY --pipeline FOLDER`: repaired images and their controls, from confirmed findings."""

from __future__ import annotations

from django.core.management import BaseCommand, CommandError
from tqdm import tqdm

from annotations.errors import Refused
from audit.repairs import findings
from audit.repairs.enforce import enforce
from audit.repairs.painters import Bench, Diffusers, Painter
from judges.generating import guidance, pipelines
from judges.generating.pipelines import How
from judges.management.imports import study_or_error

BUILTIN = "builtin"


class Command(BaseCommand):
    help = (
        "Make a repaired image and a control for each confirmed finding (Revise-Then-Enforce; "
        f"{guidance.FORM}), and import both with their parent."
    )

    def add_arguments(self, parser) -> None:
        usual = How()
        parser.add_argument("study")
        parser.add_argument(
            "--find",
            metavar="J",
            help="first put what this judge found into the queue (people: their failed atoms), and stop",
        )
        parser.add_argument(
            "--pipeline", help="a folder of diffusers; builtin: the built-in bench draws again"
        )
        parser.add_argument("--variant", choices=guidance.VARIANTS, default=usual.variant)
        parser.add_argument("--strength", type=float, default=usual.strength)
        parser.add_argument("--guidance", type=float, default=usual.guidance)
        parser.add_argument("--steps", type=int, default=usual.steps)
        parser.add_argument("--height", type=int)
        parser.add_argument("--width", type=int)
        parser.add_argument("--device", default="cpu")
        parser.add_argument(
            "--dtype", choices=("float32", "float16", "bfloat16"), default="float32"
        )

    def handle(self, *, study, find, pipeline, **options) -> None:
        place = study_or_error(study)
        try:
            if find:
                counts = findings.look(study=place, judge=find)
                new = counts.pop("found")
                told = "".join(f"; {reason}: {count}" for reason, count in sorted(counts.items()))
                self.stdout.write(f"{new} findings wait to be confirmed{told}.")
                return
            if not pipeline:
                raise Refused("Say who makes the images: --pipeline FOLDER, or --pipeline builtin.")
            confirmed = findings.confirmed(place)
            painter = _painter(pipeline, options)
            with tqdm(total=len(confirmed), unit="finding", disable=None) as bar:
                made = enforce(
                    study=place, findings=confirmed, painter=painter, advance=lambda: bar.update()
                )
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        known = f" {made.known} findings had theirs already." if made.known else ""
        self.stdout.write(
            f"{made.images} images made and imported, as many repaired as controls.{known}"
        )


def _painter(pipeline: str, options: dict) -> Painter:
    if pipeline == BUILTIN:
        return Bench()
    loaded = pipelines.load(pipeline, device=options["device"], dtype=options["dtype"])
    named = ("steps", "guidance", "strength", "variant", "height", "width")
    return Diffusers(loaded, pipeline, How(**{name: options[name] for name in named}))
