"""GenAI-Arena (the image generation of TIGER-Lab's GenAI-Bench): a row is one vote between two models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jurybox_formats.pair_files import cells
from jurybox_formats.pair_files.place import Content, Place, digest_of
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.picture_names import image_key, prompt_key
from jurybox_formats.sources.records import Record

REQUIRED = ("prompt", "left_model", "right_model", "vote_type")
SIDES = ("left", "right")
OPTIONAL = (
    *("left_image", "right_image", "left_output_image", "right_output_image", "user_id", "conv_id"),
    "tstamp",
)
VALUES = {"leftvote": "first", "rightvote": "second", "tievote": "both", "bothbad_vote": "neither"}


def read(cell: dict[str, Any], place: Place) -> Iterator[Record]:
    text = cells.text(cell, "prompt")
    models = [cells.text(cell, f"{side}_model") for side in SIDES]
    said = cells.text(cell, "vote_type")
    if said not in VALUES:
        raise Unfit("vote_type", said, f"A vote is one of {', '.join(VALUES)}.")
    pictures = [_picture(cell, side, place) for side in SIDES]
    keys = [key_of(prompt_key(text), *one) for one in zip(models, pictures, strict=True)]
    if keys[0] == keys[1]:
        raise Unfit("right_model", models[1], "Both sides show one and the same image.")
    yield from place.prompt(text)
    vote = cells.user(cell["user_id"]), 0, 1, VALUES[said]
    images = list(zip(keys, models, pictures, strict=True))
    yield from place.votes(prompt_key(text), images, [vote], left="first")


def _picture(cell: dict[str, Any], side: str, place: Place) -> Content:
    name = f"{side}_image" if cell[f"{side}_image"] else f"{side}_output_image"
    return cells.picture(cell[name], name, place.folder)


def key_of(prompt: str, model: str, picture: Content) -> str:
    """Rows have no id of an image: the same picture of a model's is the same image, in whatever rows it stands."""
    return image_key("-".join(filter(None, (f"{model}/{prompt}", digest_of(picture)[:12]))))
