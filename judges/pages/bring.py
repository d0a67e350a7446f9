"""Files for a new study or for one that exists: sent, looked at, corrected by menus, imported."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotations.access import PersonsRequest, research_place_or_404
from annotations.bounded_numbers import read_whole
from annotations.errors import ImportRefused, Refused
from annotations.language.stored_words import translate_stored
from annotations.models import Study
from annotations.studies.owners import expect_maker
from judges import tasks
from judges.intake import bring_in, deliveries, previews, templates, uploads
from judges.models import Delivery, Upload
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.registry import FORMATS
from jurybox_formats.sets.prompt_sets.items import SETS
from jurybox_formats.sources import tidy_tables
from jurybox_formats.sources.columns import KINDS, ROLES
from jurybox_formats.sources.picture_names import FOLDERS, NAMES
from jurybox_formats.sources.sound_json import load_json
from jurybox_formats.tools.result_files import READERS
from jurybox_judging.recipes.peoples_unit import UNITS

# What is kept of a form, besides columns and questions.
WORDS = {"name": 200, "format": 40, "kind": 10, "folder": 40, "name_is": 40}
WORDS |= {"generator": 200, "judge": 120, "grid": 1, "template": 40, "unit": 10}
# Pictures across and down in one file, of sets that come in grids.
GRIDS = {"1": "one picture", "2": "2 × 2", "3": "3 × 3", "4": "4 × 4"}


@require_http_methods(["GET", "POST"])
def new(request: PersonsRequest) -> HttpResponse:
    expect_maker(request.user, "New studies")

    def show(refusal: str = "") -> HttpResponse:
        context = context_of(request, None) | {"refusal": refusal}
        if request.htmx:
            return render(request, "judges/delivery.html#found", context)
        return render(request, "judges/new_study.html", context, status=422 if refusal else 200)

    return change(request, None, show) if request.method == "POST" else show()


@require_POST
def new_files(request: PersonsRequest) -> HttpResponse:
    expect_maker(request.user, "New studies")
    return _batch(request, None)


@require_POST
def files(request: PersonsRequest, slug: str) -> HttpResponse:
    return _batch(request, research_place_or_404(request, slug).study)


@require_POST
def piece(request: PersonsRequest, batch_id: int, number: int) -> HttpResponse:
    """The bytes of one piece, as the body."""
    batch = deliveries.batch_of(request.user, min(batch_id, 2**63 - 1))
    if batch is None:
        raise Http404

    def take() -> dict[str, Any]:
        sha256 = request.headers.get("X-Sha256", "")[:64]
        deliveries.take_piece(batch=batch, number=number, read=request.read, sha256=sha256)
        return {"number": number}

    return _json(take)


@require_GET
def sample(request: HttpRequest, name: str) -> HttpResponse:
    """A table to fill in, made from the columns that the reader knows."""
    if name not in SAMPLES:
        raise Http404
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    writer = csv.writer(response, lineterminator="\n")
    writer.writerow(SAMPLES[name])
    writer.writerow([EXAMPLES[column] for column in SAMPLES[name]])
    return response


def change(
    request: PersonsRequest, study: Study | None, show: Callable[[str], HttpResponse]
) -> HttpResponse:
    """What the form of either page asks for; `show` renders the page, with a refusal if there is one."""
    do = request.POST.get("do", "look")
    delivery = deliveries.begin(user=request.user, study=study)
    here = _address(study)
    if do == "forget":
        deliveries.forget(delivery=delivery)
        return redirect(here)
    if do.startswith("without-"):
        batch = delivery.batches.filter(pk=read_whole(do[8:]) or 0).first()
        if batch is not None:
            deliveries.remove_batch(batch=batch)
        return redirect(here)
    before = _preview_key(delivery.typed)
    delivery.typed = _typed(request, delivery)
    delivery.save(update_fields=["typed", "touched_at"])
    try:
        sent = request.FILES.getlist("file")
        if sent:
            deliveries.add_files(delivery=delivery, files=sent)
        if do == "empty" and study is None:
            return redirect("study", _create_study(request, delivery).slug)
        if do == "make" and not sent and before == _preview_key(delivery.typed):
            return _import(request, delivery, study)
        _look(delivery)
    except ImportRefused as refusal:
        delivery.refresh_from_db()
        return show(refusal.message)
    return show("") if request.htmx else redirect(here)


def context_of(request: PersonsRequest, study: Study | None) -> dict[str, Any]:
    delivery = deliveries.of_person(request.user, study)
    typed = delivery.typed if delivery else {}
    looked = delivery is not None and delivery.state == Delivery.State.LOOKED
    found = delivery.found if delivery is not None and looked else {}
    batches = _batches(delivery) if delivery else []
    titles = {name: known.title for name, known in FORMATS.items()}
    if study is not None:
        titles |= {name: title for name, (title, _) in READERS.items()}
    return {
        "delivery": delivery,
        "typed": typed,
        "found": found,
        "batches": batches,
        "half_sent": any(batch["have"] < batch["pieces"] for batch in batches),
        "name": typed.get("name") or found.get("name", ""),
        "here": _address(study),
        "files_here": reverse("study-new-files")
        if study is None
        else reverse("import-files", args=[study.slug]),
        "becomes": previews.what_becomes(found.get("outcome", {})),
        "formats": _menu(titles),
        "format_title": gettext(titles[found["format"]]) if found.get("format") in titles else "",
        "kinds": Upload.Brings.choices,
        "roles": _menu(ROLES),
        "label_kinds": _menu({kind: kind for kind in KINDS}),
        "folders": _menu(FOLDERS),
        "names": _menu(NAMES),
        "grids": _menu(GRIDS) if found.get("format") in SETS else [],
        "units": _menu(UNITS) if _brings_scores(found) else [],
        "usual_grid": gettext(GRIDS[str(SETS[found["format"]].grid)])
        if found.get("format") in SETS
        else "",
        "samples": list(SAMPLES),
        "templates": templates.TEMPLATES.items() if study is None else (),
    }


def _brings_scores(found: dict[str, Any]) -> bool:
    """Also some that are here, of which only the unit is new."""
    return found.get("kind") == Upload.Brings.SCORES or bool(found.get("outcome", {}).get("scores"))


def _menu(titles: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(name, gettext(title)) for name, title in titles.items()]


def _batches(delivery: Delivery) -> list[dict[str, Any]]:
    rows = []
    for batch in delivery.batches.prefetch_related("pieces"):
        first = batch.files[0][0]
        rows.append(
            {
                "pk": batch.pk,
                "name": first if len(batch.files) == 1 else first.partition("/")[0],
                "files": len(batch.files),
                "size": batch.size,
                "have": len(batch.pieces.all()),
                "pieces": batch.pieces_in_all,
            }
        )
    return rows


def _typed(request: PersonsRequest, delivery: Delivery) -> dict[str, Any]:
    """Menus that were left as they were shown stay guesses."""
    typed: dict[str, Any] = dict(delivery.typed)
    found = delivery.found
    post = request.POST
    for name, longest in WORDS.items():
        if name in post:
            typed[name] = post[name].strip()[:longest]
    for name, offered in (("grid", GRIDS), ("template", templates.TEMPLATES), ("unit", UNITS)):
        if typed.get(name) not in offered:
            typed[name] = ""
    typed["strict"] = "strict" in post
    levels = found.get("levels") or {}
    for name, known, guess in (
        ("folder", FOLDERS, levels.get("folder")),
        ("name_is", NAMES, levels.get("name")),
        ("kind", Upload.Brings.values, found.get("kind")),
    ):
        if typed.get(name) not in known or (typed[name] == guess and not delivery.typed.get(name)):
            typed[name] = ""
    columns = dict(typed.get("columns", {}))
    for t, table in enumerate(found.get("tables", ())):
        for c, column in enumerate(table["columns"]):
            role = post.get(f"column-{t}-{c}", column["role"])
            if role != column["role"] and role in ROLES:
                columns[f"{table['name']}:{column['name']}"] = role
    questions = dict(typed.get("questions", {}))
    for number, question in enumerate(found.get("questions", ())):
        kind = post.get(f"question-{number}", question["kind"])
        if kind != question["kind"] and kind in KINDS:
            questions[question["column"]] = kind
    return typed | {"columns": columns, "questions": questions}


def _preview_key(typed: dict[str, Any]) -> dict[str, Any]:
    """What changes the preview."""
    return {
        name: value
        for name, value in typed.items()
        if value and name not in ("name", "strict", "template", "unit")
    }


def _look(delivery: Delivery) -> None:
    if not delivery.batches.exists():
        raise ImportRefused("Choose a file, a folder or a zip first, or make an empty study.")
    if not deliveries.is_complete(delivery):
        raise ImportRefused(
            "These files have not come whole yet: choose the same files again, and only what is "
            "missing is sent, or remove them."
        )
    delivery.refresh_from_db()
    if job := previews.ask(delivery=delivery):
        transaction.on_commit(lambda: tasks.call_for(job))


def _import(request: PersonsRequest, delivery: Delivery, study: Study | None) -> HttpResponse:
    delivery.refresh_from_db()
    if delivery.state != Delivery.State.LOOKED:
        _look(delivery)
        return redirect(_address(study))
    if delivery.found.get("refusal"):
        raise ImportRefused(delivery.found["refusal"])
    with transaction.atomic():
        target = study or _create_study(request, delivery)
        upload = uploads.hand_over(delivery=delivery, study=target)
    transaction.on_commit(lambda: tasks.call_for(upload))
    return redirect("imports", target.slug)


def _create_study(request: PersonsRequest, delivery: Delivery) -> Study:
    """The study, whose form asks what the labels answer; refused with a name that is free."""
    name = delivery.typed.get("name") or delivery.found.get("name", "")
    if not name:
        raise ImportRefused("Give the study a name.")
    slug, free = previews.slug_for(name), previews.free_slug(name)
    if slug and slug != free:
        other = f"{name} {free.rpartition('-')[2]}"
        raise ImportRefused(f"There is a study called so already. “{other}” is free.")
    form, template = previews.form_of(delivery, free), delivery.typed.get("template", "")
    # No menu asks what the files answer.
    if template and not delivery.found.get("outcome", {}).get("answers"):
        form = FORMS[templates.TEMPLATES[template].form]
    with transaction.atomic():
        made = bring_in.new_study(slug=free, title=name, by=request.user, form=form)
        if template:
            templates.apply_settings(study=made, name=template)
    return made


def _batch(request: PersonsRequest, study: Study | None) -> HttpResponse:
    """Files that the browser is about to send in pieces: which of them are here already."""

    def begin() -> dict[str, Any]:
        try:
            wanted = load_json(request.body).get("files")
        except (ValueError, AttributeError):
            raise ImportRefused("The list of files cannot be read; load the page again.") from None
        delivery = deliveries.begin(user=request.user, study=study)
        batch = deliveries.add_batch(delivery=delivery, files=wanted)
        address = reverse("delivery-piece", args=[batch.pk, 0]).removesuffix("0/")
        return {
            "piece": batch.piece,
            "pieces": batch.pieces_in_all,
            "have": deliveries.have(batch),
            "address": address,
        }

    return _json(begin)


def _json(work: Callable[[], dict[str, Any]]) -> JsonResponse:
    try:
        return JsonResponse(work())
    except Refused as refusal:
        message = translate_stored(refusal.message) or refusal.message
        return JsonResponse({"message": message}, status=refusal.status)


def _address(study: Study | None) -> str:
    return reverse("study-new") if study is None else reverse("imports", args=[study.slug])


SAMPLES = {
    "images": [*tidy_tables.IMAGES, *tidy_tables.IMAGES_MORE[:4]],
    "labels": [*tidy_tables.LABELS, *tidy_tables.LABELS_MORE[2:]],
    "scores": [*tidy_tables.SCORES, *tidy_tables.SCORES_MORE[:1]],
    "generators": ["generator", *tidy_tables.GENERATORS_MORE],
}
EXAMPLES = {
    "image_id": "sdxl/1",
    "prompt_id": "p1",
    "prompt": "a red cup on a table",
    "generator": "SDXL",
    "file": "sdxl/1.png",
    "variant": "original",
    "sample": "0",
    "tags": "colours;objects",
    "rater": "ann",
    "question": "aligned",
    "value": "1",
    "seconds": "4.5",
    "submitted_at": "2026-01-31T12:00:00+00:00",
    "language": "",
    "judge": "clip-score",
    "score": "0.31",
    "correct": "1",
    "release_date": "2023-07-26",
    "family": "Stable Diffusion",
    "note": "",
}
