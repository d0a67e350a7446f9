"""Reads labels and scores from the database into plain arrays. Nothing else pairs them.

Everything is in the order of the images' keys, never of database ids, so that two installations
with the same data compute the same numbers, digit for digit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from annotations import consensus
from annotations.kept.figures import NO_KEYS, Counter, figures
from annotations.models import (
    Annotation,
    Answer,
    FormVersion,
    Generator,
    Image,
    Membership,
    Prompt,
    Study,
)
from annotations.scales import Scale, inferred
from annotations.studies import adjudication, draws
from annotations.studies.queries import answers_in_words, cannot_tell
from judges.models import AtomScore, Judge, Run, Score
from judges.names import runs_by_name

UNRATED = np.nan


@dataclass(frozen=True)
class People:
    """Everybody's answers to one question: raters × images, nan where somebody did not answer."""

    study: str
    question: str
    scale: Scale
    images: np.ndarray  # keys
    prompts: np.ndarray  # a code per image, in the order of the prompts' keys
    generators: np.ndarray  # a code per image, in the order of `generator_names`
    variants: np.ndarray
    tags: tuple[tuple[str, ...], ...]
    atomicity: np.ndarray  # nan where unknown
    generator_names: tuple[str, ...]
    release_dates: tuple[date | None, ...]
    ratings: np.ndarray
    raters: tuple[str, ...]
    forms: frozenset[str]  # the versions of the form that were on the screen
    annotations: int
    simulated: bool
    decisions: np.ndarray | None = None  # the owner's, for reports of consensus "adjudicated"
    # Where images were drawn with unequal chances: each one's chance (0: it could not be drawn), which
    # were drawn or certain, and which had labels before and so were certain without being drawn.
    chances: np.ndarray | None = None
    drawn: np.ndarray | None = None
    certain: np.ndarray | None = None

    @cached_property
    def majority(self) -> np.ndarray:
        return consensus.majority(self.ratings)

    @cached_property
    def mean(self) -> np.ndarray:
        return consensus.mean(self.ratings)

    @cached_property
    def by_tag(self) -> dict[str, np.ndarray]:
        """Where each tag is, in the order of the tags."""
        return {
            tag: np.array([tag in tags for tags in self.tags], dtype=bool)
            for tag in sorted({tag for tags in self.tags for tag in tags})
        }

    @cached_property
    def has_labels(self) -> np.ndarray:
        return ~np.isnan(self.ratings).all(axis=0) if len(self.raters) else _no(self.images)


@dataclass(frozen=True)
class JudgeScores:
    """One judge over the images of `People`, in the same order; nan where there is no score."""

    name: str
    fingerprint: str
    facts: dict
    release_date: date | None
    scores: np.ndarray
    verdicts: np.ndarray  # 0/1, nan where the judge gives none
    failed: np.ndarray  # bool: a judgement that failed
    atom_kinds: np.ndarray
    atom_scores: np.ndarray
    atom_labels: np.ndarray
    atom_prompts: np.ndarray
    # Why its run was stopped: then its scores are not those of a whole study.
    stopped: str = ""
    # Answers of the model that were not told and count 0, as in the official code.
    assumed: int = 0

    @property
    def has_verdicts(self) -> bool:
        scored = ~np.isnan(self.scores)
        return bool(scored.any() and not np.isnan(self.verdicts[scored]).any())


@dataclass(frozen=True)
class Paired:
    people: People
    judges: tuple[JudgeScores, ...]

    @cached_property
    def digest(self) -> str:
        """A hash of everything that the statistics depend on, and of nothing else."""
        sha = hashlib.sha256()
        _hash(sha, self._of_people())
        for judge in self.judges:
            facts = [
                judge.fingerprint,
                _plain(judge.scores),
                _plain(judge.verdicts),
                judge.failed.tolist(),
                _plain(judge.atom_scores),
                _plain(judge.atom_labels),
                *([judge.stopped] if judge.stopped else []),
                *([judge.assumed] if judge.assumed else []),
                *([judge.atom_kinds.tolist()] if judge.atom_kinds.size else []),
                *([judge.atom_prompts.tolist()] if judge.atom_prompts.size else []),
            ]
            _hash(sha, facts)
        return sha.hexdigest()

    def _of_people(self) -> Iterator[Any]:
        people = self.people
        yield people.question
        yield list(people.images)
        yield people.prompts.tolist()
        yield [[people.generator_names[g] for g in people.generators.tolist()]]
        yield [d.isoformat() if d else None for d in people.release_dates]
        yield people.variants.tolist()
        yield people.tags
        yield _plain(people.atomicity)
        rows = zip(people.raters, people.ratings, strict=True)
        yield ([name, _plain(row)] for name, row in rows)
        if people.decisions is not None:
            yield _plain(people.decisions)
        if people.chances is not None and people.drawn is not None:
            yield people.chances.tolist()
            yield people.drawn.tolist()


def _hash(sha: hashlib._Hash, facts: Iterable[Any]) -> None:
    """As one JSON list, one fact at a time: the text of twenty million answers takes a gigabyte."""
    sha.update(b"[")
    for place, fact in enumerate(facts):
        sha.update(b", " if place else b"")
        if isinstance(fact, Iterator):
            _hash(sha, fact)
        else:
            sha.update(json.dumps(fact, ensure_ascii=False).encode())
    sha.update(b"]")


class Source(Protocol):
    """Where a report reads from: the database, or the files of a lake (`audit.lake.read`)."""

    slug: str
    simulated: bool
    # The questions of the form, as they are stored with it.
    asked: list[dict[str, Any]]

    def questions(self) -> list[str]: ...

    def words(self) -> dict[str, Any]: ...

    def pair(
        self, question: str, *, judges: Sequence[str] | None = None, decided: bool = False
    ) -> Paired: ...


class Database:
    """A study's rows."""

    def __init__(self, study: Study) -> None:
        self.study, self.slug, self.simulated = study, study.slug, study.simulated
        self.asked = study.form.questions

    def questions(self) -> list[str]:
        return questions_of(self.study)

    def words(self) -> dict[str, Any]:
        """Answers that are no numbers."""
        return {
            "cannot_tell": cannot_tell(self.study),
            "in_words": answers_in_words(self.study),
        }

    def pair(
        self, question: str, *, judges: Sequence[str] | None = None, decided: bool = False
    ) -> Paired:
        return pair(study=self.study, question=question, judges=judges, decided=decided)


def kept_questions(study: Study) -> list[str]:
    """The same for a page, which cannot look through a million answers."""
    return figures(study, QUESTIONS).body["questions"]


def questions_of(study: Study, *, only: str = "") -> list[str]:
    """The questions about whole images that were answered in numbers: the form's own, then others.
    Where "aligned" is derived from the form's answers, it comes first. `only`: just this one."""
    answers = Answer.objects.filter(
        annotation__study=study, atom__isnull=True, value__isnull=False
    ).order_by()
    if only:
        return [only] if answers.filter(question=only).exists() else []
    return in_order(
        set(answers.values_list("question", flat=True).distinct()), study.form.questions
    )


def in_order(asked: set[str], of_form: Sequence[Mapping[str, Any]]) -> list[str]:
    """Questions that were answered, as pages list them."""
    own = [question["name"] for question in of_form]
    first = ["aligned"] if "aligned" in asked - set(own) else []
    return first + [q for q in own if q in asked] + sorted(asked - {*own, *first})


QUESTIONS = Counter("questions", lambda study: ({"questions": questions_of(study)}, NO_KEYS))


def pair(
    *, study: Study, question: str, judges: Sequence[str] | None = None, decided: bool = False
) -> Paired:
    """Takes a constant number of queries. With `decided`, also reads what the owner decided where
    people disagreed."""
    people, order, prompt_codes = _people(study, question)
    if decided:
        decisions = adjudication.decisions_on(study=study, question=question, images=order)
        people = replace(people, decisions=decisions)
    runs = runs_by_name(study)
    numbers = numbers_of(runs.values())
    atom_labels = _atom_labels(study)
    if decided:
        atom_labels |= {k: [value] for k, value in adjudication.decided_atoms(study).items()}
    return Paired(
        people,
        tuple(
            _judge(run, name, numbers[run.pk], people, order, prompt_codes, atom_labels)
            for name, run in runs.items()
            if judges is None or run.judge.name in judges
        ),
    )


def _people(study: Study, question: str) -> tuple[People, dict[int, int], dict[int, int]]:
    # Sorted here: databases differ in how they order texts.
    prompts = sorted(
        Prompt.objects.filter(study=study).order_by().values_list("key", "pk", "tags", "atomicity"),
        key=lambda prompt: prompt[0],
    )
    prompt_codes = {pk: code for code, (_, pk, _, _) in enumerate(prompts)}
    generators = sorted(
        Generator.objects.filter(study=study), key=lambda g: by_date(g.release_date, g.name)
    )
    generator_codes = {g.pk: code for code, g in enumerate(generators)}
    images = sorted(
        Image.objects.filter(study=study)
        .order_by()
        .values_list("key", "pk", "prompt_id", "generator_id", "variant")
    )
    order = {pk: place for place, (_, pk, _, _, _) in enumerate(images)}
    answers = _answers(study, question)
    ratings, raters, simulated = _ratings(answers, order)
    codes = [prompt_codes[prompt] for _, _, prompt, _, _ in images]
    atomicities = [prompts[code][3] for code in codes]
    people = People(
        study=study.slug,
        question=question,
        scale=scale_of(question, study.form.questions, ratings),
        images=np.array([key for key, *_ in images], dtype=object),
        prompts=np.array(codes, dtype=np.int64),
        generators=np.array([generator_codes[g] for _, _, _, g, _ in images], dtype=np.int64),
        variants=np.array([variant for *_, variant in images], dtype=object),
        tags=tuple(tuple(prompts[code][2]) for code in codes),
        atomicity=np.array([np.nan if n is None else n for n in atomicities], dtype=float),
        generator_names=tuple(g.name for g in generators),
        release_dates=tuple(g.release_date for g in generators),
        ratings=ratings,
        raters=raters,
        forms=frozenset(
            str(form)
            for form in FormVersion.objects.filter(pk__in={form for _, _, form, _ in answers})
        ),
        annotations=len(answers),
        simulated=simulated,
    )
    return _with_chances(people, study, order), order, prompt_codes


def by_date(released: date | None, name: str) -> tuple[bool, date, str]:
    """The order of generators: by release date, those without last."""
    return released is None, released or date.max, name


def _with_chances(people: People, study: Study, order: Mapping[int, int]) -> People:
    """Draws with one chance for all need no weights, nor does a study of which all is labelled."""
    known = draws.chances_of(study)
    if known is None or known.uniform or people.has_labels.all():
        return people
    size = len(people.images)
    chances, drawn, certain = np.zeros(size), np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    for image, chance in known.chance.items():
        if (place := order.get(image)) is not None:
            chances[place] = chance
            drawn[place] = image in known.drawn
            certain[place] = image in known.before
    return replace(people, chances=chances, drawn=drawn, certain=certain)


def _answers(study: Study, question: str) -> list[tuple[int, int, int, float | None]]:
    """Image, rater, form and value of each counted answer about a whole image; no value is None."""
    counted = Answer.objects.filter(
        annotation__study=study,
        annotation__state=Annotation.State.COUNTED,
        question=question,
        atom__isnull=True,
        value__isnull=False,
    ).order_by()
    return list(
        counted.values_list(
            "annotation__image_id", "annotation__annotator_id", "annotation__form_id", "value"
        )
    )


def _ratings(
    answers: Sequence[tuple[int, int, int, float | None]], order: Mapping[int, int]
) -> tuple[np.ndarray, tuple[str, ...], bool]:
    """Raters × images, the raters by name, and whether any of them is simulated."""
    members = {
        pk: (name, simulated)
        for pk, name, simulated in Membership.objects.filter(
            pk__in={rater for _, rater, _, _ in answers}
        ).values_list("pk", "name", "simulated")
    }
    raters = sorted(name for name, _ in members.values())
    row = {pk: raters.index(name) for pk, (name, _) in members.items()}
    ratings = np.full((len(raters), len(order)), UNRATED)
    for image, rater, _, value in answers:
        ratings[row[rater], order[image]] = value
    return ratings, tuple(raters), any(simulated for _, simulated in members.values())


def scale_of(question: str, of_form: Sequence[Mapping[str, Any]], ratings: np.ndarray) -> Scale:
    for known in of_form:
        if known["name"] == question and known["choices"]:
            values = [choice["value"] for choice in known["choices"]]
            in_steps = all(float(value).is_integer() for value in values)
            kind = "yes/no" if set(values) == {0, 1} else "rating" if in_steps else "number"
            return Scale(kind, min(values), max(values))
    return inferred(np.unique(ratings[~np.isnan(ratings)]).tolist())


def _atom_labels(study: Study) -> dict[tuple[int, int], list[float]]:
    labels: dict[tuple[int, int], list[float]] = {}
    rows = Answer.objects.filter(
        annotation__study=study,
        annotation__state=Annotation.State.COUNTED,
        question="atom",
        atom__isnull=False,
        value__isnull=False,
    ).order_by()
    for image, atom, value in rows.values_list("annotation__image_id", "atom_id", "value"):
        if value is not None:
            labels.setdefault((image, atom), []).append(value)
    return labels


def _judge(
    run: Run,
    name: str,
    number: int,
    people: People,
    order: dict[int, int],
    prompt_codes: dict[int, int],
    atom_labels: dict[tuple[int, int], list[float]],
) -> JudgeScores:
    size = len(people.images)
    scores, verdicts = np.full(size, np.nan), np.full(size, np.nan)
    failed = np.zeros(size, dtype=bool)
    rows = Score.objects.filter(run=run).order_by()
    assumed = 0
    for image, value, correct, zeros in rows.values_list("image_id", "value", "correct", "assumed"):
        place = order[image]
        assumed += zeros
        if value is None:
            failed[place] = True
            continue
        scores[place] = value
        if correct is not None:
            verdicts[place] = correct
    atoms = _judged_atoms(run, order, prompt_codes, atom_labels) if atom_labels else []
    return JudgeScores(
        name=name,
        fingerprint=run.judge.fingerprint,
        facts=facts_of(run.judge, number),
        release_date=run.release_date,
        scores=scores,
        verdicts=verdicts,
        failed=failed,
        **columns_of(atoms),
        stopped=stopped(run),
        assumed=assumed,
    )


def facts_of(judge: Judge, number: int) -> dict[str, Any]:
    return {
        "name": judge.name,
        "method": f"{judge.method} {judge.method_version}",
        "engine": f"{judge.engine} {judge.engine_version}",
        "checkpoint": judge.checkpoint,
        "revision": judge.revision,
        "template": judge.template,
        "precision": judge.precision,
        "options": judge.options,
        "fingerprint": judge.fingerprint,
        "number": number,
        **({"title": judge.recipe.title} if judge.recipe else {}),
    }


def stopped(run: Run) -> str:
    return run.reason if run.state == Run.State.STOPPED else ""


def numbers_of(runs: Iterable[Run]) -> dict[int, int]:
    """Counted in the order in which they came, so that a judge keeps its number when others join."""
    return {pk: number for number, pk in enumerate(sorted(run.pk for run in runs))}


# Place of the image, index, code of the prompt, score, label, kind.
Atom = tuple[int, int, int, float, float, str]


def columns_of(atoms: Sequence[Atom]) -> dict[str, np.ndarray]:
    return {
        "atom_kinds": np.array([kind for *_, kind in atoms], dtype=object),
        "atom_scores": np.array([score for _, _, _, score, _, _ in atoms], dtype=float),
        "atom_labels": np.array([label for _, _, _, _, label, _ in atoms], dtype=float),
        "atom_prompts": np.array([prompt for _, _, prompt, _, _, _ in atoms], dtype=np.int64),
    }


def label_of(given: Sequence[float]) -> float:
    """What most people say of an atom; nan for a draw."""
    return float(consensus.majority(np.array(given, dtype=float)[:, None])[0])


def _judged_atoms(run, order, prompt_codes, atom_labels) -> list[Atom]:
    rows = AtomScore.objects.filter(score__run=run, value__isnull=False).order_by()
    atoms: list[Any] = []
    for image, atom, index, prompt, kind, value in rows.values_list(
        "score__image_id", "atom_id", "atom__index", "atom__prompt_id", "atom__kind", "value"
    ):
        given = atom_labels.get((image, atom))
        if given:
            label = label_of(given)
            if not np.isnan(label):
                atoms.append((order[image], index, prompt_codes[prompt], value, label, kind))
    return sorted(atoms)


def _plain(values: np.ndarray) -> list[float | None]:
    plain: list[float | None] = values.tolist()
    for place in np.flatnonzero(np.isnan(values)).tolist():
        plain[place] = None
    return plain


def _no(values: np.ndarray) -> np.ndarray:
    return np.zeros(len(values), dtype=bool)
