"""COCO's 80 classes in the order of every COCO detector's outputs, and GenEval's names for them."""

from __future__ import annotations

from collections.abc import Sequence

_NAMES = (
    "person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,"
    "stop sign,parking meter,bench,bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,"
    "backpack,umbrella,handbag,tie,suitcase,frisbee,skis,snowboard,sports ball,kite,baseball bat,"
    "baseball glove,skateboard,surfboard,tennis racket,bottle,wine glass,cup,fork,knife,spoon,"
    "bowl,banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,chair,couch,"
    "potted plant,bed,dining table,toilet,tv,laptop,mouse,remote,keyboard,cell phone,microwave,"
    "oven,toaster,sink,refrigerator,book,clock,vase,scissors,teddy bear,hair drier,"
    "toothbrush"
)
COCO = tuple(_NAMES.split(","))

# GenEval's prompts spell out three words that are ambiguous.
RENAMED = {"mouse": "computer mouse", "remote": "tv remote", "keyboard": "computer keyboard"}


def geneval_names(names: Sequence[str]) -> tuple[str, ...]:
    """A detector's own names as GenEval's prompts have them."""
    plain = (name.replace("_", " ").strip().lower() for name in names)
    return tuple(RENAMED.get(name, name) for name in plain)


GENEVAL = geneval_names(COCO)
