"""Stores why a gap moved, by what was asked: a small study's is computed while the page opens, a large
one's by a worker."""

from __future__ import annotations

from annotations.anchors import again
from annotations.errors import Refused
from annotations.models import Study
from audit.models import Explanation
from audit.people.stored import is_small
from audit.reports import freshness
from audit.why.asked import Asked
from audit.why.explain import explain

# Of a study; what was asked longest ago goes.
KEPT = 40


def study_called(slug: str) -> Study:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise Refused(f"There is no study “{slug}”.")
    return study


def current(*, study: Study, asked: Asked) -> Explanation | None:
    """What is stored; brought up to date first where the studies are small."""
    kept = Explanation.objects.filter(study=study, asked=asked.as_dict()).first()
    if kept is not None and kept.stamp == stamp(study, asked):
        return kept
    return keep(study=study, asked=asked) if all(map(is_small, _read(study, asked))) else kept


def is_behind(kept: Explanation | None, study: Study, asked: Asked) -> bool:
    return kept is None or kept.stamp != stamp(study, asked)


def stamp(study: Study, asked: Asked) -> str:
    return " ".join(freshness.stamp(read.pk) for read in _read(study, asked))


def keep(*, study: Study, asked: Asked) -> Explanation:
    stamps = [freshness.report_begins(read.pk) for read in _read(study, asked)]
    body = explain(study, asked, find=study_called)
    kept, _ = Explanation.objects.update_or_create(
        study=study, asked=asked.as_dict(), defaults={"body": body, "stamp": " ".join(stamps)}
    )
    old = Explanation.objects.filter(study=study).values_list("pk", flat=True)[KEPT:]
    Explanation.objects.filter(pk__in=list(old)).delete()
    return kept


def _read(study: Study, asked: Asked) -> list[Study]:
    after = asked.sides()[1]
    if after.kind == "study":
        return [study, study_called(after.study)]
    if after.kind == "labelled":
        return [study, *(one.study for one in again.rounds_of(study))]
    return [study]
