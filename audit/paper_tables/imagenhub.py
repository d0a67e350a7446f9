"""ImagenHub: people's scores of each model by task, and how well its raters agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from audit.exhibits import Row, Table
from audit.paper_tables.study import Audited
from audit.paper_tables.table import make_row, make_table
from audit.reports.pairing import People, pair
from jurybox_stats.people.imagenhub import QUESTIONS, figures

COLUMNS = (*QUESTIONS, *(f"{kind} {short}" for short in QUESTIONS for kind in ("κ", "α")))


def tables(audited: Audited) -> Sequence[Table]:
    people = {
        short: pair(study=audited.study, question=question, judges=()).people
        for short, question in QUESTIONS.items()
    }
    # Every image has its task as the only tag of its prompt.
    task_of = [tags[0] if tags else "" for tags in people["SC"].tags]
    return [
        make_table(
            f"ImagenHub, {task or 'all items'}: people’s scores and agreement",
            "model",
            COLUMNS,
            tuple(_rows(people, np.array([one == task for one in task_of], dtype=bool))),
            2,
        )
        for task in sorted(set(task_of))
    ]


def _rows(people: Mapping[str, People], of_task: np.ndarray) -> Iterator[Row]:
    first = people["SC"]
    for at, name in enumerate(first.generator_names):
        here = of_task & (first.generators == at)
        if here.any():
            numbers = figures({short: one.ratings[:, here] for short, one in people.items()})
            yield make_row(name, tuple(numbers[column] for column in COLUMNS))
