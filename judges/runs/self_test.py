"""Before a run: a picture that is drawn on the spot, and that the engine must get right.

An engine whose weights loaded badly answers all the same. What it says about a picture whose
truth is known shows it before the first score is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from judges.errors import EngineRefused, MemoryFull
from judges.looks.ask_engine import patiently
from judges.protocols import ColorOf, Detection, Engine, Objects, Question, Talk

SIDE = 512
RED, PAPER = (205, 30, 35), (238, 238, 238)
SURE_ENOUGH = 0.3
COLORS = ("red", "green", "blue", "yellow")
ASKED = "Is there a red square in the image? Answer in one word."


def check_engines(parts: Mapping[str, Engine], *, alive: Callable[[], None]) -> None:
    """EngineRefused, with what it said, when an engine fails; each is tested once by a worker."""
    for kind, engine in parts.items():
        passed = getattr(engine, "passed_self_tests", frozenset())
        if kind in passed or not getattr(engine, "needs_pixels", True):
            continue
        wrong = _tested(kind, engine, alive)
        if wrong:
            raise EngineRefused(
                f"{type(engine).__name__} failed its self-test: {wrong} Its weights or its "
                "settings are wrong, or it cannot do this work. Nothing was scored."
            )
        engine.passed_self_tests = passed | {kind}


def _tested(kind: str, engine: Any, alive: Callable[[], None]) -> str:
    try:
        engine.load()
        return patiently(lambda some: [_CHECKS[kind](one) for one in some], [engine], alive)[0]
    except MemoryFull as error:
        raise EngineRefused(
            f"There is not enough memory to load {type(engine).__name__}: {error}"
        ) from error
    except ValueError as error:
        return f"{error}"


def _detector(engine: Any) -> str:
    known = tuple(engine.classes)
    draw = {"stop sign": stop_sign, "circle": red_circle}
    names = [name for name in draw if not known or name in known]
    if not names:
        return ""
    picture = draw[names[0]]()
    (found,) = engine.detect([picture], [names[:1]])
    if any(one["class"] == names[0] and one["score"] >= SURE_ENOUGH for one in found):
        return ""
    best = max(found, key=lambda one: one["score"], default=None)
    seen = f"a {best['class']} ({best['score']:.2f})" if best else "nothing"
    return f"on the drawing of a {names[0]} it found {seen}."


def _colorist(engine: Any) -> str:
    edge = SIDE // 4
    red: Detection = {"class": "square", "score": 1.0, "box": (edge, edge, 3 * edge, 3 * edge)}
    templates = ("a photo of a {color} {noun}",)
    (named,) = engine.colors(
        [(red_square(), red, ColorOf(Objects(), 0, "square", COLORS, templates))]
    )
    return "" if named == "red" else f"it called a red square {named}."


def _depth_sensor(engine: Any) -> str:
    (depth,) = engine.depths([red_square()])
    if np.ndim(depth) == 2 and np.isfinite(depth).all() and np.ptp(depth) > 0:
        return ""
    return "its depth map of a drawing is no map of different depths."


def _matcher(engine: Any) -> str:
    picture = red_square()
    red, blue = engine.similarities([(picture, "a red square"), (picture, "a blue square")])
    if math.isfinite(red) and red > blue:
        return ""
    return f"for a red square, “a red square” fits {red:.3f} and “a blue square” {blue:.3f}."


def _answerer(engine: Any) -> str:
    yes, no = engine.answer(
        [(red_square(), [Question(ASKED, ("Yes",)), Question(ASKED, ("No",))])]
    )[0]
    if yes.probability is None or no.probability is None:
        return f"it gave no answer about a red square: {yes.reason or no.reason}"
    if yes.probability > no.probability:
        return ""
    return f"it saw no red square in one (yes {yes.probability:.2f}, no {no.probability:.2f})."


def _talker(engine: Any) -> str:
    ((reply, *_),) = engine.talk([(red_square(), Talk((ASKED,), max_tokens=16))])
    return (
        "" if "yes" in reply.lower() else f"asked for a red square in one, it said “{reply[:80]}”."
    )


_CHECKS = {
    "objects": _detector,
    "colors": _colorist,
    "depth": _depth_sensor,
    "similarity": _matcher,
    "answers": _answerer,
    "talk": _talker,
}


def red_square() -> Image.Image:
    picture, brush = _paper()
    brush.rectangle((SIDE // 4, SIDE // 4, 3 * SIDE // 4, 3 * SIDE // 4), fill=RED)
    return picture


def red_circle() -> Image.Image:
    picture, brush = _paper()
    brush.ellipse((SIDE // 4, SIDE // 4, 3 * SIDE // 4, 3 * SIDE // 4), fill=RED)
    return picture


def stop_sign() -> Image.Image:
    """On its pole, before a sky and a meadow: detectors have learned it out of doors."""
    picture, brush = _paper()
    brush.rectangle((0, 0, SIDE, 2 * SIDE // 3), fill=(150, 190, 230))
    brush.rectangle((0, 2 * SIDE // 3, SIDE, SIDE), fill=(95, 140, 75))
    middle = SIDE // 2
    brush.rectangle((middle - 8, middle, middle + 8, SIDE), fill=(130, 130, 130))
    for radius, color in ((150, (245, 245, 245)), (140, RED)):
        brush.regular_polygon((middle, 190, radius), 8, fill=color)
    font = ImageFont.load_default(size=92)
    brush.text((middle, 190), "STOP", fill=(250, 250, 250), font=font, anchor="mm")
    return picture


def _paper() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    picture = Image.new("RGB", (SIDE, SIDE), PAPER)
    return picture, ImageDraw.Draw(picture)
