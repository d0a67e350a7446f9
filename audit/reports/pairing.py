"""Reads labels and scores from the database into plain arrays. Nothing else pairs them.

Everything is in the order of the images' keys, never of database ids, so that two installations
with the same data compute the same numbers, digit for digit.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from annotations import consensus
from annotations.database.columns import Places, blocks, columns
from annotations.exports.pseudonyms import name_in_reports
from annotations.models import (
    Answer,
    Atom,
    FormVersion,
    Generator,
    Image,
    Membership,
    Prompt,
    Study,
)
from annotations.stored_answers.question import Question
from annotations.stored_answers.store import read_figures
from annotations.studies import adjudication, draws
from annotations.studies.queries import answers_in_words, cannot_tell
from judges.models import AtomScore, Judge, Run, Score
from judges.names import own_title, runs_by_name
from judges.runs.form_question import form_question
from jurybox_formats.forms.scales import Scale, inferred
from jurybox_judging.recipes import peoples_unit
from jurybox_stats.instrument.latent import StepAnswers, step_answers
from jurybox_stats.instrument.moments import Answers, answers_of
from jurybox_stats.resampling.cluster_order import by_content, number_items
from jurybox_stats.resampling.small_samples import is_share
from jurybox_stats.series import FEW, SAMPLE, Codes, Floats, coded

UNRATED = np.nan
BLOCK = 2**16  # values hashed at once


@dataclass(frozen=True)
class LeftOut:
    """Images that nobody has labelled, where the arrays leave them out: most numbers read only the others."""

    size: int  # of all images
    labelled: Codes  # the places of those that are in the arrays
    # Each slice of all images, also one of which nobody has labelled any, with how many are left out there.
    by_generator: tuple[int, ...]
    by_tag: Mapping[str, int]
    atomicities: tuple[float, ...]
    variants: tuple[str, ...]
    # `People.prompts_by_content` of those in the arrays, which follows from all.
    prompts_by_content: Codes

    @cached_property
    def images(self) -> int:
        return self.size - self.labelled.size

    def spread(self, values: Floats) -> Floats:
        """Over all images, nan where they are left out."""
        everywhere = np.full(self.size, np.nan)
        everywhere[self.labelled] = values
        return everywhere


@dataclass(frozen=True)
class People:
    """Everybody's answers to one question: raters × images, nan where somebody did not answer."""

    study: str
    question: str
    scale: Scale
    images: np.ndarray  # keys
    # What is drawn together: a code per image, in the order of the prompts' keys; of a prompt with a family that
    # of the family's first prompt.
    prompts: np.ndarray
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
    ids: np.ndarray | None = None  # of the images, where they lie in a database
    left_out: LeftOut | None = None  # images that are in no array here
    # Where prompts have families: a code per image of the prompt itself.
    own_prompts: np.ndarray | None = None

    def name_of(self, row: int) -> str:
        """What a report calls this person; `raters` are the names, which no report shows."""
        return name_in_reports(self.study, self.raters[row])

    @property
    def each_prompt(self) -> np.ndarray:
        """For what is about the images of one prompt."""
        return self.prompts if self.own_prompts is None else self.own_prompts

    @property
    def clusters(self) -> str:
        """What is drawn together, where that is not each prompt by itself; else empty."""
        if self.own_prompts is None:
            return ""
        families, prompts = np.unique(self.prompts).size, np.unique(self.own_prompts).size
        return f"{families:,} families of {prompts:,} prompts"

    @cached_property
    def majority(self) -> np.ndarray:
        return consensus.majority(self.ratings)

    @cached_property
    def mean(self) -> np.ndarray:
        return consensus.mean(self.ratings)

    @cached_property
    def answers(self) -> Answers:
        """What drift is read from; what an owner has decided is taken as exact."""
        return answers_of(self.ratings, self.decisions)

    @cached_property
    def step_answers(self) -> StepAnswers:
        return step_answers(self.ratings, self.decisions)

    @cached_property
    def prompts_by_content(self) -> Codes:
        """A number for the prompt of each image that follows from what people say of its images and from
        where these belong, and from no name: two prompts of one number could change places."""
        left_out = self.left_out
        return self.find_prompts_by_content() if left_out is None else left_out.prompts_by_content

    def find_prompts_by_content(self) -> Codes:
        alone, said = self.number_answers()
        places = (found.astype(np.int32) for found in self._number_belongings(alone))
        return by_content(self.prompts, said, self.atomicity, *places)

    def number_answers(self) -> tuple[Codes, Codes]:
        """A number for each image by its answers, and one by who gave them, too."""
        return number_answers(self.answers, self.number_voices())

    def _number_belongings(self, said: Codes) -> Iterator[Codes]:
        """Where images belong, by the answers to all that belongs there."""
        yield by_content(self.generators, said)
        lists, codes = self.lists_of_tags()
        texts = np.unique(["\n".join(sorted(tags)) for tags in lists], return_inverse=True)[1]
        yield by_content(texts[codes] if lists else codes, said)
        yield by_content(self.number_variants(), said)

    def number_variants(self) -> Codes:
        names = {variant: code for code, variant in enumerate(sorted(set(self.variants)))}
        return np.fromiter((names[variant] for variant in self.variants), np.int64)

    def number_voices(self) -> Codes:
        """A number for each image that follows from who answered what, and from no name."""
        found = [np.unique(row[~np.isnan(row)]) for _, row in self.rows_of_ratings()]
        values = np.unique(np.concatenate(found)) if found else np.zeros(0)

        def read_codes() -> Iterator[Codes]:
            for _, row in self.rows_of_ratings():
                yield np.where(np.isnan(row), 0, np.searchsorted(values, row) + 1)

        # Who says most, then who says highest: numbers of people without their names.
        sizes = [((row > 0).sum(), row.sum()) for row in read_codes()]
        number, total = np.array(sizes, dtype=np.int64).reshape(-1, 2).T
        order = by_content(np.arange(len(sizes)), number, total)
        voices = np.zeros(len(self.images), dtype=np.int64)
        for place, row in zip(order.tolist(), read_codes(), strict=True):
            voices += (place + 1) * row
        return voices

    def rows_of_ratings(self) -> Iterator[tuple[str, np.ndarray]]:
        """Each person's name and answers, one person at a time."""
        return zip(self.raters, self.ratings, strict=True)

    def lists_of_tags(self) -> tuple[list[tuple[str, ...]], Codes]:
        """The lists, and which of them each image has. Images of a prompt hold the same list: each is
        looked through once."""
        lists = {id(tags): tags for tags in self.tags}
        code_of = {name: code for code, name in enumerate(lists)}
        codes = np.fromiter((code_of[id(tags)] for tags in self.tags), np.int64)
        return list(lists.values()), codes

    @cached_property
    def by_tag(self) -> dict[str, np.ndarray]:
        """Where each tag is, in the order of the tags."""
        lists, codes = self.lists_of_tags()
        held: dict[str, list[int]] = (
            {tag: [] for tag in self.left_out.by_tag} if self.left_out else {}
        )
        for code, tags in enumerate(lists):
            for tag in set(tags):
                held.setdefault(tag, []).append(code)
        found = {}
        for tag in sorted(held):
            here = np.zeros(len(lists), dtype=bool)
            here[held[tag]] = True
            found[tag] = here[codes]
        return found

    @cached_property
    def by_atomicity(self) -> dict[str, np.ndarray]:
        known: Iterable[float] = np.unique(self.atomicity[~np.isnan(self.atomicity)])
        if self.left_out is not None:
            known = self.left_out.atomicities
        return {f"{n:g}": self.atomicity == n for n in known}

    @cached_property
    def by_variant(self) -> dict[str, np.ndarray]:
        known = sorted(set(self.variants)) if self.left_out is None else self.left_out.variants
        return {variant: self.variants == variant for variant in known}

    @cached_property
    def has_labels(self) -> np.ndarray:
        return ~np.isnan(self.ratings).all(axis=0) if len(self.raters) else _no(self.images)


def number_answers(answers: Answers, voices: Codes) -> tuple[Codes, Codes]:
    """`People.number_answers`. `voices`: for each image a number for who answered what."""
    alone = number_items(voices.size, answers.mean, answers.count, answers.pair)[0]
    return alone, number_items(voices.size, alone, voices)[0]


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
    atom_prompts: np.ndarray  # as `People.prompts`
    # Why its run was stopped: then its scores are not those of a whole study.
    stopped: str = ""
    atom_own_prompts: np.ndarray | None = None  # as `People.own_prompts`
    # Answers of the model that the server left out and that count 0, as in the official code.
    assumed: int = 0

    @property
    def has_own_scale(self) -> bool:
        """Whether its scores look like shares of yes and nobody says that they are. Nobody could in a lake
        that was written before."""
        said = self.facts.get("in_peoples_unit", True)
        if said:
            return False
        given = self.scores[~np.isnan(self.scores)]
        within = bool(((given >= 0) & (given <= 1)).all())
        return within and (said is False or not is_share(given))

    @property
    def has_verdicts(self) -> bool:
        scored = ~np.isnan(self.scores)
        return bool(scored.any() and not np.isnan(self.verdicts[scored]).any())


@dataclass(frozen=True)
class Paired:
    people: People
    judges: tuple[JudgeScores, ...]
    # The same with all images, where some are left out here.
    whole: Paired | None = None

    @property
    def everything(self) -> Paired:
        return self.whole or self

    @cached_property
    def digest(self) -> str:
        """A hash of everything that the statistics depend on, and of nothing else."""
        sha = hashlib.sha256()
        _hash(sha, self.everything._of_people())
        for judge in self.everything.judges:
            facts = [
                judge.fingerprint,
                judge.scores,
                judge.verdicts,
                judge.failed,
                judge.atom_scores,
                judge.atom_labels,
                *([judge.stopped] if judge.stopped else []),
                *([judge.assumed] if judge.assumed else []),
                *(["a scale of its own"] if judge.has_own_scale else []),
                *([judge.atom_kinds] if judge.atom_kinds.size else []),
                *([judge.atom_prompts] if judge.atom_prompts.size else []),
            ]
            _hash(sha, facts)
        return sha.hexdigest()

    def _of_people(self) -> Iterator[Any]:
        people = self.people
        yield people.question
        yield people.images
        yield people.prompts
        if people.own_prompts is not None:
            yield people.own_prompts
        yield iter([np.array(people.generator_names, dtype=object)[people.generators]])
        yield [d.isoformat() if d else None for d in people.release_dates]
        yield people.variants
        yield people.tags
        yield people.atomicity
        yield (iter([name, row]) for name, row in people.rows_of_ratings())
        if people.decisions is not None:
            yield people.decisions
        if people.chances is not None and people.drawn is not None:
            yield people.chances
            yield people.drawn


def _hash(sha: hashlib._Hash, facts: Iterable[Any]) -> None:
    """As one JSON list, one fact at a time: the text of twenty million answers takes a gigabyte."""
    sha.update(b"[")
    for place, fact in enumerate(facts):
        sha.update(b", " if place else b"")
        if isinstance(fact, Iterator):
            _hash(sha, fact)
        elif isinstance(fact, Sequence | np.ndarray) and not isinstance(fact, str):
            _hash_list(sha, fact)
        else:
            sha.update(_text(fact))
    sha.update(b"]")


def _hash_list(sha: hashlib._Hash, values: Sequence[Any] | np.ndarray) -> None:
    """Some of the values at a time."""
    sha.update(b"[")
    for begin in range(0, len(values), BLOCK):
        some = values[begin : begin + BLOCK]
        in_numbers = isinstance(some, np.ndarray) and some.dtype != object
        text = _list_text(np.asarray(some)) if in_numbers else _text(list(some))
        sha.update((b", " if begin else b"") + text[1:-1])
    sha.update(b"]")


def _text(fact: Any) -> bytes:
    return json.dumps(fact, ensure_ascii=False).encode()


def _list_text(values: np.ndarray) -> bytes:
    """The same text as of a plain list: of few different values each is written once."""
    if not values.size or np.unique(values[:SAMPLE]).size > FEW or _has_negative_zero(values):
        return _text(_plain(values))
    names, codes = coded(values.astype(np.int64) if values.dtype.kind == "b" else values)
    if names.size > FEW:
        return _text(_plain(values))
    words = np.array([_text(value) + b", " for value in _plain(names.astype(values.dtype))])
    # Shorter words end in zeros, which no text of a number has.
    return b"[" + words[codes].tobytes().replace(b"\0", b"")[:-2] + b"]"


def _has_negative_zero(values: np.ndarray) -> bool:
    """It is equal to zero, and written otherwise."""
    return values.dtype.kind == "f" and bool(np.signbit(values[values == 0]).any())


class Source(Protocol):
    """Where a report reads from: the database, two tables (`audit.series.tables`), or the files of a lake
    (`audit.series.lake`)."""

    slug: str
    simulated: bool
    # The questions of the form, as they are stored with it.
    asked: list[dict[str, Any]]

    def questions(self) -> list[str]: ...

    def text_answers(self) -> dict[str, Any]: ...

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

    def text_answers(self) -> dict[str, Any]:
        """Answers that are no numbers."""
        return {
            "cannot_tell": cannot_tell(self.study),
            "in_words": answers_in_words(self.study),
        }

    def pair(
        self, question: str, *, judges: Sequence[str] | None = None, decided: bool = False
    ) -> Paired:
        return pair(study=self.study, question=question, judges=judges, decided=decided)


def kept_questions(study: Study) -> list[str] | None:
    """The same for a page, which cannot look through a million answers; None until a worker has."""
    return (read_figures(QUESTIONS, study, may_wait=True).body or {}).get("questions")


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


QUESTIONS = Question(
    name="questions",
    compute=lambda study, _: {"questions": questions_of(study)},
    keeps_up=True,
)


def pair(
    *,
    study: Study,
    question: str,
    judges: Sequence[str] | None = None,
    decided: bool = False,
) -> Paired:
    """Takes a constant number of queries for each judge. With `decided`, also reads what the owner decided where
    people disagreed."""
    people, images, prompts, families = _people(study, question)
    if decided:
        places = {pk: place for place, pk in enumerate(images.ids.tolist())}
        decisions = adjudication.decisions_on(study=study, question=question, images=places)
        people = replace(people, decisions=decisions)
    runs = runs_by_name(study)
    numbers = numbers_of(runs.values())
    decided_atoms = adjudication.decided_atoms(study) if decided else {}
    atoms = LabelledAtoms.from_study(study, images.places, prompts, decided_atoms)
    atoms.families = families
    return Paired(
        people,
        tuple(
            _judge(run, name, numbers[run.pk], images, atoms)
            for name, run in runs.items()
            if judges is None or run.judge.name in judges
        ),
    )


def family_codes(families: Sequence[str]) -> Codes | None:
    """Of prompts in their order: the place of the first one of the same family, of one without a family its
    own place. None where no prompt has one."""
    if not any(families):
        return None
    first: dict[str, int] = {}
    return np.array(
        [first.setdefault(name, at) if name else at for at, name in enumerate(families)],
        dtype=np.int64,
    )


def _people(study: Study, question: str) -> tuple[People, Images, Places, Codes | None]:
    """Also the images, the places of the prompts by their ids, and `family_codes`."""
    of_prompt = "key", "pk", "tags", "atomicity", "family"
    images = Images.from_study(study)
    given = _answers(study, question, images.places)
    forms = FormVersion.objects.filter(pk__in=given.forms)
    people, places, families = build_people(
        study.slug,
        question,
        study.form.questions,
        Prompt.objects.filter(study=study).order_by().values_list(*of_prompt),
        Generator.objects.filter(study=study),
        images,
        given,
        map(str, forms),
    )
    return _with_chances(people, study, images.places), images, places, families


def build_people(
    study: str,
    question: str,
    of_form: Sequence[Mapping[str, Any]],
    rows: Iterable[tuple[str, int, Sequence[str], int | None, str]],
    of_images: Iterable[Generator],
    images: Images,
    given: WholeAnswers,
    forms: Iterable[str],
) -> tuple[People, Places, Codes | None]:
    """`rows`: of each prompt its key, id, tags, atomicity and family. Also the places of the prompts by their
    ids, and `family_codes`."""
    # Sorted here: databases differ in how they order texts.
    prompts = sorted(rows, key=lambda prompt: prompt[0])
    generators = sorted(of_images, key=lambda g: by_date(g.release_date, g.name))
    of_prompts, of_generators = (
        Places(np.array(ids, dtype=np.int64))
        for ids in ([pk for _, pk, *_ in prompts], [g.pk for g in generators])
    )
    codes = of_prompts.find_places(images.prompts)
    tags = [tuple(tags) for _, _, tags, *_ in prompts]
    atomicities = np.array([n for *_, n, _ in prompts], dtype=float)
    families = family_codes([family for *_, family in prompts])
    people = People(
        study=study,
        question=question,
        scale=scale_of(question, of_form, given.ratings),
        images=images.keys,
        prompts=codes if families is None else families[codes],
        generators=of_generators.find_places(images.generators),
        variants=images.variants,
        tags=tuple(tags[code] for code in codes.tolist()),
        atomicity=atomicities[codes] if atomicities.size else np.empty(0),
        generator_names=tuple(g.name for g in generators),
        release_dates=tuple(g.release_date for g in generators),
        ratings=given.ratings,
        raters=given.raters,
        forms=frozenset(forms),
        annotations=given.number,
        simulated=given.simulated,
        ids=images.ids,
        own_prompts=None if families is None else codes,
    )
    return people, of_prompts, families


@dataclass(frozen=True)
class Images:
    """A study's images in the order of their keys; prompts and generators by their ids."""

    keys: np.ndarray
    ids: np.ndarray
    prompts: np.ndarray
    generators: np.ndarray
    variants: np.ndarray

    @classmethod
    def from_study(cls, study: Study) -> Images:
        rows = Image.objects.filter(study=study).order_by()
        keys: list[str] = []
        numbers: list[np.ndarray] = []
        variants: list[str] = []
        for block in blocks(rows, "key", "variant", "pk", "prompt_id", "generator_id"):
            some_keys, some_variants, *ids = zip(*block, strict=True)
            keys += some_keys
            # A million images share two words.
            variants += map(sys.intern, some_variants)
            numbers.append(np.array(ids, dtype=np.int64))
        return cls.in_order(
            keys, variants, np.concatenate([np.empty((3, 0), np.int64), *numbers], axis=1)
        )

    @classmethod
    def in_order(cls, keys: Sequence[str], variants: Sequence[str], numbers: np.ndarray) -> Images:
        """`numbers`: ids, prompts and generators."""
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
        ids, prompts, generators = numbers[:, order]
        in_order = np.array(keys, dtype=object)[order], np.array(variants, dtype=object)[order]
        return cls(in_order[0], ids, prompts, generators, in_order[1])

    @cached_property
    def places(self) -> Places:
        return Places(self.ids)


def by_date(released: date | None, name: str) -> tuple[bool, date, str]:
    """The order of generators: by release date, those without last."""
    return released is None, released or date.max, name


def _with_chances(people: People, study: Study, images: Places) -> People:
    """Draws with one chance for all need no weights, nor does a study of which all is labelled."""
    known = draws.chances_of(study)
    if known is None or known.uniform or people.has_labels.all():
        return people
    size = len(people.images)
    chances, drawn, certain = np.zeros(size), np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    places = images.find_places(np.fromiter(known.chance, np.int64))
    for (image, chance), place in zip(known.chance.items(), places.tolist(), strict=True):
        if place >= 0:
            chances[place] = chance
            drawn[place] = image in known.drawn
            certain[place] = image in known.before
    return replace(people, chances=chances, drawn=drawn, certain=certain)


@dataclass(frozen=True)
class WholeAnswers:
    """The counted answers about whole images: raters × images, the raters by name."""

    ratings: np.ndarray
    raters: tuple[str, ...]
    simulated: bool  # whether any of the raters is
    forms: set[int]
    number: int


def _answers(study: Study, question: str, images: Places) -> WholeAnswers:
    counted = Answer.objects.numbers_of(study, question).order_by()
    by_rater: dict[int, np.ndarray] = {}
    forms: set[int] = set()
    number = 0
    of_answer = "annotation__image_id", "annotation__annotator_id", "annotation__form_id"
    for ids, *facts in columns(counted, *of_answer, "value"):
        places = images.find_places(ids)
        known = places >= 0
        raters, their_forms, values = (fact[known] for fact in facts)
        places = places[known]
        number += places.size
        forms.update(np.unique(their_forms).astype(int).tolist())
        for rater in np.unique(raters).astype(int).tolist():
            if rater not in by_rater:
                by_rater[rater] = np.full(images.size, UNRATED)
            mine = raters == rater
            by_rater[rater][places[mine]] = values[mine]
    members = sorted(
        Membership.objects.filter(pk__in=by_rater).values_list("name", "pk", "simulated")
    )
    ratings = np.empty((len(members), images.size))
    for row, (_, pk, _) in zip(ratings, members, strict=True):
        row[:] = by_rater.pop(pk)
    return WholeAnswers(
        ratings,
        tuple(name for name, _, _ in members),
        any(simulated for _, _, simulated in members),
        forms,
        number,
    )


def scale_of(question: str, of_form: Sequence[Mapping[str, Any]], ratings: np.ndarray) -> Scale:
    for known in of_form:
        if known["name"] == question and known["choices"]:
            given = (choice["value"] for choice in known["choices"])
            values = [value for value in given if not isinstance(value, str)]
            if not values:
                break
            in_steps = all(float(value).is_integer() for value in values)
            kind = "yes/no" if set(values) == {0, 1} else "rating" if in_steps else "number"
            return Scale(kind, min(values), max(values))
    return inferred(np.unique(ratings[~np.isnan(ratings)]).tolist())


class LabelledAtoms:
    """What most people say of each atom of an image; atoms on which they are even are left out."""

    def __init__(self, images: Places, atoms: Sequence[tuple[Any, ...]], prompts: Places) -> None:
        self.images = images
        held = list(zip(*atoms, strict=True)) or [()] * 4
        ids, index, prompt = (np.array(column, dtype=np.int64) for column in held[:3])
        self.places, self.index, self.prompts = Places(ids), index, prompts.find_places(prompt)
        self.kinds = np.array([sys.intern(kind) for kind in held[3]], dtype=object)
        self.families: Codes | None = None  # `family_codes`
        # Of an image and an atom as one number, ascending.
        self.keys, self.labels = np.empty(0, np.int64), np.empty(0)

    @classmethod
    def from_study(
        cls,
        study: Study,
        images: Places,
        prompts: Places,
        decided: Mapping[tuple[int, int], float],
    ) -> LabelledAtoms:
        counted = Answer.objects.atom_numbers(study).order_by()
        given = list(columns(counted, "annotation__image_id", "atom_id", "value"))
        rows = Atom.objects.filter(prompt__study=study).order_by() if given or decided else None
        facts = "pk", "index", "prompt_id", "kind"
        found = cls(images, [] if rows is None else list(rows.values_list(*facts)), prompts)
        if given:
            found.take(*np.concatenate(given, axis=1))
        if decided:
            ids = np.array(list(decided), dtype=np.int64).T
            found._decide(found.key(*ids), np.array(list(decided.values())))
        return found

    def take(self, image: np.ndarray, atom: np.ndarray, value: np.ndarray) -> None:
        """What everybody says."""
        self.keys, self.labels = self._majorities(self.key(image, atom), value)

    def key(self, image: np.ndarray, atom: np.ndarray) -> np.ndarray:
        """-1 where either came after the others were read."""
        places, atoms = self.images.find_places(image), self.places.find_places(atom)
        return np.where((places >= 0) & (atoms >= 0), places * self.places.size + atoms, -1)

    def _majorities(self, keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        names, codes = np.unique(values, return_inverse=True)
        said, votes = np.unique(keys * names.size + codes, return_counts=True)
        keys, values = said // names.size, names[said % names.size]
        # Of each atom the answer with the most votes last.
        order = np.lexsort((votes, keys))
        keys, values, votes = keys[order], values[order], votes[order]
        last = np.flatnonzero(np.r_[keys[1:] != keys[:-1], True])
        alone = np.r_[True, (keys[1:] != keys[:-1]) | (votes[1:] != votes[:-1])][last]
        last = last[alone & (keys[last] >= 0)]
        return keys[last], values[last]

    def _decide(self, keys: np.ndarray, values: np.ndarray) -> None:
        """The owner's word stands over people's answers."""
        keys, values = keys[keys >= 0], values[keys >= 0]
        left = ~np.isin(self.keys, keys)
        keys = np.r_[self.keys[left], keys]
        order = np.argsort(keys)
        self.keys = keys[order]
        self.labels = np.r_[self.labels[left], values][order]

    def judged_in(self, rows: Iterable[np.ndarray]) -> dict[str, Any]:
        """The columns of `JudgeScores`, by image and then in the order of the prompt. `rows`: blocks of
        images, atoms and scores."""
        keys, scores, labels = [np.empty(0, np.int64)], [np.empty(0)], [np.empty(0)]
        for image, atom, score in rows if self.keys.size else ():
            key = self.key(image, atom)
            at = np.minimum(np.searchsorted(self.keys, key), self.keys.size - 1)
            known = self.keys[at] == key
            keys.append(key[known])
            scores.append(score[known])
            labels.append(self.labels[at[known]])
        image, atom = np.divmod(np.concatenate(keys), max(self.places.size, 1))
        order = np.lexsort((self.index[atom], image))
        atom = atom[order]
        own = self.prompts[atom]
        return {
            "atom_kinds": self.kinds[atom],
            "atom_scores": np.concatenate(scores)[order],
            "atom_labels": np.concatenate(labels)[order],
            **(
                {"atom_prompts": own}
                if self.families is None
                else {"atom_prompts": self.families[own], "atom_own_prompts": own}
            ),
        }


def _judge(
    run: Run,
    name: str,
    number: int,
    images: Images,
    labelled: LabelledAtoms,
) -> JudgeScores:
    scores, verdicts, failed, assumed = _read_scores(run, images)
    atoms = AtomScore.objects.filter(score__run=run, value__isnull=False).order_by()
    return JudgeScores(
        name=name,
        fingerprint=run.judge.fingerprint,
        facts=facts_of(run, number),
        release_date=run.release_date,
        scores=scores,
        verdicts=verdicts,
        failed=failed,
        **labelled.judged_in(columns(atoms, "score__image_id", "atom_id", "value")),
        stopped=stopped(run),
        assumed=assumed,
    )


def _read_scores(run: Run, images: Images) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Scores, verdicts and what failed, image by image; and how many answers count 0."""
    size = images.ids.size
    scores, verdicts = np.full(size, np.nan), np.full(size, np.nan)
    failed = np.zeros(size, dtype=bool)
    rows = Score.objects.filter(run=run).order_by()
    assumed = 0
    for ids, *facts in columns(rows, "image_id", "value", "correct", "assumed"):
        places = images.places.find_places(ids)
        known = places >= 0
        value, correct, zeros = (fact[known] for fact in facts)
        places = places[known]
        scores[places] = value
        failed[places] = np.isnan(value)
        verdicts[places] = np.where(np.isnan(value), np.nan, correct)
        assumed += int(zeros.sum())
    return scores, verdicts, failed, assumed


def facts_of(run: Run, number: int) -> dict[str, Any]:
    judge, said = run.judge, run.in_peoples_unit
    return {
        **identity_facts(judge, number),
        "in_peoples_unit": peoples_unit.unit_of_method(judge.method, judge.options)
        if said is None
        else said,
        **({"title": own} if (own := own_title(judge)) else {}),
        **({"made_for": question} if (question := form_question(judge)) else {}),
    }


def identity_facts(judge: Judge, number: int) -> dict[str, Any]:
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
    }


def stopped(run: Run) -> str:
    return run.reason if run.state == Run.State.STOPPED else ""


def numbers_of(runs: Iterable[Run]) -> dict[int, int]:
    """Counted in the order in which they came, so that a judge keeps its number when others join."""
    return {pk: number for number, pk in enumerate(sorted(run.pk for run in runs))}


def _plain(values: np.ndarray) -> list[Any]:
    plain: list[Any] = values.tolist()
    for place in np.flatnonzero(np.isnan(values)).tolist():
        plain[place] = None
    return plain


def _no(values: np.ndarray) -> np.ndarray:
    return np.zeros(len(values), dtype=bool)
