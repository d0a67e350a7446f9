"""GenEval 2: Table 4, people's and judges' scores by generator, and Tables 5 and 6, by skill and by
atomicity.

People's score of an image at the level of prompts is 1 where every atom was called right, and none
where an atom has no majority. Skills pool all atoms; everything else is a mean over images.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audit.exhibits import Table
from audit.paper_tables.study import PEOPLE, AtomValue, Audited, by_image
from audit.paper_tables.table import make_row, make_table, mean

SKILLS = ("object", "attribute", "count", "position", "verb")
NO_ATOMS = "no atom was answered"
NO_SCORES = "no image was scored"


def tables(audited: Audited) -> Sequence[Table]:
    of_people = audited.atoms_of_people()
    atoms = {PEOPLE: of_people, **{n: audited.atoms_of(judge) for n, judge in audited.judges}}
    kinds = {atom.kind for listed in atoms.values() for atom in listed}
    skills = [skill for skill in SKILLS if skill in kinds]
    whole = _whole(audited, of_people)
    return [
        make_table(
            "GenEval 2, Table 4: scores by generator, %",
            "generator",
            ("human, atoms", *whole),
            tuple(_scores(audited, of_people, whole)),
            1,
            (
                "A Soft-TIFA judge is compared with the atoms by its arithmetic mean, with the "
                "prompts by its geometric mean.",
            ),
        ),
        make_table(
            "GenEval 2, Table 5: by skill, %",
            "generator",
            tuple(skills),
            tuple(_by_skill(audited, atoms, skills)),
            1,
        ),
        _by_atomicity(audited, whole),
    ]


def _whole(audited: Audited, of_people: list[AtomValue]) -> dict[str, np.ndarray]:
    """Name -> a score for each image, nan where there is none."""
    prompts = np.full(len(audited.place), np.nan)
    for image, values in by_image(of_people):
        if len(values) == audited.questions_asked[image]:
            prompts[image] = float(all(value == 1 for value in values))
    return {"human, prompts": prompts, **{name: judge.scores for name, judge in audited.judges}}


def _scores(audited: Audited, of_people: list[AtomValue], whole: dict[str, np.ndarray]):
    parts = np.full(len(audited.place), np.nan)
    for image, values in by_image(of_people):
        parts[image] = sum(values) / len(values)
    for generator, here in audited.generators:
        numbers = [mean(_values_where(parts, here), NO_ATOMS, scale=100.0)]
        numbers += [mean(_values_where(of, here), NO_SCORES, scale=100.0) for of in whole.values()]
        yield make_row(generator, tuple(numbers))


def _by_skill(audited: Audited, atoms: dict[str, list[AtomValue]], skills: list[str]):
    for generator, here in audited.generators:
        for name, listed in atoms.items():
            if listed:
                yield make_row(
                    f"{generator} · {name}",
                    tuple(
                        mean(
                            (a.value for a in listed if a.kind == skill and here[a.image]),
                            NO_ATOMS,
                            scale=100.0,
                        )
                        for skill in skills
                    ),
                )


def _by_atomicity(audited: Audited, whole: dict[str, np.ndarray]) -> Table:
    atomicity = audited.paired.people.atomicity
    levels = np.unique(atomicity[~np.isnan(atomicity)])
    rows = [
        make_row(
            f"{generator} · {name}",
            tuple(
                mean(_values_where(values, here & (atomicity == level)), NO_SCORES, scale=100.0)
                for level in levels
            ),
        )
        for generator, here in audited.generators
        for name, values in whole.items()
    ]
    heads = tuple(f"{level:g}" for level in levels.tolist())
    return make_table("GenEval 2, Table 6: by atomicity, %", "generator", heads, tuple(rows), 1)


def _values_where(values: np.ndarray, where: np.ndarray) -> list[float]:
    return values[where & ~np.isnan(values)].tolist()
