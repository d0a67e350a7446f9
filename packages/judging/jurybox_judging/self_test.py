"""Before a run: every engine must get a picture right that is drawn on the spot.

An engine whose weights loaded badly answers all the same. Before a picture whose content is
known, it gives itself away before the first score is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from jurybox_judging import registry
from jurybox_judging.ask_engine import with_retries
from jurybox_judging.errors import EngineRefused, MemoryFull
from jurybox_judging.marks import gettext_noop
from jurybox_judging.protocols import ColorOf, Detection, Engine, Objects, Question, Reward, Talk

SIDE = 512
RED, PAPER = (205, 30, 35), (238, 238, 238)
CONFIDENT_ENOUGH = 0.3
COLORS = ("red", "green", "blue", "yellow")
QUESTION = "Is there a red square in the image? Answer in one word."


def load_engines(judge: registry.Judge, *, keep_alive: Callable[[], None]) -> None:
    """From now on this judge works here: its engines are loaded, and tested where it says so."""
    registry.take_in_hand(judge)
    if judge.self_test:
        check_engines(judge.parts, keep_alive=keep_alive)
    else:
        for engine in judge.parts.values():
            engine.load()


def check_engines(parts: Mapping[str, Engine], *, keep_alive: Callable[[], None]) -> None:
    """Raises EngineRefused, with the answer, when one fails. A worker tests each engine once."""
    for kind, engine in parts.items():
        passed: frozenset[str] = getattr(engine, "passed_self_tests", frozenset())
        if kind in passed or not getattr(engine, "needs_pixels", True):
            continue
        wrong = what_is_wrong(kind, engine, keep_alive)
        if wrong:
            raise EngineRefused(
                f"{type(engine).__name__} failed its self-test: {wrong} Its weights or its "
                "settings are wrong, or it cannot do this work. Nothing was scored. If you know that it "
                "is right, start it with self_test = false."
            )
        engine.passed_self_tests = passed | {kind}


def what_is_wrong(kind: str, engine: Any, keep_alive: Callable[[], None]) -> str:
    """In a sentence; empty when the engine is right."""
    check = _CHECKS[kind]
    try:
        engine.load()
        return with_retries(engine, lambda _: [check(engine)], [engine], keep_alive)[0]
    except MemoryFull as error:
        raise EngineRefused(
            f"There is not enough memory to load {type(engine).__name__}: {error}"
        ) from error
    except ValueError as error:
        return f"{str(error).rstrip('.')}."


def _detector(engine: Any) -> str:
    classes = tuple(engine.classes)
    draw = {"stop sign": stop_sign, "circle": red_circle}
    names = [name for name in draw if not classes or name in classes]
    if not names:
        return ""
    picture = draw[names[0]]()
    (detections,) = engine.detect([picture], [names[:1]])
    if any(d["class"] == names[0] and d["score"] >= CONFIDENT_ENOUGH for d in detections):
        return ""
    best = max(detections, key=lambda detection: detection["score"], default=None)
    found = f"a {best['class']} ({best['score']:.2f})" if best else "nothing"
    drawn = names[0]
    return gettext_noop(f"on the drawing of a {drawn} it found {found}.")


def _colorist(engine: Any) -> str:
    edge = SIDE // 4
    red: Detection = {"class": "square", "score": 1.0, "box": (edge, edge, 3 * edge, 3 * edge)}
    templates = ("a photo of a {color} {noun}",)
    (name,) = engine.colors(
        [(red_square(), red, ColorOf(Objects(), 0, "square", COLORS, templates))]
    )
    return "" if name == "red" else gettext_noop(f"it called a red square {name}.")


def _depth_sensor(engine: Any) -> str:
    (depth,) = engine.depths([red_square()])
    if np.ndim(depth) == 2 and np.isfinite(depth).all() and np.ptp(depth) > 0:
        return ""
    return gettext_noop("its depth map of a drawing is no map of different depths.")


def _text_reader(engine: Any) -> str:
    (lines,) = engine.read_text([stop_sign()])
    read = " ".join(line["text"] for line in lines)
    if "STOP" in read.upper():
        return ""
    return gettext_noop(f"on the drawing of a stop sign it read “{read[:80]}”.")


def _matcher(engine: Any) -> str:
    picture = red_square()
    red, blue = engine.similarities([(picture, "a red square"), (picture, "a blue square")])
    if math.isfinite(red) and red > blue:
        return ""
    return gettext_noop(
        f"for a red square, “a red square” fits {red:.3f} and “a blue square” {blue:.3f}."
    )


def _rewarder(engine: Any) -> str:
    asked = [
        (red_square(), Reward(f"Textual prompt - a {name} square")) for name in ("red", "blue")
    ]
    (red, *_), (blue, *_) = engine.rewards(asked)
    if math.isfinite(red) and red > blue:
        return ""
    return gettext_noop(
        f"for a red square, “a red square” earns {red:.3f} and “a blue square” {blue:.3f}."
    )


def _answerer(engine: Any) -> str:
    yes, no = engine.answer(
        [(red_square(), [Question(QUESTION, ("Yes",)), Question(QUESTION, ("No",))])]
    )[0]
    if yes.probability is None or no.probability is None:
        reason = (yes.reason or no.reason).rstrip(".")
        return gettext_noop(f"it gave no answer about a red square: {reason}.")
    if yes.probability > no.probability:
        return ""
    return gettext_noop("it answered “no” about a picture of a red square.")


def _talker(engine: Any) -> str:
    ((reply, *_),) = engine.talk([(red_square(), Talk((QUESTION,), max_tokens=16))])
    if "yes" in reply.lower():
        return ""
    return gettext_noop(f"it answered “{reply[:80]}” about a picture of a red square.")


_CHECKS: dict[str, Callable[[Any], str]] = {
    "objects": _detector,
    "colors": _colorist,
    "depth": _depth_sensor,
    "writing": _text_reader,
    "similarity": _matcher,
    "reward": _rewarder,
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
    """On a pole between sky and meadow, as in the photographs that detectors were trained on."""
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
