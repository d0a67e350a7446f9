"""Scores that were made elsewhere: the one writer of imported scores.

An imported judge is a judge whose engine is "imported". All that is known of it is its name and
the study it speaks about, so these are its identity: the same name in another study is another
judge, and a file that contradicts what was imported before is refused row by row. What it said is
no part of its fingerprint: the same scores may come in several files and layouts. It is part of a
report's signature all the same, whose hash of the data holds every score.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from django.db import connection, transaction
from django.utils import timezone

from annotations.database import bulk
from annotations.imports import write_prompts as importing
from annotations.imports.write_prompts import Outcome
from annotations.models import Atom, Image, Study
from annotations.sources.records import Record, ScoreRecord
from judges import registry
from judges.models import AtomScore, Judge, Run, Score
from judges.running import IMPORTED
from judges.signals import scores_changed

BATCH = 5_000
REMEMBERED = 200_000
NAME_LENGTH, TEXT_LENGTH = 120, 20_000
# What stands where a score of the whole image is not known: nothing is made up from the atoms.
ATOMS_ONLY = "Only scores of single atoms were given, none of the whole image."

SCORE = ("id", "run", "image", "value", "correct", "reason", "error", "evidence", "created_at")
ATOM_SCORE = ("score", "atom", "value", "error")


def import_records(
    *, study: Study, records: Iterable[Record], outcome: Outcome, simulated: bool = False
) -> None:
    """A mixed stream of prompts, images, labels and scores."""
    writer = ScoreWriter(study, outcome)
    importing.import_records(
        study=study,
        records=records,
        outcome=outcome,
        simulated=simulated,
        more={ScoreRecord: (BATCH, writer.write)},
    )
    writer.finish()


def imported_judge(*, study: Study, name: str) -> Judge:
    identity = {"name": name, "engine": IMPORTED, "study": study.slug}
    judge, _ = Judge.objects.get_or_create(
        fingerprint=registry.fingerprint(identity),
        defaults={
            "name": name,
            "method": IMPORTED,
            "method_version": "1",
            "engine": IMPORTED,
            "engine_version": "1",
            "options": {"study": study.slug},
        },
    )
    return judge


class ScoreWriter:
    def __init__(self, study: Study, outcome: Outcome) -> None:
        self.study, self.outcome = study, outcome
        self.images: dict[str, tuple[int, int]] = {}
        self.atoms: dict[int, dict[int, int]] = {}
        self.runs: dict[str, Run] = {}
        self.slugs: dict[str, str] = {}

    @transaction.atomic
    def write(self, batch: list[ScoreRecord]) -> None:
        self._find(batch)
        whole, parts = [], []
        for r in batch:
            fit = self._checked(r)
            if fit is not None:
                (whole if r.atom is None else parts).append((*fit, r))
        there = self._scores(whole, parts)
        self._atom_scores(parts, there)

    def finish(self) -> None:
        """Close the runs and name the images that a judge said nothing about."""
        for run in self.runs.values():
            expected = Image.objects.filter(study=self.study).count()
            Run.objects.filter(pk=run.pk).update(expected=expected, finished_at=timezone.now())
            absent = Image.objects.filter(study=self.study).exclude(scores__run=run)
            count = absent.count()
            if count:
                self.outcome.warnings.append(
                    f"{run.judge.name}: {expected} images expected, {expected - count} with a "
                    f"judgement; {count} are missing."
                )
            for key in absent.order_by("key").values_list("key", flat=True)[:1000]:
                self.outcome.missing.append(f"image {key} has no score by {run.judge.name}")
        if self.runs and not self.outcome.dry_run:
            scores_changed.send(sender=Run, study_id=self.study.pk, ended=True)

    def _find(self, batch: list[ScoreRecord]) -> None:
        if len(self.images) > REMEMBERED:
            self.images.clear()
            self.atoms.clear()
        wanted = {r.image for r in batch} - self.images.keys()
        if wanted:
            found = Image.objects.filter(study=self.study, key__in=wanted).order_by()
            for key, pk, prompt in found.values_list("key", "pk", "prompt_id"):
                self.images[key] = (pk, prompt)
        prompts = {
            self.images[r.image][1] for r in batch if r.atom is not None and r.image in self.images
        } - self.atoms.keys()
        if prompts:
            self.atoms.update((prompt, {}) for prompt in prompts)
            found = Atom.objects.filter(prompt__in=prompts).order_by()
            for prompt, index, pk in found.values_list("prompt_id", "index", "pk"):
                self.atoms[prompt][index] = pk

    def _checked(self, r: ScoreRecord) -> tuple[int, str, int | None] | None:
        """(image, judge, atom), or None after a refusal."""
        place = self.images.get(r.image)
        if place is None:
            return self._reject(r, "image_id", r.image, "The study has no such image.")
        slug = self.slugs.get(r.judge) or self._slug(r)
        if not slug:
            return None
        if r.score is None and not r.error.strip():
            return self._reject(r, "score", "", "A row without a score must say why, in “error”.")
        if r.score is not None and r.error.strip():
            return self._reject(
                r, "error", r.error, "A row has a score or an error, never both of them."
            )
        if r.score is None and r.correct is not None:
            return self._reject(r, "correct", r.correct, "A failed judgement has no verdict.")
        for name in ("reason", "error"):
            if not _sound(getattr(r, name)):
                return self._reject(
                    r, name, getattr(r, name)[:80], "Not sound text of at most 20000 characters."
                )
        if r.atom is None:
            return place[0], slug, None
        atom = self.atoms[place[1]].get(r.atom)
        if atom is None:
            return self._reject(r, "atom", r.atom, "The prompt of this image has no such atom.")
        return place[0], slug, atom

    def _slug(self, r: ScoreRecord) -> str:
        """Judges have names that fit into an address and a command."""
        slug = re.sub(r"[^\w.-]+", "-", r.judge, flags=re.ASCII).strip("-").replace(".", "-")
        if not slug or len(slug) > NAME_LENGTH or not _sound(r.judge):
            words = f"A name of letters and digits, at most {NAME_LENGTH} characters."
            self._reject(r, "judge", r.judge[:80], words)
            return ""
        if slug in self.slugs.values():
            other = next(name for name, known in self.slugs.items() if known == slug)
            words = f"It would have the same name as “{other}”: {slug}."
            self._reject(r, "judge", r.judge, words)
            return ""
        if slug != r.judge:
            self.outcome.warnings.append(f"Judge “{r.judge}” is called “{slug}” here.")
        self.slugs[r.judge] = slug
        return slug

    def _run(self, slug: str) -> Run:
        if slug not in self.runs:
            now = timezone.now()
            self.runs[slug], _ = Run.objects.select_related("judge").get_or_create(
                study=self.study,
                judge=imported_judge(study=self.study, name=slug),
                defaults={
                    "state": Run.State.FINISHED,
                    "started_at": now,
                    "finished_at": now,
                },
            )
        return self.runs[slug]

    def _scores(self, whole: list[tuple], parts: list[tuple]) -> dict[tuple[int, int], int]:
        """The score row of each run and image, made where there is none."""
        images = {row[0] for row in whole} | {row[0] for row in parts}
        runs = {slug: self._run(slug).pk for slug in {r[1] for r in whole} | {r[1] for r in parts}}
        found = Score.objects.filter(run__in=runs.values(), image__in=images).order_by()
        there: dict[tuple[int, int], tuple] = {}
        for run, image, *rest in found.values_list(
            "run_id", "image_id", "pk", "value", "correct", "reason", "error", "evidence"
        ):
            there[run, image] = tuple(rest)
        new: dict[tuple[int, int], tuple] = {}
        for image, slug, _, r in whole:
            said = (r.score, r.correct, r.reason, r.error, r.evidence or {})
            place = (runs[slug], image)
            known = there[place][1:] if place in there else new.get(place)
            if known is None:
                new[place] = said
            elif known == said:
                self.outcome.unchanged += 1
            elif place in there and known[3] == ATOMS_ONLY:
                Score.objects.filter(pk=there[place][0]).update(
                    value=r.score, correct=r.correct, reason=r.reason, error=r.error
                )
                there[place] = (there[place][0], *said)
                self.outcome.scores += 1
            else:
                shown = "no score" if known[0] is None else f"{known[0]:g}"
                self._reject(r, "score", r.score, f"This judge said {shown} of this image before.")
        self.outcome.scores += len(new)
        for image, slug, _, _ in parts:
            place = (runs[slug], image)
            if place not in there and place not in new:
                new[place] = (None, None, "", ATOMS_ONLY, {})
        ids = bulk.next_ids(Score, len(new)) if new else []
        moment = connection.ops.adapt_datetimefield_value(timezone.now())
        bulk.insert(
            Score,
            SCORE,
            (
                (pk, *place, value, correct, reason, error, json.dumps(evidence), moment)
                for pk, (place, (value, correct, reason, error, evidence)) in zip(
                    ids, new.items(), strict=True
                )
            ),
        )
        keys = {place: known[0] for place, known in there.items()}
        return keys | dict(zip(new, ids, strict=True))

    def _atom_scores(self, parts: list[tuple], scores: dict[tuple[int, int], int]) -> None:
        if not parts:
            return
        there: dict[tuple[int, int], tuple] = {}
        touched = {scores[self.runs[slug].pk, image] for image, slug, _, _ in parts}
        found = AtomScore.objects.filter(score__in=touched).order_by()
        for score, atom, value, error in found.values_list("score_id", "atom_id", "value", "error"):
            there[score, atom] = (value, error)
        new = []
        for image, slug, atom, r in parts:
            place = (scores[self.runs[slug].pk, image], atom)
            known = there.get(place)
            if known is None:
                there[place] = (r.score, r.error)
                new.append((*place, r.score, r.error))
            elif known == (r.score, r.error):
                self.outcome.unchanged += 1
            else:
                words = "This judge gave this atom another score before."
                self._reject(r, "score", r.score, words)
        bulk.insert(AtomScore, ATOM_SCORE, new)
        self.outcome.scores += len(new)

    def _reject(self, r: ScoreRecord, field: str, value: object, reason: str) -> None:
        self.outcome.reject(line=r.line, field=field, value=value, reason=reason, source=r.source)


def _sound(text: str) -> bool:
    if len(text) > TEXT_LENGTH or "\0" in text:
        return False
    return text.isascii() or text == text.encode(errors="ignore").decode()
