"""The first page of a study: what it is, what is missing, and the one next step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import PersonsRequest, place_of, place_or_404
from annotations.forms.versions import form_of
from annotations.language.counts import count_things, list_words
from annotations.models import Study
from annotations.studies import flags
from annotations.studies import queries as study_queries
from annotations.studies.queries import StudyCounts
from audit.languages import in_language
from audit.models import ClosedTour, Report
from audit.pages.home_cards import next_step
from audit.words import titles
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
        gettext("Data"),
        _data_words(counts),
        has_images,
        step_address("imports"),
        gettext("Import more") if has_images else gettext("Import images"),
        ((gettext("Export images"), exported("images")),) if has_images else (),
    )
    yield Step(
        "questions",
        gettext("Questions"),
        gettext("People answer “%(form)s”, %(questions)s about each image.")
        % {
            "form": study.form.title,
            "questions": count_things(len(form_of(study.form).questions), "questions"),
        },
        True,
        step_address("form-edit") if is_owner else "",
        gettext("Change the questions"),
    )
    yield Step(
        "people",
        gettext("Annotators"),
        _people_words(study, counts),
        has_images and counts.labelled == counts.images,
        step_address("people"),
        gettext("Invite people") if is_owner else gettext("See the people"),
        ((gettext("Export labels"), exported("labels")),) if counts.annotations else (),
    )
    yield Step(
        "judges",
        gettext("Judges"),
        _run_words(runs),
        bool(runs) and not {Run.State.RUNNING, Run.State.STOPPED} & set(runs),
        step_address("runs"),
        gettext("See the runs") if runs else gettext("Start a judge"),
        ((gettext("Export scores"), exported("scores")),) if runs else (),
    )
    yield Step(
        "audit",
        gettext("Audit"),
        _report_words(report),
        report is not None,
        step_address("summary"),
        gettext("See the summary"),
        ((gettext("Export reports"), step_address("reports")),) if report is not None else (),
    )


def _data_words(counts: StudyCounts) -> str:
    if not counts.images:
        return gettext("No images yet. Bring pictures, tables, or a benchmark’s files.")
    return gettext("%(images)s of %(prompts)s by %(generators)s.") % {
        "images": count_things(counts.images, "images"),
        "prompts": count_things(counts.prompts, "prompts"),
        "generators": count_things(counts.generators, "generators"),
    }


def _people_words(study: Study, counts: StudyCounts) -> str:
    people = {"people": count_things(counts.people, "people"), "overlap": study.overlap}
    if not counts.images:
        return gettext("%(people)s in this study, up to %(overlap)s for each image.") % people
    return gettext(
        "%(labelled)s of %(images)s labelled; %(people)s in this study, up to %(overlap)s for each image."
    ) % {
        "labelled": counts.labelled,
        "images": count_things(counts.images, "images"),
        **people,
    }


def _run_words(runs: list[str]) -> str:
    if not runs:
        return gettext("No judge has scored these images yet. Start one, or import its scores.")
    going, stopped = runs.count(Run.State.RUNNING), runs.count(Run.State.STOPPED)
    parts = [count_things(len(runs), "runs")]
    if going:
        parts.append(ngettext("%(number)s in progress", "%(number)s in progress", going))
        parts[-1] %= {"number": going}
    if stopped:
        words = ngettext(
            "%(number)s stopped with an error", "%(number)s stopped with an error", stopped
        )
        parts.append(words % {"number": stopped})
    return gettext("%(words)s.") % {"words": list_words(parts)}


def _report_words(report: Report | None) -> str:
    if report is None:
        return gettext("No report yet. It needs labels and a judge’s scores of the same images.")
    titles.remember_summary(report.summary)
    return in_language(report.summary.get("sentence", "")) or gettext("There is a report.")
