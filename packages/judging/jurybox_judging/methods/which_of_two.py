"""Which of two images matches a prompt better: judged twice, with the sides exchanged.

A model that prefers a side says the same side both times. What it says counts only where both replies name
the same image; otherwise the two are a tie, and how often both agree is shown as its swap consistency.
A reply without a verdict is no answer, never a tie.

Both are pictures of their own in the question, after the source where the prompt has one. `STRIP` is the
earlier question: both pasted into one picture, without a source. UnifiedReward's layouts are the words
that its models were trained on; its pictures have no names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from PIL import Image

from jurybox_judging.protocols import Placed, Talk

IDENTITY = "WhichOfTwo"
LEFT, RIGHT, TIE = "left", "right", "tie"


@dataclass(frozen=True, slots=True)
class Layout:
    """How two images are shown: `version` is part of the judge; `words` hold {prompt}, `edit` are those
    where the prompt has a source. `read` finds the verdict in a reply; `are_named`: whether the pictures
    have their names before them."""

    name: str
    version: str
    words: str
    edit: str
    read: Callable[[str], str | None]
    max_tokens: int = 400
    are_named: bool = True


VERDICT = re.compile(r"verdict\W{0,6}(left|right|tie)\b", re.IGNORECASE)
_BETTER = re.compile(r"image ([12]) is better|(?:both|equally) (?:images are equally )?good", re.I)
_SCORE = re.compile(r"image ([12])\s*:\s*(\d{1,3}(?:\.\d{1,20})?)", re.IGNORECASE)


def read(reply: str) -> str | None:
    """The last verdict: models weigh both sides aloud before they decide."""
    found = VERDICT.findall(reply)
    return found[-1].lower() if found else None


def read_better(reply: str) -> str | None:
    """UnifiedReward's last sentence of the kind “Image 1 is better.”"""
    found = _BETTER.findall(reply)
    return {"1": LEFT, "2": RIGHT, "": TIE}[found[-1]] if found else None


def read_scores(reply: str) -> str | None:
    """UnifiedReward 2.0's three pairs of numbers: whose sum is larger; None where one is missing."""
    found = _SCORE.findall(reply)
    if [side for side, _ in found] != ["1", "2"] * 3:
        return None
    sums = [sum(Decimal(number) for side, number in found if side == one) for one in "12"]
    if sums[0] == sums[1]:
        return TIE
    return LEFT if sums[0] > sums[1] else RIGHT


_END = (
    " First say in a few sentences what each one shows and what is missing or wrong. Then end with a line "
    "of its own: “Verdict: left”, “Verdict: right”, or “Verdict: tie” if both {same} equally well or "
    "equally badly."
)
APART = Layout(
    "apart",
    "2",
    "The two pictures, named left and right, were made for this description:\n\n{prompt}\n\nWhich of the "
    "two matches the description better?" + _END.replace("{same}", "match"),
    "The picture named source was edited twice, with this instruction:\n\n{prompt}\n\nThe two results are "
    "named left and right. Which of them does what the instruction asks for and leaves the rest as it was?"
    + _END.replace("{same}", "do so"),
    read,
)
_STRIP_WORDS = (
    "The picture shows two images side by side, one on the left and one on the right, that were made "
    "for this description:\n\n{prompt}\n\nWhich of the two matches the description better? First say in "
    "a few sentences what each one shows and what is missing or wrong. Then end with a line of its own: "
    "“Verdict: left”, “Verdict: right”, or “Verdict: tie” if both match equally well or equally badly."
)
STRIP = Layout("strip", "1", _STRIP_WORDS, _STRIP_WORDS, read)
_OF_AN_EDIT = (
    "The first picture was edited twice, and the two pictures after it, Image 1 and Image 2, are the "
    "results. The text caption is the instruction. "
)
# github.com/CodeGoat24/UnifiedReward (MIT), word for word; what stands before it for an edit is ours.
_UNIFIED_WORDS = (
    "You are given a text caption and two generated images based on that caption. Your task is to evaluate "
    "and compare these images based on two key criteria:\n1. Alignment with the Caption: Assess how well "
    "each image aligns with the provided caption. Consider the accuracy of depicted objects, their "
    "relationships, and attributes as described in the caption.\n2. Overall Image Quality: Examine the "
    "visual quality of each image, including clarity, detail preservation, color accuracy, and overall "
    "aesthetic appeal.\nCompare both images using the above criteria and select the one that better aligns "
    "with the caption while exhibiting superior visual quality.\nProvide a clear conclusion such as "
    '"Image 1 is better.", "Image 2 is better." and "Both images are equally good."\n'
    "Your task is provided as follows:\nText Caption: [{prompt}]"
)
UNIFIED = Layout(
    "unified-reward",
    "unified-reward-1",
    _UNIFIED_WORDS,
    _OF_AN_EDIT + _UNIFIED_WORDS,
    read_better,
    512,
    are_named=False,
)
_UNIFIED_2_WORDS = (
    "You are presented with two generated images (Image 1 and Image 2) along with a shared text caption. "
    "Your task is to comparatively evaluate the two images across three specific dimensions:\n\n"
    "- Alignment Score: How well each image matches the caption in terms of content.\n"
    "- Coherence Score: How logically consistent and visually coherent each image is (absence of visual "
    "glitches, distorted objects, etc.).\n"
    "- Style Score: How aesthetically appealing each image is, regardless of caption accuracy.\n\n"
    "For each dimension, you must assign a relative score to Image 1 and Image 2, such that:\n"
    "- Each score is a float between 0 and 1 (inclusive).\n"
    "- The scores for Image 1 and Image 2 must sum to exactly 1.0 for each dimension.\n"
    "- The higher the score, the better that image is in the corresponding dimension *relative to the "
    "other*.\n\n"
    "This format emphasizes comparative quality rather than absolute evaluation.\n\n"
    "Please provide your evaluation in the format below:\n\n"
    "Alignment Score:\n Image 1: X\n Image 2: Y\n\n"
    "Coherence Score:\n Image 1: X\n Image 2: Y\n\n"
    "Style Score:\n Image 1: X\n Image 2: Y\n\n"
    "Your task is provided as follows:\nText Caption: [{prompt}]"
)
UNIFIED_2 = Layout(
    "unified-reward-2",
    "unified-reward-2",
    _UNIFIED_2_WORDS,
    _OF_AN_EDIT + _UNIFIED_2_WORDS,
    read_scores,
    512,
    are_named=False,
)
LAYOUTS = {layout.version: layout for layout in (APART, STRIP, UNIFIED, UNIFIED_2)}
# Both images are drawn at one height, with a white gap between them.
HEIGHT, GAP, WIDEST = 768, 24, 2048


def question(
    prompt: str, sides: tuple[str, str], beside: Sequence[Placed] = (), layout: Layout = APART
) -> Talk:
    """`sides`: the hashes of the left and the right image; `beside`: the prompt's own pictures."""
    if layout == STRIP:
        return Talk((layout.words.replace("{prompt}", prompt),), layout.max_tokens)
    words = layout.edit if any(one.place == "source" for one in beside) else layout.words
    shown = (*beside, Placed(LEFT, sides[0]), Placed(RIGHT, sides[1]))
    return Talk((words.replace("{prompt}", prompt),), layout.max_tokens, pictures=shown)


def together(one: str | None, other: str | None) -> tuple[str | None, bool | None]:
    """`one`: the reply with the first image left, `other`: with it right. “first”, “second” or “tie”,
    and whether both answered the same; None where a reply has no verdict."""
    if one is None or other is None:
        return None, None
    said = {LEFT: "first", RIGHT: "second", TIE: TIE}[one]
    again = {LEFT: "second", RIGHT: "first", TIE: TIE}[other]
    return (said, True) if said == again else (TIE, False)


def side_by_side(left: Image.Image, right: Image.Image) -> Image.Image:
    drawn = [_at_height(picture) for picture in (left, right)]
    width = sum(picture.width for picture in drawn) + GAP
    made = Image.new("RGB", (width, HEIGHT), "white")
    made.paste(drawn[0], (0, 0))
    made.paste(drawn[1], (drawn[0].width + GAP, 0))
    return made


def _at_height(picture: Image.Image) -> Image.Image:
    width = max(1, min(WIDEST, round(picture.width * HEIGHT / picture.height)))
    return picture.convert("RGB").resize((width, HEIGHT), Image.Resampling.LANCZOS)
