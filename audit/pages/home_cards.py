"""The cards of the home page: one for each study of a person."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Count, Exists, OuterRef, Q, Subquery

from annotations.labelling import queries as annotation_queries
from annotations.models import Annotation, Image, Membership, Study
from annotations.studies import queries as study_queries
from audit.charts.style import COLOURS
from audit.models import Report
from audit.statistic_names import BAND
from judges.models import Run


@dataclass(frozen=True, slots=True)
class Spark:
    """Net deviation in release order, as a line 96 by 24."""

    title: str
    colour: str
    alarm: bool
    points: str
    last: tuple[str, str]


@dataclass(frozen=True, slots=True)
class StudyCard:
    """A study on the home page: how far it is and what its report says. Annotators see only their own
    progress."""

    membership: Membership
    images: int = 0
    labelled: int = 0
    my_done: int = 0
    my_left: int = 0
    running: int = 0
    sentence: str = ""
    drifting: bool | None = None
    judged: list[dict[str, Any]] = field(default_factory=list)
    sparks: list[Spark] = field(default_factory=list)
    has_report: bool = False

    @property
    def study(self) -> Study:
        return self.membership.study

    @property
    def may_research(self) -> bool:
        return self.membership.may_research

    @property
    def next_step(self) -> str:
        """The one thing to do next."""
        if not self.images:
            return "import"
        if not self.labelled:
            return "label"
        if not self.judged and not self.running:
            return "judge"
        return "look"


def cards(user: AbstractBaseUser | AnonymousUser) -> list[StudyCard]:
    """Takes a constant number of queries for the studies of a researcher, however large they are."""
    memberships = list(study_queries.memberships_of(user))
    research = [member.study_id for member in memberships if member.may_research]
    summaries = dict(
        Study.objects.filter(pk__in=research)
        .annotate(
            summary=Subquery(
                Report.objects.with_usual_options()
                .filter(study=OuterRef("pk"))
                .values("summary")[:1]
            )
        )
        .values_list("pk", "summary")
    )
    running = dict(
        Run.objects.filter(study__in=research, state=Run.State.RUNNING)
        .order_by()
        .values_list("study")
        .annotate(Count("pk"))
    )
    mine = dict(
        Annotation.objects.filter(annotator__in=memberships, state=Annotation.State.COUNTED)
        .order_by()
        .values_list("study")
        .annotate(Count("pk"))
    )
    fresh = _counted([pk for pk in research if not summaries.get(pk)])
    made = []
    for member in memberships:
        if not member.may_research:
            progress = annotation_queries.progress(member)
            made.append(StudyCard(member, my_done=progress.mine, my_left=progress.left))
            continue
        summary = summaries.get(member.study_id) or fresh[member.study_id]
        made.append(
            StudyCard(
                membership=member,
                images=summary["images"],
                labelled=summary["labelled"],
                my_done=mine.get(member.study_id, 0),
                running=running.get(member.study_id, 0),
                sentence=summary.get("sentence", ""),
                drifting=summary.get("drifting"),
                judged=list(summary.get("judges", {}).values()),
                sparks=sparks(summary),
                has_report=bool(summaries.get(member.study_id)),
            )
        )
    return made


def sparks(summary: dict[str, Any]) -> list[Spark]:
    """All judges on one scale, wide enough for the band in which a judge is in line with people."""
    judges = list(summary.get("judges", {}).values())
    values = [v for judge in judges for v in judge["deviations"] if v is not None]
    low, high = min([-BAND, *values]), max([BAND, *values])
    lines = []
    for number, judge in enumerate(judges):
        known = [(i, v) for i, v in enumerate(judge["deviations"]) if v is not None]
        if len(known) < 2:
            continue
        step = 88 / (len(judge["deviations"]) - 1)
        places = [
            (f"{4 + i * step:.1f}", f"{2 + 20 * (high - v) / (high - low):.1f}") for i, v in known
        ]
        lines.append(
            Spark(
                title=judge["title"],
                colour=COLOURS[number % len(COLOURS)],
                alarm=judge["alarm"],
                points=" ".join(",".join(place) for place in places),
                last=places[-1],
            )
        )
    return lines


def _counted(studies: list[int]) -> dict[int, dict[str, Any]]:
    """Counts images and labelled images, for studies without a report that would say."""
    if not studies:
        return {}
    labelled = Exists(
        Annotation.objects.filter(image=OuterRef("pk"), state=Annotation.State.COUNTED)
    )
    rows = (
        Image.objects.filter(study__in=studies)
        .order_by()
        .annotate(labelled=labelled)
        .values("study")
        .annotate(images=Count("pk"), labelled_images=Count("pk", filter=Q(labelled=True)))
    )
    counted = {
        row["study"]: {"images": row["images"], "labelled": row["labelled_images"]} for row in rows
    }
    return {pk: counted.get(pk, {"images": 0, "labelled": 0}) for pk in studies}
