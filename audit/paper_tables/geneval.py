"""GenEval: Table 2, the score of each generator by task, Tables 4 and 5, agreement with single people
by task, and what the official summary_scores.py prints.

The overall score is the plain mean of the tasks. Agreement and κ are over all pairs of an image and
a person; people among themselves over all pairs of two people's answers to one image.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from audit.exhibits import Row, Table
from audit.paper_tables.study import PEOPLE, Audited
from audit.paper_tables.table import make_row, make_table, mean
from audit.reports.bootstrap import draw_of
from audit.reports.options import Options
from jurybox_judging.methods.geneval import summarise
from jurybox_stats import agreement
from jurybox_stats.estimate import Estimate, Result, Undefined

TASKS = {
    "single_object": "single object",
    "two_object": "two object",
    "counting": "counting",
    "colors": "colors",
    "position": "position",
    "color_attr": "attribute binding",
}
FIRST = (
    "First annotator: of each image the person whose answer came first, against each of the others.",
)
Pairs = tuple[np.ndarray, np.ndarray, np.ndarray]  # one answer, the other, the image


def tables(audited: Audited) -> Sequence[Table]:
    tasks = _tasks(audited)
    heads = tuple(TASKS.get(tag, tag) for tag in tasks)
    pairs = _with_people(audited)
    return [
        make_table(
            "GenEval, Table 2: scores by task",
            "generator",
            ("overall", "all images", *heads),
            tuple(_scores(audited, tasks)),
            2,
            (
                "Overall is the plain mean of the tasks, as the paper scores generators. People: the mean "
                "of all answers, which the paper prints over all images, and the majority for each image.",
            ),
        ),
        make_table(
            "GenEval, Table 5: agreement with single people",
            "judge",
            ("overall", *heads),
            tuple(_compare_rows(audited, pairs, tasks, "percent_agreement")),
            3,
            FIRST,
        ),
        make_table(
            "GenEval, Table 4: Cohen’s κ with single people",
            "judge",
            ("overall", *heads),
            tuple(_compare_rows(audited, pairs, tasks, "cohen_kappa")),
            2,
            FIRST,
        ),
        _summary(audited),
    ]


def _summary(audited: Audited) -> Table:
    """Of the verdicts alone, as the official script counts them: no score is no image."""
    people = audited.paired.people
    rows = []
    for generator, here in audited.generators:
        for name, judge in audited.judges:
            if not judge.has_verdicts:
                continue
            known = np.flatnonzero(here & ~np.isnan(judge.verdicts))
            of_images = [
                (tag, str(people.each_prompt[at]), bool(judge.verdicts[at]))
                for at in known.tolist()
                for tag in people.tags[at][:1] or ("",)
            ]
            rows.append(make_row(f"{generator} · {name}", _summed(of_images)))
    columns = ("images", "prompts", "% correct images", "% correct prompts", "overall score")
    return make_table(
        "GenEval: what summary_scores.py prints",
        "generator",
        columns,
        tuple(rows),
        2,
        (
            "A prompt is correct when any of its images is; the overall score is the plain mean of "
            "the tasks (an image's first tag).",
        ),
    )


def _summed(of_images: list[tuple[str, str, bool]]) -> tuple[Result, ...]:
    if not of_images:
        return (Undefined("no image has a verdict", 0),) * 5
    found = summarise(of_images)
    numbers = (
        float(found.images),
        float(found.prompts),
        100 * found.correct_images,
        100 * found.correct_prompts,
        100 * found.overall,
    )
    return tuple(Estimate(number, None, None, found.images) for number in numbers)


def _tasks(audited: Audited) -> dict[str, np.ndarray]:
    """Tag -> its images; the paper's tasks in its order, where the study has any of them."""
    tags = audited.paired.people.tags
    there = sorted({tag for of_image in tags for tag in of_image})
    known = [tag for tag in TASKS if tag in there] or there
    return {tag: np.array([tag in of_image for of_image in tags], dtype=bool) for tag in known}


def _scores(audited: Audited, tasks: dict[str, np.ndarray]) -> list[Row]:
    people = audited.paired.people
    series = [(name, _verdicts(judge)) for name, judge in audited.judges]
    series += [(f"{PEOPLE}, all answers", people.mean), (f"{PEOPLE}, majority", people.majority)]
    rows = []
    for generator, here in audited.generators:
        for name, values in series:
            by_task = [_mean_of(values, here & of_task) for of_task in tasks.values()]
            known = [number for number in by_task if isinstance(number, Estimate)]
            overall = mean((number.value for number in known), "no task has a number")
            rows.append(
                make_row(f"{generator} · {name}", (overall, _mean_of(values, here), *by_task))
            )
    return rows


def _verdicts(judge) -> np.ndarray:
    return judge.verdicts if judge.has_verdicts else judge.scores


def _mean_of(values: np.ndarray, where: np.ndarray) -> Result:
    return mean(values[where & ~np.isnan(values)].tolist(), "nobody has judged such an image")


def _with_people(audited: Audited) -> list[tuple[str, Pairs]]:
    ratings = audited.paired.people.ratings
    listed: list[tuple[str, Pairs]] = []
    for name, judge in audited.judges:
        if judge.has_verdicts:
            rows = [(judge.verdicts, person) for person in ratings]
            listed.append((name, _pairs(rows)))
    # In both orders, so that κ does not depend on who is named first.
    both = [*combinations(ratings, 2), *combinations(ratings[::-1], 2)]
    listed.append(("between people", _pairs(both)))
    listed.append(("first annotator against the others", _first_with_others(audited)))
    return listed


def _first_with_others(audited: Audited) -> Pairs:
    ratings, first = audited.paired.people.ratings, audited.first_rater
    known = np.flatnonzero(first >= 0)
    theirs = np.full(ratings.shape[1], np.nan)
    theirs[known] = ratings[first[known], known]
    others = ratings.copy()
    others[first[known], known] = np.nan
    return _pairs([(theirs, row) for row in others])


def _pairs(rows: Sequence[tuple[np.ndarray, np.ndarray]]) -> Pairs:
    first, second, where = [np.empty(0)], [np.empty(0)], [np.empty(0, dtype=np.int64)]
    for one, other in rows:
        both = np.flatnonzero(~np.isnan(one) & ~np.isnan(other))
        first.append(one[both])
        second.append(other[both])
        where.append(both)
    return np.concatenate(first), np.concatenate(second), np.concatenate(where)


def _compare_rows(
    audited: Audited,
    pairs: list[tuple[str, Pairs]],
    tasks: dict[str, np.ndarray],
    statistic: str,
) -> list[Row]:
    prompts = audited.paired.people.prompts

    def compare_one(pair: Pairs, where: np.ndarray) -> Result:
        first, second, image = (part[where] for part in pair)
        if not image.size:
            return Undefined("no image has both answers", 0)
        with_interval = getattr(draw_of(prompts[image], Options()), statistic)(first, second)
        # Of one prompt, or where nobody ever differs, the paper prints a number all the same.
        return with_interval or getattr(agreement, statistic)(first, second)

    return [
        make_row(
            name,
            (
                compare_one(pair, np.ones(pair[2].size, dtype=bool)),
                *(compare_one(pair, of_task[pair[2]]) for of_task in tasks.values()),
            ),
        )
        for name, pair in pairs
    ]
