"""Which of two images matches a prompt better: asked twice, with the sides exchanged.

A model that prefers a side says the same side both times. What it says counts only where both replies name
the same image; otherwise the two are a tie, and how often that happens is told as its swap consistency.
A reply without a verdict is no answer, never a tie.

Both are pictures of their own in the question, after the source where the prompt has one. `STRIP` is how
it was asked before: both pasted into one picture, without a source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from judges.protocols import Placed, Talk

IDENTITY = "WhichOfTwo"
LEFT, RIGHT, TIE = "left", "right", "tie"


@dataclass(frozen=True, slots=True)
class Layout:
    """How two images are shown: `version` is part of the judge; `words` hold {prompt}, `edit` are those
    where the prompt has a source."""

    name: str
    version: str
    words: str
    edit: str


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
)
_STRIP_WORDS = (
    "The picture shows two images side by side, one on the left and one on the right, that were made "
    "for this description:\n\n{prompt}\n\nWhich of the two matches the description better? First say in "
    "a few sentences what each one shows and what is missing or wrong. Then end with a line of its own: "
    "“Verdict: left”, “Verdict: right”, or “Verdict: tie” if both match equally well or equally badly."
)
STRIP = Layout("strip", "1", _STRIP_WORDS, _STRIP_WORDS)
LAYOUTS = {layout.version: layout for layout in (APART, STRIP)}
MAX_TOKENS = 400
VERDICT = re.compile(r"verdict\W{0,6}(left|right|tie)\b", re.IGNORECASE)
# Both images are drawn at one height, with a white gap between them.
HEIGHT, GAP, WIDEST = 768, 24, 2048


def question(
    prompt: str, sides: tuple[str, str], beside: Sequence[Placed] = (), layout: Layout = APART
) -> Talk:
    """`sides`: the hashes of the left and the right image; `beside`: the prompt's own pictures."""
    if layout == STRIP:
        return Talk((layout.words.replace("{prompt}", prompt),), MAX_TOKENS)
    words = layout.edit if any(one.place == "source" for one in beside) else layout.words
    shown = (*beside, Placed(LEFT, sides[0]), Placed(RIGHT, sides[1]))
    return Talk((words.replace("{prompt}", prompt),), MAX_TOKENS, pictures=shown)


def read(reply: str) -> str | None:
    """The last verdict: models weigh both sides aloud before they decide."""
    found = VERDICT.findall(reply)
    return found[-1].lower() if found else None


def together(one: str | None, other: str | None) -> tuple[str | None, bool | None]:
    """`one`: what was said with the first image left, `other`: with it right. “first”, “second” or “tie”,
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
