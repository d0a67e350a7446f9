"""What the audit's pages show: read, never written."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser

from annotations import queries as annotation_queries
from annotations.models import Membership, Study
from audit import narrative
from audit.models import Report
from judges import queries as judge_queries


@dataclass(frozen=True, slots=True)
class Card:
    """A study on the home page: how far it is and what it found. Annotators see only their part."""

    membership: Membership
    images: int
    labelled: int
    my_done: int
    my_left: int
    running: int
    sentence: str
    drifting: bool | None

    @property
    def study(self) -> Study:
        return self.membership.study

    @property
    def may_research(self) -> bool:
        return self.membership.may_research


def cards(user: AbstractBaseUser) -> list[Card]:
    return [_card(membership) for membership in annotation_queries.memberships_of(user)]


def newest_report(study: Study) -> Report | None:
    """The newest report as everybody sees it; those made with other options are not it."""
    return Report.objects.filter(study=study, options={}).order_by("-created_at", "-pk").first()


def _card(membership: Membership) -> Card:
    study = membership.study
    mine = annotation_queries.progress(membership)
    if not membership.may_research:
        return Card(membership, 0, 0, mine.mine, mine.left, 0, "", None)
    counts = annotation_queries.counts(study)
    report = newest_report(study)
    going = sum(row.run.is_running for row in judge_queries.run_rows(study))
    return Card(
        membership=membership,
        images=counts.images,
        labelled=counts.labelled,
        my_done=mine.mine,
        my_left=mine.left,
        running=going,
        sentence=narrative.headline(report.body) if report else "",
        drifting=narrative.drifting(report.body) if report else None,
    )
