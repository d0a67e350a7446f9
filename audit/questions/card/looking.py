"""The parts of a card that rest on made pictures."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_noop

from audit.questions.card.rows import SCORE, SHARE, not_measured, row
from audit.questions.card.scores import Scores
from judges.cards.changes import (
    AGAIN,
    BLIND,
    CHANGES,
    CROSS,
    DARK,
    FOOLING,
    LADDER,
    LADDERS,
    REMOVED,
    STEPS,
)
from jurybox_stats.cards.changes import mean_of, read_ladder, shift
from jurybox_stats.estimate import Result

PARTS = (DARK, CROSS, BLIND, FOOLING, LADDER, AGAIN)
NO_VERDICTS = "it gives scores and no verdicts"
NO_SCORE = "the judge gave no score to any of these pictures"

Rows = list[dict[str, Any]]


def rows_of_pictures(scores: Scores) -> Rows:
    return [
        *_dark_current(scores),
        *_of_changes(scores, CROSS),
        *_blind(scores),
        *_of_changes(scores, FOOLING),
        *_ladders(scores),
        *_of_changes(scores, AGAIN),
    ]


def rows_without_pictures(why: str) -> Rows:
    return [not_measured(part, why) for part in PARTS]


def _dark_current(scores: Scores) -> Rows:
    """What it says where there is nothing to see."""
    rows: Rows = []
    for name in _change_names(DARK):
        words = CHANGES[name].words
        images = scores.images_with([name])
        if not images:
            rows.append(not_measured(DARK, NO_SCORE, words))
            continue
        found = mean_of(scores.scores(images, name), scores.prompts(images))
        rows.append(row(DARK, gettext_noop(f"{words}: score"), SCORE, found, change=name))
        images = scores.images_with([name], verdicts=True)
        if images:
            found = mean_of(scores.verdicts(images, name), scores.prompts(images))
            rows.append(row(DARK, gettext_noop(f"{words}: says yes"), SHARE, found, change=name))
    return rows


def _blind(scores: Scores) -> Rows:
    """Without its picture, or with another's, a judge that looks must give less."""
    words = {REMOVED: "picture removed", "swapped": CHANGES["swapped"].words}
    return [
        one for name, called in words.items() for one in _moves(scores, BLIND, name, called, fall=1)
    ]


def _of_changes(scores: Scores, part: str) -> Rows:
    return [
        one
        for name in _change_names(part)
        for one in [
            *_moves(scores, part, name, CHANGES[name].words),
            *([] if part == FOOLING else _share_changed(scores, part, name)),
        ]
    ]


def _moves(scores: Scores, part: str, name: str, words: str, fall: int = 0) -> Rows:
    images = scores.images_with([name])
    if not images:
        return [not_measured(part, NO_SCORE, words)]
    moves = scores.scores(images, name) - scores.scores(images)
    found = shift(moves, scores.prompts(images))
    more = {"must_fall": True} if fall else {}
    return [row(part, gettext_noop(f"{words}: score moves by"), SCORE, found, change=name, **more)]


def _share_changed(scores: Scores, part: str, name: str) -> Rows:
    """How often the verdict is another one."""
    change = CHANGES[name].words
    words = gettext_noop(f"{change}: verdict changes")
    images = scores.images_with([name], verdicts=True)
    if not images:
        why = NO_SCORE if scores.has_verdicts else NO_VERDICTS
        return [not_measured(part, why, words)]
    changed = (scores.verdicts(images, name) != scores.verdicts(images)).astype(float)
    return [row(part, words, SHARE, mean_of(changed, scores.prompts(images)), change=name)]


def _ladders(scores: Scores) -> Rows:
    rows: Rows = []
    for ladder, words in LADDERS.items():
        names = [f"{ladder}-{step}" for step in range(1, STEPS + 1)]
        images = scores.images_with(names)
        if not images:
            rows.append(not_measured(LADDER, NO_SCORE, words))
            continue
        after = [scores.scores(images, name) for name in names]
        read = read_ladder(scores.scores(images), after, scores.prompts(images))
        what = gettext_noop(f"ladder of {words}: falls over all steps by")
        rows.append(row(LADDER, what, SCORE, read.gain, ladder=words, told=read.told))
        for step, found in enumerate(read.falls, 1):
            what = gettext_noop(f"{words}, step {step} of {STEPS}: falls by")
            rows.append(_step(what, found, words, step))
    return rows


def _step(what: str, found: Result, ladder: str, step: int) -> dict[str, Any]:
    return row(LADDER, what, SCORE, found, ladder=ladder, step=step)


def _change_names(part: str) -> list[str]:
    return [name for name, change in CHANGES.items() if change.part == part]
