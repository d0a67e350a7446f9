"""`manage.py look STUDY IMAGE_ID`: all model outputs for one image."""

from django.core.management import CommandError

from annotations.management.command import StudyCommand, as_json
from annotations.models import Image
from judges.looks.of_image import outputs_for


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
        return as_json(outputs.as_json()) if json else "\n".join(outputs.lines())
