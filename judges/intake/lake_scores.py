"""Parts of a judged lake → scores of a study, as a run of the very judge that made them.

The judge is known by what stands in the parts: method, options, weights, libraries. So its run is the one
that workers would have made, and workers go on with it. A row counts where the study shows the same
picture under the same prompt.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from annotations.imports.outcome import Outcome, reject
from annotations.models import Image, Study
from judges.lake.judge_slice import verdict_of
from judges.lake.score_files import ScoreFolder
from judges.lake.sources import LakeRefused
from judges.looks.gather import subject_of
from judges.models import Judge, Run, Score
from judges.runs import local_weights
from judges.runs.save_scores import insert_scores
from judges.signals import scores_changed
from jurybox_formats.sources.checks import (
    Unfit,
    check_json,
    check_key,
    check_number,
    check_text,
    sound,
)
from jurybox_formats.sources.json_values import take, take_text
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.sources.text_files import parsed
from jurybox_judging import registry
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.protocols import Judgement, Unscored

# Scores of one transaction: nobody who labels waits for more of them.
AT_ONCE = 1_250


class ScoreLine(dict[str, Any]):
    """A row of a part, and where it stands."""

    line: int = 0
    source: str = ""


def write(study: Study, path: Path, outcome: Outcome, *, judge: str = "") -> None:
    folder = ScoreFolder(path)
    try:
        parts = list(folder.parts())
        # A part that is damaged is found before anything is written.
        for name, _ in parts:
            folder.check(name)
        row = _judge(path, parts, judge)
        run = _run(study, row)
        rows = _rows(folder, [name for name, _ in parts])
        while some := list(islice(rows, AT_ONCE)):
            _write(run, some, outcome)
            outcome.step(len(some))
    except LakeRefused as refusal:
        raise Unreadable(refusal.message) from refusal
    _finish(run, parts, outcome)


def _judge(path: Path, parts: Sequence[tuple[str, Mapping[str, Any]]], wanted: str) -> Judge:
    """The one judge of all parts; its facts must give the fingerprint that stands beside them."""
    if not parts:
        raise Unreadable(f"{path} holds no parts of a judged lake.")
    first, facts = parts[0]
    made_by, mark = facts["judge"], facts["fingerprint"]
    for name, other in parts:
        judge, its_mark = other["judge"], other["fingerprint"]
        if its_mark != mark:
            raise Unreadable(
                f"{first} is of the judge {made_by} · {mark}, and {name} of {judge} · {its_mark}: other weights "
                "or options are another judge. Import them from folders of their own."
            )
        true_mark = registry.fingerprint({"name": judge, **other["identity"]})
        if true_mark != its_mark:
            raise Unreadable(
                f"{name} does not know its judge: what it says of method, options and weights gives the "
                f"fingerprint {true_mark}, and it names {its_mark}."
            )
    if wanted and wanted != made_by:
        raise Unreadable(f"These scores are by “{made_by}”, not by “{wanted}”.")
    try:
        Judge(name=made_by, fingerprint=mark, **facts["identity"]).clean_fields()
        return local_weights.judge_row(made_by, facts["identity"])
    except ValidationError as error:
        wrong = ", ".join(sorted(error.message_dict))
        raise Unreadable(f"{first} says of its judge what cannot be stored: {wrong}.") from error
    except JudgeRefused as refusal:
        raise Unreadable(f"{first}: {refusal.message}") from refusal


def _run(study: Study, judge: Judge) -> Run:
    now = timezone.now()
    run, _ = Run.objects.get_or_create(
        study=study,
        judge=judge,
        defaults={"state": Run.State.FINISHED, "started_at": now, "finished_at": now},
    )
    if run.is_running:
        raise Unreadable(
            f"{judge} is running in this study. Wait for it, or cancel it, then import."
        )
    return run


def _rows(folder: ScoreFolder, names: Sequence[str]) -> Iterator[ScoreLine]:
    for name in names:
        for line, plain in enumerate(folder.rows(name), start=1):
            row = ScoreLine(plain)
            row.line, row.source = line, name
            yield row


def _check(row: ScoreLine) -> None:
    """A part may be damaged in ways that its file does not show: each cell is what it should be."""
    check_key("image_id", take_text(row, "image_id"))
    check_text("prompt", take_text(row, "prompt"))
    for field in ("sha256", "reason", "error"):
        check_text(field, take(row, field, str, "a text"))
    for field in ("value", "seconds"):
        if row[field] is not None:
            check_number(field, row[field], row[field])
    if row["seconds"] is not None and row["seconds"] < 0:
        raise Unfit("seconds", row["seconds"], "Time cannot be negative.")
    if row["value"] is None and not row["error"]:
        raise Unfit("error", "", "A row without a value must say why it has none.")
    take(row, "assumed", int, "a whole number")
    for field in ("about", "evidence"):
        _check_object(field, row[field])
    if row["value"] is not None or row["atoms"] is not None:
        _check_atoms(take(row, "atoms", list, "a list"))


def _check_atoms(atoms: Sequence[Any]) -> None:
    seen = set()
    for atom in atoms:
        index = take(atom, "index", int, "a whole number")
        check_text("atoms", take(atom, "reason", str, "a text"))
        if atom["value"] is None or index < 0:
            raise Unfit("atoms", str(atom)[:80], "A part has a number from 0 and a value.")
        if index in seen:
            raise Unfit("atoms", str(atom)[:80], f"Atom {index} is judged twice.")
        seen.add(index)
        check_number("atoms", atom["value"], atom["value"])


def _check_object(field: str, text: Any) -> None:
    if text is None or text == "":
        return
    try:
        value = parsed(text)
    except (ValueError, RecursionError):
        raise Unfit(field, str(text)[:80], f"“{field}” is no sound JSON.") from None
    if not isinstance(value, dict):
        raise Unfit(field, str(text)[:80], f"“{field}” must be an object.")
    check_json(field, value)


def _fit_rows(rows: Sequence[ScoreLine], outcome: Outcome) -> list[ScoreLine]:
    fit = []
    for row in rows:
        try:
            _check(row)
        except Unfit as unfit:
            reject(outcome, row, unfit)
        else:
            fit.append(row)
    return fit


@transaction.atomic
def _write(run: Run, rows: Sequence[ScoreLine], outcome: Outcome) -> None:
    rows = _fit_rows(rows, outcome)
    images = Image.objects.filter(
        study=run.study_id, key__in=sound(row["image_id"] for row in rows)
    )
    by_key = {
        image.key: image
        for image in images.select_related("prompt").prefetch_related("prompt__atoms")
    }
    stored = dict(
        Score.objects.filter(run=run, image__in=by_key.values()).values_list("image__key", "value")
    )
    new: dict[str, tuple[Image, Judgement | Unscored, float | None]] = {}
    for row in rows:
        key = row["image_id"]
        try:
            if key not in by_key:
                raise Unfit("image_id", key, "The study has no such image.")
            _expect_the_same(by_key[key], row)
            known = stored.get(key, ...)
            known = _value(new[key][1]) if key in new else known
            if known is ...:
                new[key] = (by_key[key], verdict_of(row), row["seconds"])
            elif known == row["value"]:
                outcome.unchanged += 1
            else:
                before = "no score" if known is None else f"{known:g}"
                raise Unfit(
                    "value", row["value"], f"This judge said {before} of this image before."
                )
        except Unfit as unfit:
            reject(outcome, row, unfit)
    if new:
        insert_scores(run, list(new.values()))
    outcome.scores += len(new)


def _value(verdict: Judgement | Unscored) -> float | None:
    return verdict.score if isinstance(verdict, Judgement) else None


def _expect_the_same(image: Image, row: Mapping[str, Any]) -> None:
    """Its picture, and all that the judge was shown of its prompt."""
    if image.prompt.text.strip() != row["prompt"]:
        raise Unfit("prompt", row["prompt"], f"The prompt of this image is “{image.prompt.text}”.")
    if image.sha256 and image.sha256 != row["sha256"]:
        raise Unfit("sha256", row["sha256"], "The study has another picture under this name.")
    about = json.loads(row["about"]) if row["about"] else {}
    subject = subject_of(image)
    atoms = [{**asdict(atom), "parents": list(atom.parents)} for atom in subject.atoms]
    if "atoms" in about and about["atoms"] != atoms or "atoms" not in about and row["atoms"]:
        raise Unfit("atoms", "", "The judge was asked about other atoms than those of this prompt.")
    known = {atom.index for atom in subject.atoms}
    for atom in row["atoms"] or ():
        if (index := atom["index"]) not in known:
            raise Unfit("atoms", index, f"This prompt has no atom {index}.")
    for name, value in about.get("metadata", {}).items():
        if subject.metadata.get(name) != value:
            raise Unfit("metadata", name, f"The prompt has another “{name}” in this study.")


def _finish(run: Run, parts: Sequence[tuple[str, Mapping[str, Any]]], outcome: Outcome) -> None:
    expected = Image.objects.filter(study=run.study_id).count()
    Run.objects.filter(pk=run.pk).update(expected=expected, finished_at=timezone.now())
    absent = Image.objects.filter(study=run.study_id).exclude(scores__run=run)
    if count := absent.count():
        outcome.warn(
            f"{run.judge.name}: {expected} images expected, {expected - count} with a judgement; {count} are "
            "missing."
        )
        keys = absent.order_by("key").values_list("key", flat=True)
        outcome.lack(f"image {key} has no score by {run.judge.name}" for key in keys.iterator())
    open_files = {facts["file"] for _, facts in parts}
    open_files -= {facts["file"] for _, facts in parts if facts["is_last"]}
    if open_files:
        some = ", ".join(sorted(open_files)[:5])
        outcome.warn(f"{len(open_files)} files of the lake are not judged to their end: {some}.")
    if not outcome.dry_run:
        scores_changed.send(sender=Run, study_id=run.study_id, ended=True)
