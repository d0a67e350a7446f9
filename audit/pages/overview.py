"""The first page of a study: what it is, what is missing, and the one next step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from annotations.access import PersonsRequest, place_of, place_or_404
from annotations.forms.versions import form_of
from annotations.models import Study
from annotations.studies import flags
from annotations.studies import queries as study_queries
from annotations.studies.queries import StudyCounts
from audit.models import ClosedTour, Report
from audit.pages.home_cards import next_step
from audit.words.numbers import count_words
from judges.models import Run


@dataclass(frozen=True, slots=True)
class Step:
    """One of the steps from nothing to an audit, under the name of its section."""

    key: str
    title: str
    words: str
    done: bool
    url: str
    button: str
    # (what, where): what of it can be exported.
    exports: tuple[tuple[str, str], ...] = ()


@require_GET
def study(request: HttpRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    if not place.may_research:
        return redirect("label", slug=slug)
    counts = study_queries.counts(place.study)
    runs = list(place.study.runs.order_by().values_list("state", flat=True))
    report = Report.objects.with_usual_options().filter(study=place.study).defer("body").first()
    is_owner = place.owns
    context = {
        "study": place.study,
        "is_owner": is_owner,
        "counts": counts,
        "steps": list(_steps(place.study, counts, runs, report, is_owner)),
        "next": next_step(
            images=counts.images,
            labelled=counts.labelled,
            judged=bool(runs),
        ),
        "flags": flags.open_flags(place.study).count(),
        "missing": counts.missing,
        # Whether it was closed is read only for somebody with an empty study.
        "tour": not counts.images and not ClosedTour.objects.filter(user=request.user.pk).exists(),
    }
    return render(request, "audit/study.html", context)


@require_GET
def tour(request: HttpRequest) -> HttpResponse:
    return render(request, "tour.html")


@require_POST
def close_tour(request: PersonsRequest) -> HttpResponse:
    """For good, for this person. The page of the tour stays."""
    ClosedTour.objects.get_or_create(user=request.user)
    place = place_of(request.user, request.POST.get("study", ""))
    return redirect("study", slug=place.study.slug) if place else redirect("home")


def _steps(
    study: Study, counts: StudyCounts, runs: list[str], report: Report | None, is_owner: bool
) -> Iterator[Step]:
    def step_address(name: str) -> str:
        return reverse(name, args=[study.slug])

    def exported(what: str) -> str:
        return f"{step_address('export')}#export-{what}"

    has_images = counts.images > 0
    yield Step(
        "data",
        "Data",
        f"{count_words(counts.images, 'image')} of {count_words(counts.prompts, 'prompt')} by "
        f"{count_words(counts.generators, 'generator')}."
        if has_images
        else "No images yet. Bring pictures, tables, or a benchmark’s files.",
        has_images,
        step_address("imports"),
        "Import more" if has_images else "Import images",
        (("Export images", exported("images")),) if has_images else (),
    )
    asked = len(form_of(study.form).questions)
    yield Step(
        "questions",
        "Questions",
        f"People answer “{study.form.title}”, {count_words(asked, 'question')} about each image.",
        True,
        step_address("form-edit") if is_owner else "",
        "Change the questions",
    )
    labelled = (
        f"{counts.labelled} of {count_words(counts.images, 'image')} labelled; "
        if has_images
        else ""
    )
    yield Step(
        "people",
        "Annotators",
        f"{labelled}{count_words(counts.people, 'person', 'people')} in this study, up to {study.overlap} "
        "for each image.",
        has_images and counts.labelled == counts.images,
        step_address("people"),
        "Invite people" if is_owner else "See the people",
        (("Export labels", exported("labels")),) if counts.annotations else (),
    )
    going, stopped = runs.count(Run.State.RUNNING), runs.count(Run.State.STOPPED)
    parts = [count_words(len(runs), "run")]
    parts += [f"{going} in progress"] if going else []
    parts += [f"{stopped} stopped with an error"] if stopped else []
    yield Step(
        "judges",
        "Judges",
        f"{', '.join(parts)}."
        if runs
        else "No judge has scored these images yet. Start one, or import its scores.",
        bool(runs) and not going and not stopped,
        step_address("runs"),
        "See the runs" if runs else "Start a judge",
        (("Export scores", exported("scores")),) if runs else (),
    )
    yield Step(
        "audit",
        "Audit",
        (report.summary.get("sentence") or "There is a report.")
        if report
        else "No report yet. It needs labels and a judge’s scores of the same images.",
        report is not None,
        step_address("summary"),
        "See the summary",
        (("Export reports", step_address("reports")),) if report is not None else (),
    )
