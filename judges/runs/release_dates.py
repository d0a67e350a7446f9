"""Release dates of judges that the code does not know: imported ones, and models of one's own.

The date stands at the study's run of the judge (`Run.judge_released`), so that it changes no other
study, and reports read it with `Run.release_date`. A date that the code knows is not changed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from django.db import transaction
from django.db.models import QuerySet

from annotations import event_log
from annotations.errors import StudyRefused
from annotations.models import Study
from annotations.studies.generators import day
from judges.models import Run
from judges.signals import scores_changed
from jurybox_judging import catalogue


class DatesRefused(StudyRefused):
    """Nothing was changed. `wrong`: run id -> a sentence."""

    status = 422

    def __init__(self, wrong: dict[int, str]) -> None:
        super().__init__("Nothing was changed. " + " ".join(list(wrong.values())[:20]))
        self.wrong = wrong


def open_ones(study: Study) -> QuerySet[Run]:
    """The runs whose judge has no date in the code, by name."""
    rows = Run.objects.filter(study=study, judge__release_date=None)
    return rows.select_related("judge").order_by("judge__name", "pk")


def suggested(run: Run) -> date | None:
    """The date of the judge of the catalogue that has the same name."""
    known = catalogue.JUDGES.get(run.judge.name)
    return known.release_date if known else None


@transaction.atomic
def set_dates(*, study: Study, given: Mapping[int, str]) -> int:
    """run id -> a full date, or nothing. All of it or nothing; returns how many have changed."""
    wrong, changed = {}, []
    for run in open_ones(study).filter(pk__in=given):
        try:
            released = day(given[run.pk])
        except StudyRefused as refusal:
            wrong[run.pk] = refusal.message
            continue
        if released != run.judge_released:
            run.judge_released = released
            changed.append(run)
    if wrong:
        raise DatesRefused(wrong)
    if changed:
        Run.objects.bulk_update(changed, ["judge_released"])
        names = ", ".join(run.judge.name for run in changed[:10])
        event_log.note(study, "judge dates", f"set the release dates of {names}")
        # Reports stand on them as on the scores.
        transaction.on_commit(
            lambda: scores_changed.send(sender=Run, study_id=study.pk, ended=True)
        )
    return len(changed)
