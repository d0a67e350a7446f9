"""The numbers of sets of edits: GEdit-Bench by language, ImgEdit and KRIS-Bench by point and kind, RISEBench in
percent with its accuracy; and ImagenHub's, by task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np

from audit.set_scores.figure import Figure, ScoredImage, make_figure
from judges.exports.edit_set_results import grades_of, is_complete
from jurybox_formats.forms.papers.edits import overall_imagenhub
from jurybox_formats.sets.edit_sets.points import (
    FREE,
    POINTS,
    RISE_CATEGORIES,
    overall_gedit,
    overall_rise,
)
from jurybox_stats.people.imagenhub import QUESTIONS as IMAGENHUB
from jurybox_stats.series import Floats

# RISEBench's script weighs every edit that is not logical as if nothing had to stay as it was, as soon as one says
# so: an empty cell counts as yes.
NOTHING_STAYS = "nothing-stays"


# --- sets of edits


def edit_figures(name: str, rows: Sequence[ScoredImage], slips: Sequence[str] = ()) -> list[Figure]:
    graded = [(row, grades_of(name, row.evidence)) for row in rows]
    kept = [(row, grades) for row, grades in graded if grades]
    if name == "gedit":
        return _gedit(kept)
    if name == "rise":
        return _rise(kept, slips)
    return _graded(name, kept)


# In the evidence of an image: each person’s answers.
BY_PERSON = "by_person"


def imagenhub_figures(rows: Sequence[ScoredImage]) -> list[Figure]:
    """The mean over people, or the judge alone, of the mean over their items, by task; O is √(SC · PQ) of one
    person's answers about one item."""
    given = [(row, said) for row in rows if (said := _grades_by_person(row))]
    found = []
    for task in dict.fromkeys(row.tags[0] if row.tags else "" for row, _ in given):
        of_task = [one for one in given if (one[0].tags[0] if one[0].tags else "") == task]
        people = sorted({who for _, said in of_task for who in said})
        for short in IMAGENHUB:
            shares = [
                [(said[who][short], 1.0) if who in said else (0.0, 0.0) for _, said in of_task]
                for who in people
            ]
            name = f"{task}: {short}" if task else short
            found.append(
                make_figure(name, [row for row, _ in of_task], *shares, combine=_mean_of_there)
            )
    return found


def _grades_by_person(row: ScoredImage) -> dict[str, dict[str, float]]:
    """SC, PQ and O; whoever has not given both of the first is left out."""
    judge = {one["name"]: one["score"] for one in row.evidence.get("answers") or ()}
    found = {}
    for who, answers in row.evidence.get(BY_PERSON, {"": judge}).items():
        overall = overall_imagenhub(answers)
        if overall is not None:
            own = (answers[IMAGENHUB["SC"]], answers[IMAGENHUB["PQ"]], overall)
            found[who] = dict(zip(IMAGENHUB, own, strict=True))
    return found


Graded = Sequence[tuple[ScoredImage, Mapping[str, float]]]


def _gedit(graded: Graded) -> list[Figure]:
    """The mean over kinds of edits of the mean over their edits, by language."""
    rows = [row for row, _ in graded]
    points = {
        "semantic consistency": lambda grades: grades["semantic_consistency"],
        "perceptual quality": lambda grades: grades["perceptual_quality"],
        "overall": overall_gedit,
    }
    places = [(row.tags[-1] if row.tags else "", row.tags[0] if row.tags else "") for row in rows]
    kinds = dict.fromkeys(kind for _, kind in places)
    found = []
    for language in dict.fromkeys(language for language, _ in places):
        for name, grade in points.items():
            shares = [
                [
                    (grade(grades), 1.0) if place == (language, kind) else (0.0, 0.0)
                    for (_, grades), place in zip(graded, places, strict=True)
                ]
                for kind in kinds
            ]
            found.append(make_figure(f"{language}: {name}", rows, *shares, combine=_mean_of_there))
    overalls = [(overall_gedit(grades), 1.0) for _, grades in graded]
    for kind in kinds:
        chosen = [
            pair if place[1] == kind else (0.0, 0.0)
            for pair, place in zip(overalls, places, strict=True)
        ]
        found.append(make_figure(kind, rows, chosen))
    return found


def _mean_of_there(shares: Floats) -> float:
    """Kinds that no edit is of are no part of the mean."""
    there = shares[~np.isnan(shares)]
    return float(there.mean()) if there.size else float("nan")


def _graded(name: str, graded: Graded) -> list[Figure]:
    """The mean of edits, of each point, and of each kind. ImgEdit's script takes the three as they stand."""
    rows = [row for row, _ in graded]
    means = [(fmean(grades.values()), 1.0) for _, grades in graded]
    kinds = [row.tags[0] if row.tags else "" for row in rows]
    return [
        make_figure("all edits", rows, means),
        *(
            make_figure(
                point.replace("_", " "),
                rows,
                [(grades[point], 1.0) if point in grades else (0.0, 0.0) for _, grades in graded],
            )
            for point in POINTS[name].names
        ),
        *(
            make_figure(
                kind,
                rows,
                [m if own == kind else (0.0, 0.0) for m, own in zip(means, kinds, strict=True)],
            )
            for kind in dict.fromkeys(filter(None, kinds))
        ),
    ]


def _rise(graded: Graded, slips: Sequence[str]) -> list[Figure]:
    """Scores of 1 to 5 as percentages, and how many edits have the best grade throughout."""
    wanted = POINTS["rise"].wanted
    everything = NOTHING_STAYS in slips and any(row.metadata.get(FREE) for row, _ in graded)
    told = []
    for row, grades in graded:
        is_free = bool(row.metadata.get(FREE)) or everything
        if set(wanted(row.tags, is_free)) <= grades.keys():
            told.append((row, grades, is_free))
    rows = [row for row, _, _ in told]
    scores = [
        (25 * (overall_rise(grades, row.tags, is_free) - 1), 1.0) for row, grades, is_free in told
    ]
    # Whether all is right does not follow the slip.
    right = [(float(is_complete(row.tags, row.metadata, grades)), 1.0) for row, grades, _ in told]
    groups = {"all edits": None} | dict.fromkeys(RISE_CATEGORIES)
    found = []
    for group in groups:
        chosen = [group in row.tags or group == "all edits" for row in rows]
        if not any(chosen) and group != "all edits":
            continue
        label = group.replace("_", " ")
        for name, pairs in ((f"{label}: score, %", scores), (f"{label}: accuracy", right)):
            shares = [pair if own else (0.0, 0.0) for pair, own in zip(pairs, chosen, strict=True)]
            found.append(make_figure(name, rows, shares))
    return found
