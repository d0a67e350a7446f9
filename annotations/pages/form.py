"""The owner chooses the questions of a study: a paper's form, or one of their own, clicked together or
written in lines. Both are views of one definition; the page's fields hold all of it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext
from django_htmx.http import HttpResponseClientRedirect

from annotations.access import PersonsRequest, Place, place_or_404
from annotations.errors import FormRefused, ImportRefused, NotYours
from annotations.forms import builder, builder_languages, example_pictures
from annotations.forms.display import blocks, numbering
from annotations.forms.html import address_of, instructions_of, questions_html
from annotations.forms.versions import facts_of_prompt, form_of, use_form
from annotations.models import Annotation, Image
from annotations.stored_answers.question import Question
from annotations.stored_answers.store import read_figures
from annotations.studies import queries as study_queries
from jurybox_formats.forms.definition import Form
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.forms.papers.own_form import written_form
from jurybox_formats.forms.per_image import PromptFacts, questions_about
from jurybox_formats.forms.text_format import as_text
from jurybox_formats.forms.translations import has_language, source_texts, translate_instructions
from jurybox_formats.forms.validate_definition import MEANINGS, read_form
from jurybox_formats.sources.records import AtomRecord

# So many images are offered for an example at once.
OFFERED = 24
# Steps after which the instructions stay open.
OF_INSTRUCTIONS = ("add-note", "add-example", "remove-note", "remove-ex", "pick", "upload")
# The example prompt of a preview: two classes and five atoms, so that every kind of question shows.
SAMPLE = PromptFacts(
    "two red circles and a blue star",
    objects=("circle", "star"),
    atoms=(
        AtomRecord(0, "count", "two", "How many circles are in the image?", "two"),
        AtomRecord(1, "attribute", "red", "Are the circles red?", "Yes"),
        AtomRecord(2, "object", "circle", "Are there any circles in the image?", "Yes"),
        AtomRecord(3, "count", "a", "How many stars are in the image?", "one"),
        AtomRecord(4, "object", "star", "Are there any stars in the image?", "Yes"),
    ),
)


def form_edit(request: PersonsRequest, slug: str) -> HttpResponse:
    """GET: the present questions, or a paper's. POST: a step of the builder, the other tab, a preview,
    or the form in use from now on."""
    place = place_or_404(request, slug)
    if not place.owns:
        raise NotYours("Only the owner of a study chooses its questions.")
    if request.method != "POST":
        start = FORMS.get(request.GET.get("from", ""), form_of(place.study.form))
        if request.GET.get("tab") == "words":
            return _in_words(request, place, as_text(start), start)
        return _builder(request, place, builder.draft_of(start.definition()), None)
    if "builder" in request.POST:
        return _builder_step(request, place)
    return _save_lines(request, place)


def _save_lines(request: PersonsRequest, place: Place) -> HttpResponse:
    """What was sent from the tab with the lines."""
    text = request.POST.get("definition", "")
    try:
        form = written_form(text, own=_own_names(place))
    except FormRefused as refusal:
        return _in_words(request, place, text, None, refusal.wrong)
    if "use" in request.POST:
        return _use(request, place, form)
    if request.POST.get("do") == "builder":
        return _builder(request, place, builder.draft_of(form.definition()), None)
    return _in_words(request, place, text, form)


def _builder_step(request: PersonsRequest, place: Place) -> HttpResponse:
    draft, opened = builder.read_fields(request.POST)
    do = request.POST.get("do", "")
    opened = builder.step(draft, opened, do)
    _language_step(draft, do)
    if do.startswith("upload "):
        refusal = _bring_picture(request, place, draft, do.removeprefix("upload "))
        return _builder(request, place, draft, opened, do=do, picture_refusal=refusal)
    if "use" not in request.POST and do != "words":
        return _builder(request, place, draft, opened, do=do)
    builder.name_questions(draft)
    try:
        form = read_form(builder.definition_of(draft), own=_own_names(place))
    except FormRefused as refusal:
        return _builder(request, place, draft, opened, wrong=refusal.wrong)
    if do == "words":
        text = as_text(form)
        return _in_words(request, place, text, form)
    # Through the lines' check, so that both tabs follow one rule.
    return _use(request, place, written_form(as_text(form), own=_own_names(place)))


def _language_step(draft: builder.Draft, do: str) -> None:
    """`translate de` opens German, `translate` closes what is open, `untranslate de` removes it."""
    verb, _, language = do.partition(" ")
    if verb == "translate":
        sources = _sources(_what_can_be_shown(draft))
        opened = builder_languages.open_language(draft["translations"], language, sources)
        draft["translating"] = opened
    elif verb == "untranslate" and draft["translations"].pop(language, None):
        draft["translating"] = ""


def _sources(form: Form | None) -> list[str]:
    return source_texts(form) if form else []


def _own_names(place: Place) -> set[str]:
    """Of questions that mean in this study something else than they usually do: its file has brought them."""
    names = set()
    for question in form_of(place.study.form).questions:
        values, _ = MEANINGS.get(question.name, (None, ""))
        if values is not None and {choice.value for choice in question.choices} != values:
            names.add(question.name)
    return names


def _bring_picture(request: PersonsRequest, place: Place, draft: builder.Draft, number: str) -> str:
    """Keep the file that was sent for this example; returns why it was refused."""
    file = request.FILES.get(f"example-file-{number}")
    if file is None:
        return "Choose a file first."
    try:
        name = example_pictures.add(study=place.study, content=file, by=request.user)
    except ImportRefused as refusal:
        return refusal.message
    builder.step(draft, None, f"picture {number} {name}")
    return ""


def _use(request: PersonsRequest, place: Place, form: Form) -> HttpResponse:
    version = use_form(study=place.study, form=form)
    messages.success(
        request, gettext("Saved. This study now asks %(version)s.") % {"version": version}
    )
    if request.htmx:
        return HttpResponseClientRedirect(reverse("form-edit", args=[place.study.slug]))
    return redirect("form-edit", slug=place.study.slug)


def _in_words(
    request: PersonsRequest,
    place: Place,
    text: str,
    form: Form | None,
    wrong: list[str] | None = None,
) -> HttpResponse:
    context = {"tab": "words", "text": text, "wrong": wrong or []}
    return _page(request, place, form, context)


def _builder(
    request: PersonsRequest,
    place: Place,
    draft: builder.Draft,
    opened: int | None,
    *,
    wrong: list[str] | None = None,
    do: str = "",
    picture_refusal: str = "",
) -> HttpResponse:
    places = [(builder.place_of(sentence, draft), sentence) for sentence in wrong or ()]
    if opened is None:
        opened = next((number for (number, _), _ in places if number is not None), None)
    refused = map(builder_languages.language_of, wrong or ())
    draft["translating"] = draft["translating"] or next(filter(None, refused), "")
    shown = _what_can_be_shown(draft)
    rows = []
    for number, question in enumerate(draft["questions"]):
        mine = [(field, sentence) for (at, field), sentence in places if at == number]
        rows.append(
            {
                "number": number,
                "open": number == opened,
                "draft": question,
                "kind": builder.KIND_NAMES[question["kind"]],
                "closed": builder.closed(question),
                "wrong": mine,
                "at": {name: [s for f, s in mine if f == name] for name, _ in builder.FIELDS},
                "elsewhere": [s for f, s in mine if not f],
                "ticks": builder.condition_ticks(draft, number) if number == opened else [],
                "keys": any(choice["key"] for choice in question["choices"]),
            }
        )
    context = {
        "tab": "builder",
        "draft": draft,
        "rows": rows,
        "opened": "" if opened is None else opened,
        "wrong": [sentence for (number, field), sentence in places if number is None and not field],
        "wrong_title": [sentence for (_, field), sentence in places if field == "title"],
        "refused": bool(wrong),
        "kinds": builder.KIND_NAMES.items(),
        "with_choices": builder.WITH_CHOICES,
        "ready": [(name, words) for name, (words, _) in builder.READY.items()],
        "instructions_open": do.startswith(OF_INSTRUCTIONS) or "picking" in request.POST,
        "focus": do.split(" ")[0] if do else "",
        "examples": _examples(request, place, draft, do, picture_refusal),
        **_languages(draft, shown),
    }
    return _page(request, place, shown, context)


def _languages(draft: builder.Draft, shown: Form | None) -> dict[str, Any]:
    drafts, language, sources = draft["translations"], draft["translating"], _sources(shown)
    return {
        "languages": builder_languages.language_rows(drafts, sources),
        "translating": language,
        "translations": builder_languages.closed_translations(drafts),
        "texts": builder_languages.text_rows(drafts, language, sources) if language else [],
        "texts_in_all": len(sources),
    }


def _examples(
    request: PersonsRequest, place: Place, draft: builder.Draft, do: str, refusal: str
) -> list[dict[str, Any]]:
    """The examples with their pictures; one of them may be getting its picture chosen."""
    names = {example["image"] for example in draft["examples"]}
    addresses = study_queries.addresses(place.study.pk, names)
    verb, _, rest = do.partition(" ")
    number, _, page = rest.partition(" ")
    if verb in ("preview", ""):
        # Somebody who types a search is still choosing.
        number = request.POST.get("picking", "")
        verb = "pick" if number else ""
    return [
        {
            "draft": example,
            "picture": address_of(example["image"], addresses),
            "refusal": refusal if verb == "upload" and number == str(at) else "",
            "picker": _offered(request, place, page)
            if verb == "pick" and number == str(at)
            else None,
        }
        for at, example in enumerate(draft["examples"])
    ]


def _offered(request: PersonsRequest, place: Place, page: str) -> dict[str, Any]:
    """Images of the study to choose from, found by words."""
    words = request.POST.get("picture-q", "").replace("\0", "").strip()[:200]
    rows = study_queries.with_pictures(place.study, words)
    return {"words": words, "page": Paginator(rows, OFFERED).get_page(page)}


def _what_can_be_shown(draft: builder.Draft) -> Form | None:
    """The form as far as it is finished: a question that is being made spoils no preview."""
    shown = {**draft, "questions": [dict(question) for question in draft["questions"]]}
    shown["title"] = shown["title"].strip() or "Untitled"
    shown["translations"] = dict(draft["translations"])
    builder.name_questions(shown)
    for _ in range(3):
        try:
            return read_form(builder.definition_of(shown), own=MEANINGS)
        except FormRefused as refusal:
            bad = {builder.place_of(sentence, shown)[0] for sentence in refusal.wrong}
        # Nor does a translation that is not finished.
        shown["translations"] = {}
        shown["questions"] = [
            question for number, question in enumerate(shown["questions"]) if number not in bad
        ]
    return None


def _preview(place: Place, form: Form, language: str) -> dict[str, Any]:
    """The label page's own parts, with an image of the study where there is one; in the language that is being
    translated, once it is whole."""
    if not has_language(form, language):
        return _preview_in(place, form, "")
    with translation.override(language):
        return _preview_in(place, form, language)


def _preview_in(place: Place, form: Form, language: str) -> dict[str, Any]:
    some = Image.objects.filter(study=place.study).select_related("prompt").order_by("pk")[:20]
    image = next((image for image in some if image.file), None)
    facts = facts_of_prompt(image.prompt) if image else SAMPLE
    questions = questions_about(form, facts, language)
    instructions = translate_instructions(form, language)
    keys = {example.image for example in (*form.examples, *form.edge_cases) if example.image}
    return {
        "questions": questions_html(
            blocks(facts.prompt, questions, {}, numbering(form)), facts.prompt
        ),
        "instructions": instructions_of(
            instructions, study_queries.addresses(place.study.pk, keys)
        ),
        "prompt": facts.prompt,
        "prompt_on_top": not any(a.atom or a.question.with_prompt for a in questions),
        "image": image,
        "sizes": ("desk", "phone"),
        "absent": [
            q.text for q in form.questions if q.name not in {a.question.name for a in questions}
        ],
    }


ANSWERED = Question(
    name="answered",
    compute=lambda study, _: {"n": Annotation.objects.filter(study=study).count()},
    keeps_up=True,
)


def _page(
    request: PersonsRequest, place: Place, form: Form | None, more: dict[str, Any]
) -> HttpResponse:
    context = {
        "study": place.study,
        "form": form,
        "text": as_text(form) if form else "",
        "same": form is not None and form.digest == place.study.form.digest,
        "preview": _preview(place, form, more.get("translating", "")) if form else None,
        "forms": FORMS.values(),
        "answered": (read_figures(ANSWERED, place.study).body or {})["n"],
        **more,
    }
    template = "annotations/form_edit.html"
    if request.htmx:
        # Shown in its place, with what is wrong at the fields.
        return render(request, template + "#composer", context)
    refused = context.get("refused") or context["wrong"]
    return render(request, template, context, status=422 if refused else 200)
