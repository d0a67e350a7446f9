"""Write scores that were made elsewhere.

The engine of an imported judge is "imported". Only its name and its study are known, so these are
its identity: the same name in another study is another judge, and rows that contradict what was
imported before are refused. The scores are no part of its fingerprint, since they may come in
several files and layouts; they are part of a report's signature, whose hash covers every score.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.utils import timezone

from annotations.database import bulk
from annotations.imports import check_labels, write_study
from annotations.imports.known_images import KnownImages
from annotations.imports.outcome import Outcome, reject
from annotations.jobs import PutOff
from annotations.models import Image, Study
from judges.models import AtomScore, Run, Score
from judges.runs import counts
from judges.runs.imported_judge import NAME_LENGTH, imported_judge
from judges.signals import scores_changed
from jurybox_formats.sources.checks import TEXT_LENGTH, Unfit, is_sound
from jurybox_formats.sources.records import Record, ScoreRecord
from jurybox_judging.recipes import peoples_unit

BATCH = 5_000
# Scores of one transaction: nobody who labels waits for more of them.
AT_ONCE = 1_250
# The error of an image whose atoms alone have scores: no score is made up from those.
ATOMS_ONLY = "Only scores of single atoms were given, none of the whole image."
SCORE = ("id", "run", "image", "value", "correct", "reason", "error", "evidence", "created_at")
ATOM_SCORE = ("score", "atom", "value", "error")


def import_records(
    *,
    study: Study,
    records: Iterable[Record],
    outcome: Outcome,
    simulated: bool = False,
    for_anybody: bool = True,
    unit: str = "",
) -> None:
    """A mixed stream of prompts, images, labels and scores. `unit`: of the scores (`peoples_unit`)."""
    writer = ScoreWriter(study, outcome, unit)
    turn = outcome.turn
    if turn is not None:
        writer.restore(turn.writers.get("scores"))
    try:
        write_study.import_records(
            study=study,
            records=records,
            outcome=outcome,
            simulated=simulated,
            for_anybody=for_anybody,
            more={ScoreRecord: (BATCH, writer.write)},
        )
    except PutOff:
        if turn is not None:
            turn.writers["scores"] = writer.as_json()
        raise
    writer.finish()


class ScoredImage(NamedTuple):
    value: float | None
    correct: bool | None
    reason: str
    error: str
    evidence: dict[str, Any]


Place = tuple[int, int]  # run, image
WholeScore = tuple[int, str, ScoreRecord]  # image, judge
PartScore = tuple[int, str, int, ScoreRecord]  # image, judge, atom
ScoredPart = tuple[float | None, str]  # value, error


class ScoreChecks:
    """What a score must be to be taken: written into a study, or read for one report. Nothing here asks a
    database. What is fit goes to `_write`."""

    def __init__(self, known: check_labels.KnownImages, outcome: Outcome) -> None:
        self.known, self.outcome = known, outcome
        self.slugs: dict[str, str] = {}

    def write(self, batch: list[ScoreRecord]) -> None:
        for start in range(0, len(batch), AT_ONCE):
            whole: list[WholeScore] = []
            parts: list[PartScore] = []
            for r in batch[start : start + AT_ONCE]:
                try:
                    image, slug, atom = self._resolve_score(r)
                except Unfit as unfit:
                    reject(self.outcome, r, unfit)
                    continue
                if atom is None:
                    whole.append((image, slug, r))
                else:
                    parts.append((image, slug, atom, r))
            self._write(whole, parts)

    def _write(self, whole: list[WholeScore], parts: list[PartScore]) -> None:
        raise NotImplementedError

    def _is_new(self, judged: ScoredImage, known: ScoredImage | None, r: ScoreRecord) -> bool:
        """Beside the score of this image that is there from this judge; another one is refused."""
        if known is None or (known.error == ATOMS_ONLY and judged != known):
            return True
        if known == judged:
            self.outcome.unchanged += 1
            return False
        before = "no score" if known.value is None else f"{known.value:g}"
        words = f"This judge said {before} of this image before."
        reject(self.outcome, r, Unfit("score", r.score, words))
        return False

    def _is_new_part(self, known: ScoredPart | None, r: ScoreRecord) -> bool:
        if known is None:
            return True
        if known == (r.score, r.error):
            self.outcome.unchanged += 1
        else:
            words = "This judge gave this atom another score before."
            reject(self.outcome, r, Unfit("score", r.score, words))
        return False

    def _name_missing(self, judge: str, expected: int, count: int, absent: Iterable[str]) -> None:
        """`absent`: the images that it has no score of, so many."""
        if count:
            self.outcome.warnings.append(
                f"{judge}: {expected} images expected, {expected - count} with a judgement; "
                f"{count} are missing."
            )
        self.outcome.lack(f"image {key} has no score by {judge}" for key in absent)

    def _resolve_score(self, r: ScoreRecord) -> tuple[int, str, int | None]:
        """Image, judge and atom; the last is None for a score of the whole image."""
        if r.image not in self.known.images:
            raise Unfit("image_id", r.image, "The study has no such image.")
        image, prompt = self.known.images[r.image][:2]
        slug = self.slugs.get(r.judge) or self._slug(r.judge)
        if r.score is None and not r.error.strip():
            raise Unfit("score", "", "A row without a score must say why, in “error”.")
        if r.score is not None and r.error.strip():
            raise Unfit("error", r.error, "A row has a score or an error, never both of them.")
        if r.score is None and r.correct is not None:
            raise Unfit("correct", r.correct, "A failed judgement has no verdict.")
        for field, text in (("reason", r.reason), ("error", r.error)):
            if not _fits(text):
                raise Unfit(field, text[:80], "Not sound text of at most 20000 characters.")
        if r.atom is None:
            return image, slug, None
        if r.atom not in self.known.atoms[prompt]:
            raise Unfit("atom", r.atom, "The prompt of this image has no such atom.")
        return image, slug, self.known.atoms[prompt][r.atom]

    def _slug(self, judge: str) -> str:
        """Judges have names that fit into an address and a command."""
        slug = re.sub(r"[^\w.-]+", "-", judge, flags=re.ASCII).strip("-").replace(".", "-")
        if not slug or len(slug) > NAME_LENGTH or not _fits(judge):
            words = f"A name of letters and digits, at most {NAME_LENGTH} characters."
            raise Unfit("judge", judge[:80], words)
        if slug in self.slugs.values():
            other = next(name for name, known in self.slugs.items() if known == slug)
            raise Unfit("judge", judge, f"It would have the same name as “{other}”: {slug}.")
        if slug != judge:
            self.outcome.warnings.append(f"Judge “{judge}” is called “{slug}” here.")
        self.slugs[judge] = slug
        return slug


def scored_image(r: ScoreRecord) -> ScoredImage:
    return ScoredImage(r.score, r.correct, r.reason, r.error, r.evidence or {})


def _fits(text: str) -> bool:
    return len(text) <= TEXT_LENGTH and is_sound(text)


class ScoreWriter(ScoreChecks):
    def __init__(self, study: Study, outcome: Outcome, unit: str = "") -> None:
        self.known: KnownImages = KnownImages(study)
        super().__init__(self.known, outcome)
        self.study, self.unit = study, unit
        self.runs: dict[str, Run] = {}

    def write(self, batch: list[ScoreRecord]) -> None:
        with_atoms = {r.image for r in batch if r.atom is not None}
        self.known.look_up({r.image for r in batch}, with_atoms)
        super().write(batch)

    @transaction.atomic
    def _write(self, whole: list[WholeScore], parts: list[PartScore]) -> None:
        self._write_atom_scores(parts, self._write_scores(whole, parts))

    def as_json(self) -> dict[str, Any]:
        """The judges so far, for the next turn of this import."""
        return {"slugs": self.slugs, "runs": list(self.runs)}

    def restore(self, known: dict[str, Any] | None) -> None:
        if known is not None:
            self.slugs.update(known["slugs"])
            for slug in known["runs"]:
                self._run(slug)

    def finish(self) -> None:
        """Complete the runs and list the images that a judge has no score of."""
        for run in self.runs.values():
            expected = Image.objects.filter(study=self.study).count()
            said = {"in_peoples_unit": peoples_unit.read_unit(self.unit)} if self.unit else {}
            Run.objects.filter(pk=run.pk).update(
                expected=expected, finished_at=timezone.now(), **said
            )
            absent = Image.objects.filter(study=self.study).exclude(scores__run=run)
            keys = absent.order_by("key").values_list("key", flat=True)
            self._name_missing(run.judge.name, expected, absent.count(), keys.iterator())
        if self.runs and not self.outcome.dry_run:
            scores_changed.send(sender=Run, study_id=self.study.pk, ended=True)

    def _run(self, slug: str) -> Run:
        if slug not in self.runs:
            now = timezone.now()
            self.runs[slug], _ = Run.objects.select_related("judge").get_or_create(
                study=self.study,
                judge=imported_judge(self.study, slug),
                defaults={
                    "state": Run.State.FINISHED,
                    "started_at": now,
                    "finished_at": now,
                },
            )
        return self.runs[slug]

    def _write_scores(self, whole: list[WholeScore], parts: list[PartScore]) -> dict[Place, int]:
        """Returns the score row of each run and image; creates those that are missing."""
        # In the order of the file, which is also that of the judges' colours.
        slugs = dict.fromkeys([score[1] for score in whole] + [part[1] for part in parts])
        runs = {slug: self._run(slug).pk for slug in slugs}
        images = {score[0] for score in whole} | {part[0] for part in parts}
        stored: dict[Place, tuple[int, ScoredImage]] = {}
        rows = Score.objects.filter(run__in=runs.values(), image__in=images).order_by()
        for run, image, pk, *columns in rows.values_list(
            "run_id", "image_id", "pk", "value", "correct", "reason", "error", "evidence"
        ):
            stored[run, image] = (pk, ScoredImage(*columns))
        new: dict[Place, ScoredImage] = {}
        for image, slug, r in whole:
            place = (runs[slug], image)
            judged = scored_image(r)
            known = stored[place][1] if place in stored else new.get(place)
            if not self._is_new(judged, known, r):
                continue
            if place not in stored:
                new[place] = judged
                continue
            pk = stored[place][0]
            Score.objects.filter(pk=pk).update(
                value=r.score,
                correct=r.correct,
                reason=r.reason,
                error=r.error,
                evidence=judged.evidence,
            )
            stored[place] = (pk, judged)
            counts.add(place[0], scored=0, failed=-(r.score is not None))
            self.outcome.scores += 1
        self.outcome.scores += len(new)
        for image, slug, _, _ in parts:
            place = (runs[slug], image)
            if place not in stored and place not in new:
                new[place] = ScoredImage(None, None, "", ATOMS_ONLY, {})
        for run in runs.values():
            mine = [judged for (of, _), judged in new.items() if of == run]
            unscored = sum(judged.value is None for judged in mine)
            counts.add(run, scored=len(mine), failed=unscored)
        return {place: pk for place, (pk, _) in stored.items()} | _inserted(new)

    def _write_atom_scores(self, parts: list[PartScore], score_ids: dict[Place, int]) -> None:
        if not parts:
            return
        stored: dict[tuple[int, int], ScoredPart] = {}
        touched = {score_ids[self.runs[slug].pk, image] for image, slug, _, _ in parts}
        rows = AtomScore.objects.filter(score__in=touched).order_by()
        for score, atom, value, error in rows.values_list("score_id", "atom_id", "value", "error"):
            stored[score, atom] = (value, error)
        new = []
        for image, slug, atom, r in parts:
            place = (score_ids[self.runs[slug].pk, image], atom)
            if self._is_new_part(stored.get(place), r):
                stored[place] = (r.score, r.error)
                new.append((*place, r.score, r.error))
        bulk.insert(AtomScore, ATOM_SCORE, new)
        self.outcome.scores += len(new)


def _inserted(new: dict[Place, ScoredImage]) -> dict[Place, int]:
    ids = bulk.next_ids(Score, len(new)) if new else []
    moment = connection.ops.adapt_datetimefield_value(timezone.now())
    bulk.insert(
        Score,
        SCORE,
        (
            (pk, *place, *judged[:-1], json.dumps(judged.evidence), moment)
            for pk, (place, judged) in zip(ids, new.items(), strict=True)
        ),
    )
    return dict(zip(new, ids, strict=True))
