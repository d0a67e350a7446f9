"""What papers' tables are made of: the paired labels and scores, and the atoms of each image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from annotations import consensus
from annotations.errors import Refused
from annotations.models import Annotation, Answer, Atom, Study
from audit.reports.human_scores import REFUSED
from audit.reports.make import question_of
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, Paired, pair
from audit.words.report import title
from judges.models import AtomScore, Run

PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class AtomValue:
    """What people or a judge say of one atom of an image."""

    image: int  # its place in the paired series
    index: int
    kind: str
    value: float


@dataclass(frozen=True)
class Audited:
    study: Study
    paired: Paired
    question: str

    @cached_property
    def generators(self) -> list[tuple[str, np.ndarray]]:
        """Name and images, in the order of release dates."""
        people = self.paired.people
        return [(name, people.generators == at) for at, name in enumerate(people.generator_names)]

    @cached_property
    def judges(self) -> list[tuple[str, JudgeScores]]:
        return [(title(judge.name), judge) for judge in self.paired.judges]

    @cached_property
    def place(self) -> dict[str, int]:
        return {key: place for place, key in enumerate(self.paired.people.images.tolist())}

    @cached_property
    def first_rater(self) -> np.ndarray:
        """Of each image the row of the person whose answer came first, as far as the file or the times tell;
        −1 where nobody answered."""
        people = self.paired.people
        row = {name: at for at, name in enumerate(people.raters)}
        first = np.full(len(people.images), -1)
        given = Annotation.objects.filter(study=self.study, state=Annotation.State.COUNTED)
        ordered = given.order_by("-submitted_at", "-pk")
        for key, name in ordered.values_list("image__key", "annotator__name").iterator():
            at, who = self.place[key], row.get(name, -1)
            if who >= 0 and not np.isnan(people.ratings[who, at]):
                first[at] = who
        return first

    def atoms_of(self, judge: JudgeScores) -> list[AtomValue]:
        run = Run.objects.get(study=self.study, judge__fingerprint=judge.fingerprint)
        rows = AtomScore.objects.filter(score__run=run, value__isnull=False).order_by()
        values = rows.values_list(
            "score__image__key", "atom__index", "atom__prompt__metadata", "atom__kind", "value"
        )
        return sorted(
            (
                AtomValue(self.place[key], index, _kind(metadata, index, kind), float(value))
                for key, index, metadata, kind, value in values
                if value is not None
            ),
            key=lambda atom: (atom.image, atom.index),
        )

    def atoms_of_people(self) -> list[AtomValue]:
        """The majority of the answers about each atom; a draw is none."""
        given: dict[tuple[str, int, str], list[float]] = {}
        rows = Answer.objects.atom_numbers(self.study).order_by()
        for key, index, kind, value in rows.values_list(
            "annotation__image__key", "atom__index", "atom__kind", "value"
        ):
            if value is not None:
                given.setdefault((key, index, kind), []).append(value)
        majority = {
            atom: float(consensus.majority(np.array(values)[:, None])[0])
            for atom, values in given.items()
        }
        return sorted(
            (
                AtomValue(self.place[key], index, kind, value)
                for (key, index, kind), value in majority.items()
                if not np.isnan(value)
            ),
            key=lambda atom: (atom.image, atom.index),
        )

    @cached_property
    def questions_asked(self) -> dict[int, int]:
        """Image -> how many atoms its prompt has."""
        counted: dict[int, int] = {}
        for prompt in Atom.objects.filter(prompt__study=self.study).values_list(
            "prompt", flat=True
        ):
            counted[prompt] = counted.get(prompt, 0) + 1
        images = self.study.images.order_by().values_list("key", "prompt")
        return {self.place[key]: counted.get(prompt, 0) for key, prompt in images}


def audited(study: Study, options: Options) -> Audited:
    """Takes a constant number of queries for each judge."""
    question = question_of(study, options)
    options = replace(options, question=question)
    paired = pair(study=study, question=question, judges=options.judges)
    if paired.people.chances is not None:
        raise Refused(f"A paper’s tables do not weight labels: {REFUSED}.")
    return Audited(study, paired, question)


def by_image(atoms: list[AtomValue]) -> Iterator[tuple[int, list[float]]]:
    values: dict[int, list[float]] = {}
    for atom in atoms:
        values.setdefault(atom.image, []).append(atom.value)
    yield from sorted(values.items())


def _kind(metadata: dict, index: int, kind: str) -> str:
    """TIFA's own name of the type, where its files brought one."""
    asked = metadata.get("questions") if isinstance(metadata, dict) else None
    if isinstance(asked, list) and index < len(asked) and isinstance(asked[index], dict):
        return str(asked[index].get("element_type") or kind)
    return kind
