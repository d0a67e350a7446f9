"""A file of judges' ready votes on pairs: which two images a row is about, which stood left, the vote.

A row names two images of the study, or a pair, or a prompt and two models as GenAI-Arena's rows do. What could
mean two pictures is refused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotations.models import Image, Pair, Study
from jurybox_formats.pair_files.rows import columns_of, rows_of
from jurybox_formats.sources.checks import Unfit, is_sound
from jurybox_formats.sources.records import Rejected, Remark, Unreadable
from jurybox_formats.sources.rows import Line

BY_IMAGES = ("first", "second")
BY_PAIR = ("pair_id",)
BY_MODELS = ("prompt", "left_model", "right_model")
# What the column of the vote may be called, and that of the judge.
VOTES = ("value", "vote", "vote_type", "winner", "preference")
JUDGES = ("judge", "judge_model", "rater")
LAYOUTS = (BY_IMAGES, BY_PAIR, BY_MODELS)

FIRST, SECOND, TIE, NOTHING = "first", "second", "tie", ""
# As files say it; “left” and “right” where the file says who stood where.
SAID = {
    **dict.fromkeys(("first", "a", "a>b", "model_a", "image_a"), FIRST),
    **dict.fromkeys(("second", "b", "b>a", "a<b", "model_b", "image_b"), SECOND),
    **dict.fromkeys(("tie", "both", "neither", "tievote", "bothbad_vote", "equal", "same"), TIE),
    **dict.fromkeys(("a=b", "a=b=good", "a=b=bad", "draw", "tie (bothbad)"), TIE),
    **dict.fromkeys(("cannot_tell", "cannot tell", "none"), NOTHING),
}
SIDES = {"left": 0, "leftvote": 0, "right": 1, "rightvote": 1}


@dataclass(frozen=True, slots=True)
class JudgeVote:
    """`images`: ids of the left and of the right one; where nobody says who stood where, of the first and the
    second. `said`: FIRST or SECOND of these, TIE, or NOTHING where the judge has none."""

    judge: str
    images: tuple[int, int]
    keys: tuple[str, str]
    said: str
    knows_sides: bool
    line: int


def votes_in(study: Study, path: Path, judge: str = "") -> Iterator[JudgeVote | Rejected]:
    """`judge`: whose votes they are, where no column says it."""
    columns = columns_of(path)
    layout = next((one for one in LAYOUTS if set(one) <= set(columns)), None)
    vote = next((name for name in VOTES if name in columns), None)
    if layout is None or vote is None:
        raise Unreadable(
            f"{path.name} holds no votes on pairs. Wanted: {', '.join(BY_IMAGES)}, or pair_id, or "
            f"{', '.join(BY_MODELS)}; and a vote, in a column {' or '.join(VOTES[:3])}."
        )
    named = next((name for name in JUDGES if name in columns), "")
    if not named and not judge:
        raise Unreadable(f"{path.name} does not say whose votes they are: name the judge.")
    optional = [name for name in (named, "left") if name and name in columns]
    known = _StudyPairs(study, layout)
    for row in rows_of(path, required=[*layout, vote], optional=optional):
        if isinstance(row, Rejected):
            yield row
        elif not isinstance(row, Remark):
            try:
                yield _vote_of(row, known, vote, judge or str(row.value.get(named, "")).strip())
            except Unfit as unfit:
                yield unfit.reject(row.line, path.name)


def _vote_of(row: Line[dict[str, Any]], known: _StudyPairs, vote: str, judge: str) -> JudgeVote:
    if not judge:
        raise Unfit("judge", "", "The row does not say whose vote it is.")
    ends, knows_sides = known.two_images(row.value)
    if ends[0] == ends[1]:
        raise Unfit("second", known.key_of(ends[1]), "Both are one and the same image.")
    said = str(row.value[vote]).strip().lower()
    if said in SIDES:
        if not knows_sides:
            raise Unfit(vote, said, "The row does not say who stood left; say first or second.")
        value = (FIRST, SECOND)[SIDES[said]]
    elif said in SAID:
        value = SAID[said]
        if known.was_turned and value in (FIRST, SECOND):
            value = SECOND if value == FIRST else FIRST
    else:
        listed = "first, second, tie, left, right, A>B, B>A, leftvote, rightvote, tievote"
        raise Unfit(vote, said[:80], f"A vote is one of {listed}.")
    keys = known.key_of(ends[0]), known.key_of(ends[1])
    return JudgeVote(judge, ends, keys, value, knows_sides, row.line)


class _StudyPairs:
    """What the study has of all that rows may name."""

    def __init__(self, study: Study, layout: Sequence[str]) -> None:
        self.layout = layout
        # Of the row that was read last: whether its second image stood left.
        self.was_turned = False
        images = Image.objects.filter(study=study).order_by("pk")
        self.keys: dict[int, str] = dict(images.values_list("pk", "key"))
        self._pks = {key: pk for pk, key in self.keys.items()}
        self._prompts: dict[int, int] = dict(images.values_list("pk", "prompt_id"))
        self._pairs: Mapping[str, tuple[int, int]] = {}
        self._by_model: dict[tuple[str, str], list[int]] = defaultdict(list)
        if layout == BY_PAIR:
            rows = Pair.objects.filter(study=study).values_list("key", "first_id", "second_id")
            self._pairs = {key: (first, second) for key, first, second in rows}
        if layout == BY_MODELS:
            for pk, text, model in images.values_list("pk", "prompt__text", "generator__name"):
                self._by_model[text.strip(), model.strip().lower()].append(pk)

    def key_of(self, pk: int) -> str:
        return self.keys[pk]

    def two_images(self, cell: Mapping[str, Any]) -> tuple[tuple[int, int], bool]:
        """The left one and the right one, and whether that is known."""
        self.was_turned = False
        if self.layout == BY_MODELS:
            left, right = (self._of_model(cell, f"{side}_model") for side in ("left", "right"))
            return (left, right), True
        if self.layout == BY_PAIR:
            name = str(cell["pair_id"]).strip()
            if name not in self._pairs:
                raise Unfit("pair_id", name[:80], "The study has no such pair.")
            ends = self._pairs[name]
        else:
            ends = self._image(cell, "first"), self._image(cell, "second")
            if self._prompts[ends[0]] != self._prompts[ends[1]]:
                words = "The two are images of different prompts."
                raise Unfit("second", self.keys[ends[1]], words)
        side = str(cell.get("left", "")).strip().lower()
        if side not in ("", "first", "second"):
            raise Unfit("left", side[:80], "“left” is first, second, or empty.")
        self.was_turned = side == "second"
        return (ends[::-1] if self.was_turned else ends), bool(side)

    def _image(self, cell: Mapping[str, Any], name: str) -> int:
        key = str(cell[name]).strip()
        if key not in self._pks:
            raise Unfit(name, key[:80], "The study has no such image.")
        return self._pks[key]

    def _of_model(self, cell: Mapping[str, Any], name: str) -> int:
        text, model = str(cell["prompt"]).strip(), str(cell[name]).strip()
        if not is_sound(text) or not is_sound(model):
            raise Unfit(name, model[:80], "Not sound text.")
        found = self._by_model.get((text, model.lower()), [])
        if len(found) == 1:
            return found[0]
        words = f"{len(found)} images by it have this prompt: name them in first and second."
        raise Unfit(name, model[:80], words if found else "It has no image of this prompt.")
