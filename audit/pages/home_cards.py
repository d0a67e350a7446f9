"""The cards of the home page: one for each study of a person."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Count, Exists, OuterRef, Q, Subquery

from annotations.access import Place, places_of
from annotations.labelling import queries as annotation_queries
from annotations.models import Annotation, Image, Study
from audit import demo
from audit.charts.faces import face
from audit.models import Report
from audit.statistic_names import BAND
from audit.view import FOREMOST, MANY
from audit.words import titles
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

    place: Place
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
        return self.place.study

    @property
    def may_research(self) -> bool:
        return self.place.may_research

    @property
    def is_being_drawn(self) -> bool:
        """The demo, until a worker has made its pictures."""
        return self.may_research and self.study.slug == demo.SLUG and not self.images

    @property
    def next_step(self) -> str:
        return next_step(
            images=self.images,
            labelled=self.labelled,
            judged=bool(self.judged or self.running),
        )


def next_step(*, images: int, labelled: int, judged: bool) -> str:
    """The one thing to do next in a study, by the section where it is done."""
    if not images:
        return "data"
    if not labelled:
        return "people"
    return "audit" if judged else "judges"


def cards(user: AbstractBaseUser | AnonymousUser) -> list[StudyCard]:
    """Takes a constant number of queries for the studies of a researcher, however large they are."""
    places = places_of(user)
    research = [place.study.pk for place in places if place.may_research]
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
        Annotation.objects.filter(
            annotator__in=[place.own for place in places if place.own is not None],
            state=Annotation.State.COUNTED,
        )
        .order_by()
        .values_list("annotator")
        .annotate(Count("pk"))
    )
    fresh = _count_images([pk for pk in research if not summaries.get(pk)])
    made = []
    for place in places:
        if not place.may_research:
            progress = annotation_queries.progress(place.membership)
            made.append(StudyCard(place, my_done=progress.mine, my_left=progress.left))
            continue
        summary = summaries.get(place.study.pk) or fresh[place.study.pk]
        titles.remember_summary(summary)
        made.append(
            StudyCard(
                place=place,
                images=summary["images"],
                labelled=summary["labelled"],
                my_done=mine.get(place.own.pk, 0) if place.own else 0,
                running=running.get(place.study.pk, 0),
                sentence=summary.get("sentence", ""),
                drifting=summary.get("drifting"),
                judged=list(summary.get("judges", {}).values()),
                sparks=sparks(summary),
                has_report=bool(summaries.get(place.study.pk)),
            )
        )
    return made


def sparks(summary: dict[str, Any]) -> list[Spark]:
    """All judges on one scale, wide enough for the band in which a judge is in line with people."""
    judges = list(summary.get("judges", {}).values())
    values = [v for judge in judges for v in judge["deviations"] if v is not None]
    low, high = min([-BAND, *values]), max([BAND, *values])
    lines = []
    for place, judge in enumerate(judges):
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
                colour=face(place if judge.get("number") is None else judge["number"]).colour,
                alarm=judge["alarm"],
                points=" ".join(",".join(place) for place in places),
                last=places[-1],
            )
        )
    # Where there are many, those that drift are worth the place.
    lines.sort(key=lambda line: not line.alarm)
    return lines if len(lines) <= MANY else lines[:FOREMOST]


def _count_images(studies: list[int]) -> dict[int, dict[str, Any]]:
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
