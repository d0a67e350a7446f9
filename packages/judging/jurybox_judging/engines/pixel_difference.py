"""How far a result is its source, pixel by pixel, outside the part that may change. No weights.

It gets source, result and, where the set has one, the mask of what may change (white). Without a mask,
what may change is the largest coherent change itself: then an edit in several places, or of the whole
picture, counts as damage, and so does the edit itself where the damage is larger.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata

import numpy as np
from PIL import Image

from jurybox_judging.engines.shared.checkpoint import pictures
from jurybox_judging.engines.shared.shown_pictures import named_pictures
from jurybox_judging.options import Declared, choice, real, whole
from jurybox_judging.protocols import RESULT, Answer, Engine, Question, Shown

NAMES = {"pixel-difference": {"class": "PixelDifference"}}

STRUCTURE, COLOUR = "structure", "colour"
MASK, CHANGE = "the mask", "the largest change"
# By so much the sides' ratios may differ, so that one picture can be laid over the other.
SHAPE = 0.02
# Wang et al. 2004: the two constants, and a square window as most code has it.
K1, K2, WINDOW = 0.01, 0.03, 7
# A change of this many steps of 255 in some colour is seen; compression alone stays below.
SEEN = 24
GRAIN = 0.012  # of the longer side: changes that are nearer than this are one


@dataclass(eq=False)
class PixelDifference(Engine, Declared):
    measure: str = choice(
        STRUCTURE,
        (STRUCTURE, COLOUR),
        "structure: SSIM of brightness. colour: 1 − the mean difference of the three colours.",
    )
    worst: float = real(
        0.05,
        "The share of the part outside that counts, the worst first; 1: all of it. A small damage "
        "is lost in the mean of a large picture.",
        minimum=0.001,
        maximum=1,
    )
    side: int = whole(512, "Larger pictures are reduced to this side.", minimum=64, maximum=2048)
    batch: int = pictures(8)

    identity = "judges.engines.pixel_difference:PixelDifference"
    version = "1"
    takes_several = True
    # It has no weights that could have loaded badly.
    passed_self_tests = frozenset({"answers"})

    @property
    def facts(self) -> dict[str, str]:
        libraries = " ".join(f"{n} {metadata.version(n)}" for n in ("numpy", "scipy", "pillow"))
        return {"device": "cpu", "precision": "float64", "libraries": libraries}

    def load(self) -> None:
        """There are no weights."""

    def forget(self) -> None:
        """It remembers nothing."""

    def answer(self, asked: Sequence[tuple[Shown, Sequence[Question]]]) -> list[list[Answer]]:
        return [self._of_edit(dict(named_pictures(shown)), len(each)) for shown, each in asked]

    def _of_edit(self, shown: dict[str, Image.Image], times: int) -> list[Answer]:
        began = time.perf_counter()
        source = next((p for place, p in shown.items() if place.startswith("source")), None)
        if source is None or RESULT not in shown:
            raise ValueError("It compares a result with its source, and one of them is not shown.")
        before, after, mask = self._laid_over(source, shown[RESULT], shown.get("mask"))
        outside = ~(largest_change(before, after) if mask is None else mask)
        if not outside.any():
            what = "change covers" if mask is None else "mask covers"
            raise ValueError(f"The {what} the whole picture: nothing outside is left to compare.")
        local = likeness(before, after, self.measure)[outside]
        count = max(1, round(self.worst * local.size))
        value = float(np.partition(local, count - 1)[:count].mean())
        said = CHANGE if mask is None else MASK
        kept = Answer(min(1.0, max(0.0, value)), said, seconds=time.perf_counter() - began)
        return [kept] * times

    def _laid_over(
        self, source: Image.Image, result: Image.Image, mask: Image.Image | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """All of one size, that of the source or smaller."""
        apart = (source.width * result.height) / (source.height * result.width)
        if not 1 - SHAPE <= apart <= 1 + SHAPE:
            raise ValueError(
                f"The result ({result.width} × {result.height}) has another shape than its source "
                f"({source.width} × {source.height}): they cannot be laid over each other."
            )
        scale = min(1.0, self.side / max(source.size))
        size = (max(1, round(source.width * scale)), max(1, round(source.height * scale)))
        before, after = (
            np.asarray(one.convert("RGB").resize(size, Image.Resampling.BOX), dtype=np.float64)
            for one in (source, result)
        )
        if mask is None:
            return before, after, None
        # What lies under the edge of the mask may change, too.
        white = np.asarray(mask.convert("L").resize(size, Image.Resampling.BILINEAR)) > 0
        return before, after, _widened(white, WINDOW // 2)


def likeness(before: np.ndarray, after: np.ndarray, measure: str) -> np.ndarray:
    """For each pixel: 1 where both are the same."""
    if measure == COLOUR:
        return 1 - np.abs(before - after).mean(axis=2) / 255
    return structure(*(one @ (0.299, 0.587, 0.114) for one in (before, after)))


def structure(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """SSIM at each pixel, of grey pictures from 0 to 255."""
    from scipy.ndimage import uniform_filter

    def mean(values: np.ndarray) -> np.ndarray:
        return uniform_filter(values, WINDOW)

    n = WINDOW * WINDOW
    x, y = mean(one), mean(two)
    # Variances of a sample, as in the paper.
    xx, yy, xy = (
        n / (n - 1) * (mean(a * b) - p * q)
        for a, b, p, q in ((one, one, x, x), (two, two, y, y), (one, two, x, y))
    )
    c1, c2 = (K1 * 255) ** 2, (K2 * 255) ** 2
    return ((2 * x * y + c1) * (2 * xy + c2)) / ((x * x + y * y + c1) * (xx + yy + c2))


def largest_change(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Where the largest coherent change lies; nowhere, if nothing changed."""
    from scipy.ndimage import label

    reach = max(WINDOW // 2, round(GRAIN * max(before.shape[:2])))
    changed = _widened(np.abs(before - after).max(axis=2) > SEEN, reach)
    parts, count = label(changed)
    if not count:
        return changed
    sizes = np.bincount(parts.ravel())
    sizes[0] = 0
    return parts == sizes.argmax()


def _widened(where: np.ndarray, reach: int) -> np.ndarray:
    from scipy.ndimage import maximum_filter

    return maximum_filter(where, 2 * reach + 1)
