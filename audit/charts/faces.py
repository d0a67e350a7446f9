"""How each judge is drawn: a colour and a marker of its own, the same on every page.

They go by the judge's number in its study, which it keeps when others join. The first eight judges differ
in both; the next ones have other pairs, and dashed lines, so that in grey, too, marker and line tell them
apart. All of it comes round after sixty-four.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from audit.charts.when_used import alt
from audit.words.report import title

# Okabe & Ito 2008: colour-blind readers can tell them apart, and in grey print the shapes help.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C00", "#8A6FD1")
# The same hues for names: text needs a contrast of 4.5:1, lines only 3:1.
NAMES = {
    "light": (
        "#AA4A00",
        "#0069A4",
        "#00734F",
        "#A3477B",
        "#8A5F00",
        "#1F74AB",
        "#6B6B00",
        "#5F45A6",
    ),
    "dark": (
        "#FF9A57",
        "#6CB9F0",
        "#3CC79B",
        "#E3A3C6",
        "#F2BC4A",
        "#8FCDF2",
        "#C4C43A",
        "#B7A4F0",
    ),
}
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
# Of a line, by how often the shapes have come round.
DASHES = ((1, 0), (6, 3), (2, 2), (8, 2, 2, 2))
# Of a judge that is there for comparison only.
QUIET = {"light": "#b4b7bb", "dark": "#5d6268"}
# The markers as a page draws them beside a name, in a square of 12.
PATHS = {
    "circle": "M6 1a5 5 0 1 0 .01 0z",
    "square": "M1.5 1.5h9v9h-9z",
    "triangle-up": "M6 1l5.5 10H.5z",
    "diamond": "M6 0l5 6-5 6-5-6z",
    "cross": "M4.2 1h3.6v3.2H11v3.6H7.8V11H4.2V7.8H1V4.2h3.2z",
    "triangle-down": "M6 11L.5 1h11z",
    "triangle-right": "M11 6L1 .5v11z",
    "triangle-left": "M1 6L11 .5v11z",
}


@dataclass(frozen=True, slots=True)
class Face:
    colour: str
    shape: str
    dash: tuple[int, ...] = DASHES[0]

    @property
    def path(self) -> str:
        return PATHS[self.shape]


def number_of(body: dict[str, Any], judge: str) -> int:
    """Reports that do not know the numbers count the judges by name."""
    number = body["signature"]["judge_facts"][judge].get("number")
    return list(body["judges"]).index(judge) if number is None else number


def face_of(body: dict[str, Any], judge: str) -> Face:
    return face(number_of(body, judge))


def face(number: int) -> Face:
    turn = number // len(COLOURS)
    shape = SHAPES[(number + turn) % len(SHAPES)]
    return Face(COLOURS[number % len(COLOURS)], shape, DASHES[turn % len(DASHES)])


def name_ink(body: dict[str, Any], judge: str, theme: str) -> str:
    return NAMES[theme][number_of(body, judge) % len(COLOURS)]


def dashes_of(body: dict[str, Any], judges: Sequence[str]) -> alt.StrokeDash:
    return alt.StrokeDash(
        "judge:N",
        scale=alt.Scale(
            domain=[title(name) for name in judges],
            range=[list(face_of(body, name).dash) for name in judges],
        ),
        legend=None,
    )


def judge_scales(
    body: dict[str, Any], judges: Sequence[str], theme: str, loud: Sequence[str] | None = None
) -> tuple[alt.Color, alt.Shape]:
    """`loud`: those that are drawn in their colour, where the others are grey."""
    faces = [face_of(body, name) for name in judges]
    colours = [
        one.colour if loud is None or name in loud else QUIET[theme]
        for name, one in zip(judges, faces, strict=True)
    ]
    names = [title(name) for name in judges]
    return (
        alt.Color("judge:N", scale=alt.Scale(domain=names, range=colours), legend=None),
        alt.Shape(
            "judge:N",
            scale=alt.Scale(domain=names, range=[one.shape for one in faces]),
            legend=None,
        ),
    )
