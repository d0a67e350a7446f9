"""`manage.py look STUDY IMAGE_ID`: all model outputs for one image."""

from django.core.management import CommandError

from annotations.management.command import StudyCommand, as_json
from annotations.models import Image
from judges.looks.of_image import JudgeScore, ModelOutput, outputs_for


class Command(StudyCommand):
    help = "Show all model outputs for one image: question, answer, probability, tokens, time."

    def arguments(self, add) -> None:
        add("image_id")
        add("--judge", "only what this judge asked", default="", metavar="NAME")
        add.json()

    def do(self, study, *, image_id, judge, json, **options) -> str:
        images = Image.objects.filter(study=study, key=image_id)
        image = images.select_related("prompt").first()
        if image is None:
            raise CommandError(f"There is no image “{image_id}” in “{study.slug}”.")
        outputs = outputs_for(image, judge=judge)
        if judge and not outputs.verdicts:
            raise CommandError(f"“{judge}” has not scored “{image_id}”.")
        if json:
            return as_json(outputs.as_json())
        lines = [f"{outputs.image}: {outputs.prompt}", *map(_score_line, outputs.verdicts)]
        for output in outputs.told:
            lines += ["", *_output_lines(output)]
        if not outputs.told:
            lines.append("No judge has asked about this image yet.")
        return "\n".join(lines)


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
