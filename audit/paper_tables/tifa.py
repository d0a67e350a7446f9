"""TIFA's summary: the mean and the spread over captions, and the accuracy of each type of question.

A caption's score is the share of its questions that were answered right; where a caption has several
images, the mean over them. The spread is the sample standard deviation.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from audit.exhibits import Row, Table
from audit.paper_tables.study import AtomValue, Audited, by_image
from audit.paper_tables.table import make_row, make_table, mean
from jurybox_stats.estimate import Estimate, Result, Undefined

NOTHING = "no question was answered"


def tables(audited: Audited) -> Sequence[Table]:
    atoms = {name: audited.atoms_of(judge) for name, judge in audited.judges}
    kinds = sorted({atom.kind for listed in atoms.values() for atom in listed})
    rows = [
        _row(audited, f"{generator} · {name}", [a for a in listed if here[a.image]], kinds)
        for generator, here in audited.generators
        for name, listed in atoms.items()
        if listed
    ]
    return [
        make_table(
            "TIFA: tifa_average, tifa_stdev, accuracy_by_type",
            "generator",
            ("average", "stdev", *kinds),
            tuple(rows),
            3,
        )
    ]


def _row(audited: Audited, label: str, atoms: list[AtomValue], kinds: list[str]) -> Row:
    prompts = audited.paired.people.each_prompt
    by_caption: dict[int, list[float]] = {}
    for image, values in by_image(atoms):
        by_caption.setdefault(int(prompts[image]), []).append(sum(values) / len(values))
    captions = [sum(values) / len(values) for values in by_caption.values()]
    spread: Result = Undefined("one caption has no spread", len(captions))
    if len(captions) > 1:
        spread = Estimate(statistics.stdev(captions), None, None, len(captions))
    by_kind = [mean((a.value for a in atoms if a.kind == kind), NOTHING) for kind in kinds]
    return make_row(label, (mean(captions, NOTHING), spread, *by_kind))
