"""`manage.py enforce STUDY --pipeline FOLDER`: repaired images and their controls, from confirmed findings."""

from tqdm import tqdm

from annotations.errors import Refused
from annotations.management.command import StudyCommand
from audit.repairs import findings
from audit.repairs.enforce import enforce
from audit.repairs.painters import Bench, Diffusers, Painter
from judges.generating import guidance, pipelines
from judges.generating.pipelines import How


class Command(StudyCommand):
    help = (
        "Make a repaired image and a control for each confirmed finding (Revise-Then-Enforce; "
        f"{guidance.FORM}), and import both with their parent."
    )

    def arguments(self, add) -> None:
        usual = How()
        queue = "put what this judge found into the queue (people: their failed atoms), and stop"
        add("--find", f"first {queue}", metavar="J")
        add("--pipeline", "a folder of diffusers; builtin: the built-in bench draws again")
        add("--variant", choices=guidance.VARIANTS, default=usual.variant)
        add(
            "--reading",
            "how the paper's equation 6, which nobody could read, is read: from the empty prompt as in usual "
            "guidance, or from the prompt",
            choices=guidance.READINGS,
            default=usual.reading,
        )
        add("--strength", type=float, default=usual.strength)
        add("--guidance", type=float, default=usual.guidance)
        add("--steps", type=int, default=usual.steps)
        add("--height", type=int)
        add("--width", type=int)
        add("--device", default="cpu")
        add.flag("--without-check", "do not draw one image again from its seed first")
        add("--dtype", choices=("float32", "float16", "bfloat16"), default="float32")

    def do(self, study, *, find, pipeline, **options) -> str:
        if find:
            counts = findings.look(study=study, judge=find)
            new = counts.pop("found")
            told = "".join(f"; {reason}: {count}" for reason, count in sorted(counts.items()))
            return f"{new} findings wait to be confirmed{told}."
        if not pipeline:
            raise Refused("Say who makes the images: --pipeline FOLDER, or --pipeline builtin.")
        confirmed = findings.confirmed(study)
        painter = _painter(pipeline, options)
        with tqdm(total=len(confirmed), unit="finding", disable=None) as bar:
            made = enforce(
                study=study,
                findings=confirmed,
                painter=painter,
                advance=lambda: bar.update(),
                is_checked=not options["without_check"],
            )
        known = f" {made.known} findings had theirs already." if made.known else ""
        return f"{made.images} images made and imported, as many repaired as controls.{known}"


def _painter(pipeline: str, options: dict) -> Painter:
    if pipeline == "builtin":
        return Bench()
    loaded = pipelines.load(pipeline, device=options["device"], dtype=options["dtype"])
    named = ("steps", "guidance", "strength", "variant", "reading", "height", "width")
    return Diffusers(loaded, pipeline, How(**{name: options[name] for name in named}))
