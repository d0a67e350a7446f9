"""A study of tidy tables as the columns of a report, in memory: what the tables say is checked as an import
checks it, and no row is written."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from annotations.database.bulk import seldom_collected
from annotations.errors import ImportRefused
from annotations.file_names import FileNames
from annotations.forms.named_elsewhere import form_called
from annotations.forms.versions import make_version
from annotations.imports import write_study
from annotations.imports.check_labels import FitRows, Given, LabelChecks
from annotations.imports.outcome import Outcome
from annotations.imports.write_images import NAMES, StudyImage, compare_again, take_images
from annotations.imports.write_prompts import KnownPrompt, take_generators, take_prompts
from annotations.models import FormVersion, Generator
from annotations.studies.queries import frequent_words
from audit.reports.pairing import (
    UNRATED,
    Images,
    JudgeScores,
    LabelledAtoms,
    Paired,
    WholeAnswers,
    build_people,
    facts_of,
    in_order,
)
from judges.intake import bring_in
from judges.intake.imported_scores import (
    ATOMS_ONLY,
    BATCH,
    PartScore,
    ScoreChecks,
    ScoredImage,
    ScoredPart,
    WholeScore,
    scored_image,
)
from judges.models import Judge, Run
from judges.names import own_title, remember_titles
from judges.runs.imported_judge import imported_facts
from jurybox_formats import label_questions, registry
from jurybox_formats.forms import marks
from jurybox_formats.forms.scales import CANT_TELL
from jurybox_formats.sources.records import (
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    PromptRecord,
    ScoreRecord,
    Unreadable,
)
from jurybox_judging.recipes import peoples_unit

# A person and an image as one number: answers come by the million.
IMAGE_BITS = 32
IMAGE = 2**IMAGE_BITS - 1


class Tables:
    """A source of a report (`audit.reports.pairing.Source`). `outcome`: what was read, and what was refused."""

    simulated = False

    def __init__(
        self,
        folder: Path,
        *,
        slug: str,
        unit: str = "",
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.slug, self.unit = slug, unit
        self.outcome = Outcome(progress=progress)
        try:
            with seldom_collected():
                self._read(registry.Source(folder, unit=unit))
        except Unreadable as error:
            raise ImportRefused(error.message) from error

    def questions(self) -> list[str]:
        whole = {q: self.labels.list_answers(q) for q, atom in self.labels.answers if atom is None}
        return in_order(
            {q for q, given in whole.items() if any(map(_is_number, given))}, self.asked
        )

    def text_answers(self) -> dict[str, Any]:
        typed = {question["name"] for question in self.asked if question.get("kind") == "text"}
        cannot_tell, counted, words = {}, [], {}
        for question in sorted({question for question, _ in self.labels.answers}):
            given = self.labels.list_answers(question, parts=True)
            if question not in typed and (n := given.count(CANT_TELL)):
                cannot_tell[question] = {"n": n, "of": len(given)}
            texts = {
                pair: one
                for pair, one in self.labels.answers[question, None].items()
                if isinstance(one, str) and one != CANT_TELL and not marks.are_in(one)
            }
            if texts:
                counted.append((question, len(texts), len({pair & IMAGE for pair in texts})))
                words[question] = [(n, text) for text, n in Counter(texts.values()).items()]
        return {"cannot_tell": cannot_tell, "in_words": frequent_words(counted, words)}

    def pair(
        self, question: str, *, judges: Sequence[str] | None = None, decided: bool = False
    ) -> Paired:
        rows = self.rows
        keys, facts = list(rows.images), list(rows.images.values())
        numbers = [(one.pk, one.prompt_id, one.generator_id) for one in facts]
        columns = np.array(numbers, dtype=np.int64).reshape(-1, 3).T
        images = Images.in_order(keys, [one.variant for one in facts], columns)
        given = self.labels.whole_answers(question, images)
        people, prompts, families = build_people(
            self.slug,
            question,
            self.asked,
            (
                (key, rows.prompts[key], tags, atomicity, family)
                for key, (_, tags, family, atomicity, _) in rows.known_prompts.items()
            ),
            rows.known_generators.values(),
            images,
            given,
            (str(self.labels.versions[form]) for form in given.forms),
        )
        if decided:
            # Nobody has decided anything about two tables.
            people = replace(people, decisions=np.full(len(keys), np.nan))
        labelled = self.labels.list_atom_answers()
        atoms = LabelledAtoms(images.places, rows.atom_rows if labelled.size else [], prompts)
        atoms.families = families
        if labelled.size:
            atoms.take(*labelled)
        known = self.scores.judges
        titles = {name: Judge(**imported_facts(self.slug, name)) for name in known}
        remember_titles((name, own_title(judge)) for name, judge in titles.items())
        unit = peoples_unit.read_unit(self.unit)
        return Paired(
            people,
            tuple(
                known[name].pair_with(
                    Run(judge=titles[name], in_peoples_unit=unit), number, images, atoms
                )
                for name, number in sorted((name, number) for number, name in enumerate(known))
                if judges is None or name in judges
            ),
        )

    def _read(self, source: registry.Source) -> None:
        kinds = label_questions.find_questions("tidy", source)
        form = make_version(bring_in.form_for(self.slug, "tidy", kinds), 1)
        self.asked = form.questions
        on_form = {question["name"] for question in form.questions}
        bring_in.say_scales(kinds, on_form, self.outcome)
        self.rows = TableRows(self.outcome)
        self.labels = TableLabels(form, self.rows, self.outcome)
        self.scores = TableScores(self.rows, self.outcome)
        met: write_study.Met = set()
        write_study.write_in_batches(
            label_questions.adapt(registry.records("tidy", source), kinds, on_form),
            {
                GeneratorRecord: (write_study.BATCH, lambda b: self.rows.take_generators(b, met)),
                PromptRecord: (write_study.BATCH, lambda b: self.rows.take_prompts(b, met)),
                ImageRecord: (NAMES, self.rows.take_images),
                LabelRecord: (write_study.LABEL_BATCH, self.labels.write),
                ScoreRecord: (BATCH, self.scores.write),
            },
            self.outcome,
            met,
        )
        self.outcome.warnings += self.labels.remarks()
        self.scores.name_missing_images(sorted(self.rows.images))
        bring_in.name_missing(self.rows.missing_images(), len(self.rows.prompts), self.outcome)


@dataclass
class TableRows:
    """Prompts, generators and images, each numbered as it comes, and what is known of them."""

    outcome: Outcome
    prompts: dict[str, int] = field(default_factory=dict)
    generators: dict[str, int] = field(default_factory=dict)
    images: dict[str, StudyImage] = field(default_factory=dict)
    known_prompts: dict[str, KnownPrompt] = field(default_factory=dict)
    known_generators: dict[str, Generator] = field(default_factory=dict)
    # Number, index, prompt and kind of each; of a prompt by their index.
    atom_rows: list[tuple[int, int, int, str]] = field(default_factory=list)
    atoms: dict[int, dict[int, int]] = field(default_factory=dict)

    def take_generators(self, batch: list[GeneratorRecord], met: write_study.Met) -> None:
        for new in take_generators(batch, self.known_generators, self.outcome, met)[0]:
            new.pk = self.generators[new.name] = len(self.generators)

    def take_prompts(self, batch: list[PromptRecord], met: write_study.Met) -> None:
        for new in take_prompts(batch, self.known_prompts, self.outcome, met)[0]:
            number = self.prompts[new.key] = len(self.prompts)
            mine = self.atoms[number] = {}
            for atom in new.atoms:
                mine[atom.index] = len(self.atom_rows)
                self.atom_rows.append((len(self.atom_rows), atom.index, number, atom.kind))

    def take_images(self, batch: list[ImageRecord]) -> None:
        fit, again = take_images(batch, self, self.outcome)
        for r in fit:
            if r.key in self.images:
                self.outcome.unchanged += 1
                continue
            made = self.prompts[r.prompt], self.generators[r.generator], r.variant, r.sample
            self.images[r.key] = StudyImage(len(self.images), *made, "")
            self.outcome.images += 1
        for r in again:
            compare_again(r, self, self.outcome, lambda r: None)

    def missing_images(self) -> dict[str, list[str]]:
        """As `annotations.studies.queries.missing_images`."""
        made: dict[int, set[int]] = defaultdict(set)
        for image in self.images.values():
            made[image.generator_id].add(image.prompt_id)
        absent = {
            name: sorted(key for key, number in self.prompts.items() if number not in made[pk])
            for name, pk in sorted(self.generators.items())
            if pk in made
        }
        return {name: keys for name, keys in absent.items() if keys}


class TableLabels(LabelChecks):
    """`versions`: the study's form, and those that labels name."""

    def __init__(self, form: FormVersion, rows: TableRows, outcome: Outcome) -> None:
        form.pk = 0
        super().__init__(form, rows, FileNames(()), outcome)
        self.versions = [form]
        # Question and atom -> person and image -> what they answered: a number, or a text.
        self.answers: dict[tuple[str, int | None], dict[int, float | str]] = defaultdict(dict)
        # Of each person and image the form of the first label.
        self.forms_of_pairs: dict[int, int] = {}

    def list_answers(self, question: str, *, parts: bool = False) -> list[float | str]:
        """`parts`: also about parts of prompts."""
        return [
            one
            for (name, atom), given in self.answers.items()
            if name == question and (parts or atom is None)
            for one in given.values()
        ]

    def list_atom_answers(self) -> np.ndarray:
        """Image, atom and number of each answer about an atom, as rows."""
        rows = [
            (pair & IMAGE, atom, one)
            for (question, atom), given in self.answers.items()
            if question == "atom" and atom is not None
            for pair, one in given.items()
            if _is_number(one)
        ]
        return np.array(rows, dtype=np.float64).reshape(-1, 3).T

    def whole_answers(self, question: str, images: Images) -> WholeAnswers:
        given = self.answers[question, None]
        numbers = {pair: one for pair, one in given.items() if _is_number(one)}
        pairs = np.fromiter(numbers, np.int64, len(numbers))
        person, column = pairs >> IMAGE_BITS, images.places.find_places(pairs & IMAGE)
        there = set(np.unique(person).tolist())
        raters = sorted(name for name, number in self.people.items() if number in there)
        row = np.zeros(len(self.people), dtype=np.int64)
        row[[self.people[name] for name in raters]] = np.arange(len(raters))
        ratings = np.full((len(raters), len(images.keys)), UNRATED)
        ratings[row[person], column] = np.fromiter(numbers.values(), float, len(numbers))
        forms = {self.forms_of_pairs[pair] for pair in numbers}
        return WholeAnswers(ratings, tuple(raters), False, forms, len(numbers))

    def _find_form(self, name: str) -> FormVersion | None:
        return next((one for one in self.versions if str(one) == name), None)

    def _name_form(self, name: str) -> FormVersion:
        form = form_called(name)
        form.pk = len(self.versions)
        self.versions.append(form)
        return form

    def _write(self, rows: FitRows) -> None:
        for name in sorted(set(rows.raters) - self.people.keys()):
            self.people[name] = len(self.people)
        pairs = [
            self.people[name] << IMAGE_BITS | image
            for name, image in zip(rows.raters, rows.images, strict=True)
        ]
        before = len(self.forms_of_pairs)
        for pair, r in zip(pairs, rows.records, strict=True):
            if pair not in self.forms_of_pairs:
                self.forms_of_pairs[pair] = self.forms[r.form] if r.form else 0
        self.outcome.annotations += len(self.forms_of_pairs) - before
        given = list(zip(rows.numbers, rows.texts, strict=True))
        places = list(zip(pairs, rows.questions, rows.atoms, strict=True))
        there = {at: known for at in places if (known := self._answer_at(*at))}
        new = self._new_answers(places, given, rows.records, there)
        for n in new:
            (pair, question, atom), (number, text) = places[n], given[n]
            self.answers[question, atom][pair] = text if number is None else number
            self._count_unused(question, number, text)
        self.outcome.answers += len(new)

    def _answer_at(self, pair: int, question: str, atom: int | None) -> Given | None:
        one = self.answers[question, atom].get(pair)
        return None if one is None else (None, one) if isinstance(one, str) else (one, "")


@dataclass
class TableJudge:
    """What a judge said: of an image, and of an image's atom."""

    images: dict[int, ScoredImage] = field(default_factory=dict)
    parts: dict[tuple[int, int], ScoredPart] = field(default_factory=dict)

    def pair_with(
        self, run: Run, number: int, images: Images, labelled: LabelledAtoms
    ) -> JudgeScores:
        places = images.places.find_places(np.fromiter(self.images, np.int64, len(self.images)))
        facts = [(one.value, one.correct) for one in self.images.values()]
        columns = np.full((2, len(images.keys)), np.nan)
        columns[:, places] = np.array(facts, dtype=np.float64).reshape(-1, 2).T
        failed = np.zeros(len(images.keys), dtype=bool)
        failed[places] = np.isnan(columns[0, places])
        parts = [(*part, value) for part, (value, _) in self.parts.items() if value is not None]
        atoms = np.array(parts, dtype=np.float64).reshape(-1, 3).T
        return JudgeScores(
            name=run.judge.name,
            fingerprint=run.judge.fingerprint,
            facts=facts_of(run, number),
            release_date=run.release_date,
            scores=columns[0],
            verdicts=np.where(failed, np.nan, columns[1]),
            failed=failed,
            **labelled.judged_in([atoms]),
        )


class TableScores(ScoreChecks):
    """`judges`: in the order of the file, which is also that of their colours."""

    def __init__(self, rows: TableRows, outcome: Outcome) -> None:
        super().__init__(rows, outcome)
        self.judges: dict[str, TableJudge] = {}

    def name_missing_images(self, keys: Sequence[str]) -> None:
        for name, judge in self.judges.items():
            absent = [key for key in keys if self.known.images[key][0] not in judge.images]
            self._name_missing(name, len(keys), len(absent), absent)

    def _write(self, whole: list[WholeScore], parts: list[PartScore]) -> None:
        for name in dict.fromkeys([score[1] for score in whole] + [part[1] for part in parts]):
            self.judges.setdefault(name, TableJudge())
        for image, name, r in whole:
            scored, judged = self.judges[name].images, scored_image(r)
            if self._is_new(judged, scored.get(image), r):
                scored[image] = judged
                self.outcome.scores += 1
        for image, name, atom, r in parts:
            judge = self.judges[name]
            judge.images.setdefault(image, ScoredImage(None, None, "", ATOMS_ONLY, {}))
            if self._is_new_part(judge.parts.get((image, atom)), r):
                judge.parts[image, atom] = (r.score, r.error)
                self.outcome.scores += 1


def _is_number(answer: float | str) -> bool:
    return not isinstance(answer, str)
