"""What judges and people found wrong, as a queue in which people confirm or correct each finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotations.errors import Refused, StudyRefused
from annotations.models import Answer, Atom, Study
from audit.models import Finding
from judges.exports.repairs import repairs
from judges.models import AtomScore, Run, Score
from judges.names import runs_by_name
from jurybox_judging.methods.align_score import AlignScore
from jurybox_judging.methods.geneval import GenEval

PEOPLE = "people"
FAILED = 0.5  # an atom below this was not drawn
LONGEST = 1000
Row = tuple[int, dict[str, Any]]


@transaction.atomic
def look(*, study: Study, judge: str) -> Counter[str]:
    """Put what this judge, or people, found into the queue; what is there already stays as it is."""
    left_out: Counter[str] = Counter()
    rows: Iterable[Row]
    if judge == PEOPLE:
        rows, name = _of_people(study), ""
    else:
        runs = runs_by_name(study)
        if judge not in runs:
            names = ", ".join(runs) or "none yet"
            raise Refused(f"“{judge[:120]}” is no judge of this study. It has: {names}.")
        rows, name = _of_judge(judge, runs[judge], left_out), judge
    # Repaired images and their controls are the end of it.
    made = set(
        study.images.filter(metadata__has_key="parent").order_by().values_list("pk", flat=True)
    )
    queued = set(
        Finding.objects.filter(study=study, judge=name).order_by().values_list("image", flat=True)
    )
    new = [
        Finding(study=study, image_id=image, judge=name, **found)
        for image, found in rows
        if image not in queued and image not in made
    ]
    Finding.objects.bulk_create(new, batch_size=500)
    left_out["found"] = len(new)
    return left_out


@transaction.atomic
def say(*, finding: Finding, state: str, by: Any, wanted: str = "", found: str = "") -> None:
    """What a person says of it; with other words where it is real but was put wrongly."""
    if state not in (Finding.State.REAL, Finding.State.WRONG):
        raise Refused("A finding is real, or the judge erred.")
    wanted, found = wanted.strip()[:LONGEST], found.strip()[:LONGEST]
    if state == Finding.State.REAL and bool(wanted) != bool(found):
        raise Refused("Say both: how the image should be, and how it is.")
    changed = {"wanted": wanted, "found": found} if wanted else {}
    if changed and wanted == found:
        raise Refused("How the image should be and how it is are the same: nothing is to repair.")
    Finding.objects.filter(pk=finding.pk).update(
        state=state, said_by=by, said_at=timezone.now(), **changed
    )


def confirmed(study: Study) -> list[Finding]:
    """By key; of an image with several the first."""
    rows = Finding.objects.filter(study=study, state=Finding.State.REAL)
    rows = rows.select_related("image__prompt", "image__generator").order_by("image__key", "pk")
    found: dict[int, Finding] = {}
    for row in rows:
        found.setdefault(row.image_id, row)
    if not found:
        raise StudyRefused("No finding is confirmed yet: confirm some under Audit → Repairs.")
    return list(found.values())


def _of_judge(name: str, run: Run, left_out: Counter[str]) -> Iterable[Row]:
    if run.judge.method == AlignScore.identity:
        return _of_instances(name, run, left_out)
    if run.judge.method == GenEval.identity:
        return _of_clauses(run)
    if not AtomScore.objects.filter(score__run=run).exists():
        raise StudyRefused(
            f"{name} says neither which atom of a prompt failed nor what is where in the image, so it "
            "names nothing to repair."
        )
    return _of_atoms(run)


def _of_instances(name: str, run: Run, left_out: Counter[str]) -> Iterator[Row]:
    keys = dict(run.study.images.order_by().values_list("key", "pk"))
    for row in repairs(name, run, left_out):
        said = {"wanted": row["wanted"], "found": row["found"], "others": row["other_findings"]}
        yield keys[str(row["image_id"])], said


def _of_clauses(run: Run) -> Iterator[Row]:
    """GenEval's: the first clause that is not met."""
    scores = Score.objects.filter(run=run, value__isnull=False, correct=False).order_by(
        "image__key"
    )
    for image, evidence in scores.values_list("image", "evidence").iterator(chunk_size=500):
        failed = [row for row in evidence.get("clauses", ()) if not row.get("met", True)]
        if failed:
            yield image, {**_of_clause(failed[0]), "others": len(failed) - 1}


def _of_clause(clause: dict[str, Any]) -> dict[str, str]:
    noun, count, found = clause["class"], clause.get("count", 1), clause.get("found")
    if clause.get("kind") == "exclude":
        return {"wanted": f"fewer than {count} {noun}", "found": f"{found or count} {noun}"}
    if isinstance(found, int) and found != count:
        return {"wanted": f"{count} {noun}", "found": f"{found or 'no'} {noun}"}
    # As many as the prompt wants, and yet not met: their color or their place.
    said = " ".join(str(part) for part in (count, clause.get("color"), noun) if part)
    return {"wanted": said, "found": f"not {said}"}


def _of_atoms(run: Run) -> Iterator[Row]:
    rows = AtomScore.objects.filter(score__run=run, value__lt=FAILED)
    yield from _first_of_each(
        rows.order_by("score__image__key", "atom__index").values_list("score__image", "atom")
    )


def _of_people(study: Study) -> Iterator[Row]:
    """Atoms of which most people say that they were not drawn."""
    said: dict[tuple[str, int, int, int], list[float]] = {}
    answers = Answer.objects.atom_numbers(study).order_by()
    rows = answers.values_list(
        "annotation__image__key", "annotation__image", "atom__index", "atom", "value"
    )
    for key, image, index, atom, value in rows:
        if value is not None:
            said.setdefault((key, image, index, atom), []).append(value)
    failed = [
        (image, atom)
        for (_, image, _, atom), values in sorted(said.items())
        if sum(values) / len(values) < FAILED
    ]
    yield from _first_of_each(failed)


def _first_of_each(failed: Iterable[tuple[int, int]]) -> Iterator[Row]:
    """Of each image the first atom; what rests on it can hardly be right."""
    of_image: dict[int, list[int]] = {}
    for image, failing_atom in failed:
        of_image.setdefault(image, []).append(failing_atom)
    atoms = Atom.objects.in_bulk({failing[0] for failing in of_image.values()})
    for image, failing in of_image.items():
        atom = atoms[failing[0]]
        words = atom.text or atom.question
        not_so = f"no {words}" if atom.kind == "object" else f"not {words}"
        yield (
            image,
            {"atom": atom.index, "wanted": words, "found": not_so, "others": len(failing) - 1},
        )
