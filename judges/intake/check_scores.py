"""What a score from elsewhere must be to be taken: written into a study, or read for one report.

Nothing here asks a database. Whoever takes scores says which images and atoms there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from annotations.imports.check_labels import KnownImages
from annotations.imports.outcome import Outcome, reject
from judges.runs.imported_judge import NAME_LENGTH
from jurybox_formats.sources.checks import TEXT_LENGTH, Unfit, is_sound
from jurybox_formats.sources.records import ScoreRecord

# Scores of one transaction: nobody who labels waits for more of them.
AT_ONCE = 1_250
# The error of an image whose atoms alone have scores: no score is made up from those.
ATOMS_ONLY = "Only scores of single atoms were given, none of the whole image."


class ScoredImage(NamedTuple):
    value: float | None
    correct: bool | None
    reason: str
    error: str
    evidence: dict[str, Any]


WholeScore = tuple[int, str, ScoreRecord]  # image, judge
PartScore = tuple[int, str, int, ScoreRecord]  # image, judge, atom
ScoredPart = tuple[float | None, str]  # value, error


class ScoreChecks:
    """What is fit goes to `_write_scores`."""

    def __init__(self, known: KnownImages, outcome: Outcome) -> None:
        self.known, self.outcome = known, outcome
        self.slugs: dict[str, str] = {}

    def write(self, batch: list[ScoreRecord]) -> None:
        for start in range(0, len(batch), AT_ONCE):
            self._write(batch[start : start + AT_ONCE])

    def _write(self, batch: list[ScoreRecord]) -> None:
        whole: list[WholeScore] = []
        parts: list[PartScore] = []
        for r in batch:
            try:
                image, slug, atom = self._resolve_score(r)
            except Unfit as unfit:
                reject(self.outcome, r, unfit)
                continue
            if atom is None:
                whole.append((image, slug, r))
            else:
                parts.append((image, slug, atom, r))
        self._write_fit(whole, parts)

    def _write_fit(self, whole: list[WholeScore], parts: list[PartScore]) -> None:
        raise NotImplementedError

    def _is_new(self, judged: ScoredImage, known: ScoredImage | None, r: ScoreRecord) -> bool:
        """Beside what this judge is known to have said of this image; another score is refused."""
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
        image, prompt = self.known.images[r.image]
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
