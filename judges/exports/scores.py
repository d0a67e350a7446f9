"""Scores as rows, and in the official layouts that the papers' own scripts read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from annotations.errors import Refused
from annotations.exports import study_tables
from annotations.exports.image_chunks import image_chunks
from annotations.models import Study
from judges.models import AtomScore, Run, Score
from judges.names import runs_by_name

COLUMNS = ("image_id", "judge", "score", "correct", "atom", "reason", "error", "evidence")
CHUNK = 5000
# Evidence holds outlines of objects: so many at a time.
EVIDENCE = 100


def score_rows(
    study: Study, *, judge: str | None = None, among: Sequence[int] | None = None
) -> Iterator[dict[str, object]]:
    """An image's score, then those of its atoms, in the order of judges and images."""
    for name, run in runs_by_name(study).items():
        if judge and judge not in (name, run.judge.name):
            continue
        for chunk in image_chunks(study, "pk", among=among):
            yield from _rows_of(run, name, [pk for _, pk in chunk])


def _rows_of(run: Run, name: str, images: list[int]) -> Iterator[dict[str, object]]:
    atoms = _atom_scores(run, images)
    row = next(atoms, None)
    scores = Score.objects.filter(run=run, image__in=images).order_by("image__key")
    rows = scores.values_list(*SCORE).iterator(chunk_size=EVIDENCE)
    for image, value, correct, reason, error, evidence in rows:
        yield {
            "image_id": image,
            "judge": name,
            "score": "" if value is None else value,
            "correct": "" if correct is None else int(correct),
            "atom": "",
            "reason": reason,
            "error": error,
            "evidence": json.dumps(evidence, ensure_ascii=False, sort_keys=True)
            if evidence
            else "",
        }
        while row is not None and row[0] == image:
            yield {
                "image_id": image,
                "judge": name,
                "score": "" if row[2] is None else row[2],
                "correct": "",
                "atom": row[1],
                "reason": "",
                "error": row[3],
                "evidence": "",
            }
            row = next(atoms, None)


def geneval_results(study: Study, run: Run) -> Iterator[str]:
    """`results.jsonl` as GenEval's script writes it, for its `summary_scores.py`."""
    scores = (
        Score.objects.filter(run=run, correct__isnull=False)
        .select_related("image__prompt", "image__generator")
        .order_by("image__generator__name", "image__prompt__key", "image__sample")
    )
    empty = True
    for score in scores.iterator(chunk_size=1000):
        prompt = score.image.prompt
        if "include" not in prompt.metadata:
            continue
        empty = False
        metadata = {**prompt.metadata, "prompt": prompt.text}
        name = score.evidence.get("filename") or (
            f"{score.image.generator.name}/{prompt.key}/samples/{score.image.sample:05d}.png"
        )
        row = {
            "filename": name,
            "tag": metadata.get("tag", ""),
            "prompt": prompt.text,
            "correct": score.correct,
            "reason": score.reason,
            "metadata": json.dumps(metadata),
            "details": json.dumps(_boxes(score.evidence)),
        }
        # pandas writes "/" as "\\/"; a JSON reader sees no difference.
        yield json.dumps(row, ensure_ascii=True, separators=(",", ":")).replace("/", "\\/") + "\n"
    if empty:
        raise Refused(
            f"{run.judge.name} gave no verdict about a prompt that has GenEval's clauses."
        )


def compbench_results(study: Study, run: Run) -> Iterator[str]:
    """`[{"question_id": 0, "answer": "0.7110"}, …]`; the numbers are those in the picture names."""
    scores = (
        Score.objects.filter(run=run, value__isnull=False)
        .order_by("image__key")
        .values_list("image__key", "value")
    )
    numbered = {}
    for key, value in scores.iterator(chunk_size=CHUNK):
        digits = key.rpartition("/")[2].rpartition("_")[2]
        if digits.isdecimal():
            if int(digits) in numbered:
                raise Refused(
                    "Two images have the same number: T2I-CompBench's layout holds one generator "
                    "and one category at a time."
                )
            numbered[int(digits)] = value
    if not numbered:
        raise Refused(f"{run.judge.name} has no scores of pictures that have a number.")
    between = "["
    for n in sorted(numbered):
        yield between + json.dumps({"question_id": n, "answer": f"{numbered[n]:.4f}"})
        between = ", "
    yield "]\n"


def missing_scores(study: Study, run: Run) -> tuple[int, list[str]]:
    """How many images the run has no score of, and the first of them."""
    absent = study.images.exclude(scores__run=run).order_by("key")
    return absent.count(), list(absent.values_list("key", flat=True)[: study_tables.NAMED])


def describe(
    study: Study,
    runs: Iterable[Run],
    *,
    file: str,
    format: str,
    signature: str,
    counts: dict[str, int],
) -> dict[str, Any]:
    """The sidecar of a file of scores."""
    absent = {run.judge.name: missing_scores(study, run) for run in runs}
    judges = {run.judge.name: run.judge.fingerprint for run in runs}
    return {
        "what": f"Scores of the study “{study.title}” ({study.slug}), from Jurybox.",
        "file": file,
        "format": format,
        "signature": {"sha256": signature, "judges": judges},
        "counts": counts,
        "missing": {
            name: {"images_without_score": count, "image_ids": named}
            for name, (count, named) in absent.items()
        },
    }


def digest(study: Study, *, people: str = "nobody") -> str:
    """Of prompts, images, labels and scores: equal digests mean equal studies."""
    sha = hashlib.sha256(study_tables.digest(study, people=people).encode())
    for row in score_rows(study):
        sha.update(json.dumps(row, ensure_ascii=False, sort_keys=True).encode())
    return sha.hexdigest()


SCORE = ("image__key", "value", "correct", "reason", "error", "evidence")


def _atom_scores(run: Run, images: list[int]) -> Iterator[tuple[Any, ...]]:
    rows = AtomScore.objects.filter(score__run=run, score__image__in=images)
    rows = rows.order_by("score__image__key", "atom__index")
    return rows.values_list("score__image__key", "atom__index", "value", "error").iterator(
        chunk_size=CHUNK
    )


def _boxes(evidence: dict[str, Any]) -> dict[str, Any]:
    """`{class: [[x1, y1, x2, y2, score], …]}`, in the same form for every detector."""
    boxes = evidence.get("boxes")
    if isinstance(boxes, dict):
        return boxes
    by_class: dict[str, list[Any]] = {}
    for detection in evidence.get("detections", []):
        box = [*detection.get("box", []), detection.get("score")]
        by_class.setdefault(str(detection.get("class")), []).append(box)
    return by_class
