"""A small study of edits: circles to be recoloured, by two models; one of them recolours the ground, too."""

from __future__ import annotations

import io

from PIL import Image as Picture
from PIL import ImageDraw

from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Study
from jurybox_formats.forms.papers import edits
from jurybox_formats.sources.records import (
    GeneratorRecord,
    ImageRecord,
    PromptPictureRecord,
    PromptRecord,
)

GROUND, OTHER_GROUND = (200, 220, 240), (240, 220, 160)
RED, GREEN = (200, 30, 30), (30, 160, 30)


def circle(number: int, colour: tuple[int, int, int], ground=GROUND) -> bytes:
    picture = Picture.new("RGB", (320, 240), ground)
    ImageDraw.Draw(picture).ellipse((60 + number, 60, 160 + number, 160), fill=colour)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def study(slug: str = "edits", *, count: int = 3, form=edits.FORM) -> Study:
    made = Study.objects.create(slug=slug, title="Edits", form=publish_form(form))
    outcome = Outcome()
    write_study.import_records(study=made, records=records(count), outcome=outcome)
    assert outcome.rejected == []
    return made


def records(count: int):
    yield GeneratorRecord("careful")
    yield GeneratorRecord("careless")
    for number in range(count):
        key = f"edit-{number}"
        yield PromptRecord(key, "Make the circle green", ("recolour",))
        yield PromptPictureRecord(key, "source", circle(number, RED))
        yield ImageRecord(f"careful/{number}", key, "careful", circle(number, GREEN))
        other = circle(number, GREEN, OTHER_GROUND)
        yield ImageRecord(f"careless/{number}", key, "careless", other)
