"""The owner chooses the questions of a study: a paper's form, or one of their own."""

from __future__ import annotations

from dataclasses import replace

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString

from annotations.access import Place, place_or_404
from annotations.errors import FormRefused, NotYours
from annotations.forms.definition import Form
from annotations.forms.display import blocks
from annotations.forms.html import questions_html
from annotations.forms.papers import FORMS
from annotations.forms.per_image import PromptFacts, questions_about
from annotations.forms.text_format import as_text, parse
from annotations.forms.validate_definition import read_form
from annotations.forms.versions import form_of, use_form
from annotations.models import Annotation, Membership
from annotations.sources.records import AtomRecord

LONGEST = 100_000
# The example prompt of a preview: two classes and five atoms, so that every kind of question shows.
SAMPLE = PromptFacts(
    "two red dogs and a bench",
    objects=("dog", "bench"),
    atoms=(
        AtomRecord(0, "count", "two", "How many dogs are in the image?", "two"),
        AtomRecord(1, "attribute", "red", "Are the dogs red?", "Yes"),
        AtomRecord(2, "object", "dog", "Are there any dogs in the image?", "Yes"),
        AtomRecord(3, "count", "a", "How many benches are in the image?", "one"),
        AtomRecord(4, "object", "bench", "Are there any benches in the image?", "Yes"),
    ),
)


@login_required
def form_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """GET: the present questions. POST: preview the written form, or use it from now on."""
    place = place_or_404(request, slug)
    if place.membership.role != Membership.Role.OWNER:
        raise NotYours("Only the owner of a study chooses its questions.")
    present = form_of(place.study.form)
    if request.method != "POST":
        start = FORMS.get(request.GET.get("from", ""), present)
        return _page(request, place, as_text(start), start, [])
    text = request.POST.get("definition", "")
    try:
        form = _form(text)
    except FormRefused as refusal:
        return _page(request, place, text, None, refusal.wrong, status=422)
    if "use" not in request.POST:
        return _page(request, place, text, form, [])
    version = use_form(study=place.study, form=form)
    messages.success(request, f"From now on this study asks the questions of {version}.")
    return redirect("form-edit", slug=slug)


def _form(text: str) -> Form:
    if len(text) > LONGEST:
        raise FormRefused([f"The form has {len(text)} characters; {LONGEST} are allowed."])
    form = read_form(parse(text))
    paper = FORMS.get(form.slug)
    if paper and paper.digest != form.digest:
        # With other words it is no longer the paper's form, and must not have its name.
        return replace(form, slug=f"own-{form.slug}"[:80], source=f"after {form.source}")
    return form


def _preview(form: Form) -> SafeString:
    return questions_html(blocks(SAMPLE.prompt, questions_about(form, SAMPLE), {}), SAMPLE.prompt)


def _page(
    request: HttpRequest,
    place: Place,
    text: str,
    form: Form | None,
    wrong: list[str],
    status: int = 200,
) -> HttpResponse:
    context = {
        "study": place.study,
        "may_research": place.may_research,
        "text": text,
        "form": form,
        "same": form is not None and form.digest == place.study.form.digest,
        "questions": _preview(form) if form else "",
        "sample": SAMPLE.prompt,
        "wrong": wrong,
        "forms": FORMS.values(),
        "answered": Annotation.objects.filter(study=place.study).count(),
    }
    return render(request, "annotations/form_edit.html", context, status=status)
