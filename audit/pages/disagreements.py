"""The images on which judge and people differ most, and all evidence for each of them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest, research_place_or_404
from annotations.bounded_numbers import read_whole
from annotations.exports.pseudonyms import names_for
from annotations.models import Image
from annotations.pictures.send import send_picture
from annotations.pictures.store import thumbnail_of
from audit.charts.faces import face_of
from audit.evidence import image_cards, read_evidence
from audit.pages.filters import judge_select, select
from audit.pages.frame import ReportPage, report_page, report_view
from audit.reports.gallery import Filters, Gallery
from audit.words import page_sentences
from audit.words.report import title
from judges.models import Score
from judges.names import runs_by_name

PER_PAGE = 16
VARIANTS = {
    "original": gettext_noop("original prompts"),
    "rewritten": gettext_noop("rewritten prompts"),
}
SIDES = {
    "strict": gettext_noop("people yes, judge no"),
    "lenient": gettext_noop("people no, judge yes"),
}


@require_GET
def evidence(request: HtmxRequest, slug: str, public_id: str) -> HttpResponse:
    """All evidence for one image, with links to its neighbours in the gallery."""
    page = report_page(request, slug)
    image = (
        Image.objects.filter(study=page.study, public_id=public_id)
        .select_related("prompt", "generator")
        .first()
    )
    body = page.body
    if image is None or not body or not body["judges"]:
        raise Http404
    judge = page.view.judge_of(body)
    before, after, gap = _neighbours(page, Gallery(page.report_id, judge), image)
    facts = body["signature"]["judge_facts"][judge]
    run = image_cards.run_of(page.study.pk, facts["fingerprint"])
    gaps = {} if gap is None else {image.pk: gap}
    (card,) = image_cards.cards([image.pk], run, gaps, image_cards.threshold_of(facts))
    card = image_cards.outlined(card)
    kept = image_cards.evidence_of(card.score)
    questions = read_evidence.questions(kept)
    raters = image_cards.raters(image, names_for(page.study, owns=request.place.owns))
    people_marks = image_cards.placed_marks(raters)
    others = {score.run_id: score for score in Score.objects.filter(image=image).exclude(run=run)}
    context = {
        "study": page.study,
        "card": card,
        "judge": judge,
        "judge_title": title(judge),
        "face": face_of(body, judge),
        "facts": facts,
        "image_url": reverse("image", args=[image.public_id]) if image.file else "",
        "raters": raters,
        "people_marks": people_marks,
        "marks_on_image": [mark for mark in people_marks if not mark.on],
        "detections": image_cards.detection_rows(card.score, image.prompt.metadata.get("tag", "")),
        "questions": questions,
        "question_columns": read_evidence.columns(questions),
        "likeness": read_evidence.likeness(kept),
        "replies": read_evidence.replies(kept),
        "rest": read_evidence.rest(kept),
        "others": [
            {"title": title(name), "score": others[run.pk]}
            for name, run in runs_by_name(page.study).items()
            if run.pk in others
        ],
        "thing": image.prompt.text,
        "back": _address(page, "gallery"),
        "before": _address(page, "evidence", before) if before else "",
        "after": _address(page, "evidence", after) if after else "",
    }
    return render(request, "audit/disagreement.html", context)


@require_GET
def thumbnail(request: HtmxRequest, slug: str, public_id: str) -> HttpResponseBase:
    study = research_place_or_404(request, slug).study
    image = Image.objects.filter(study=study, public_id=public_id).exclude(file="").first()
    if image is None:
        raise Http404
    return send_picture(thumbnail_of(image.file))


@report_view("audit/disagreements.html")
def gallery(page: ReportPage) -> dict[str, Any]:
    body = page.body
    context: dict[str, Any] = {}
    if not page.compares:
        return context
    judge = page.view.judge_of(body)
    stored = Gallery(page.report_id, judge)
    filters = _filters(page, body)
    total = stored.count(filters)
    number, pages = _page_number(page, total)
    shown = stored.part(filters, (number - 1) * PER_PAGE, number * PER_PAGE)
    facts = body["signature"]["judge_facts"][judge]
    cards = image_cards.cards(
        [pk for pk, _ in shown],
        image_cards.run_of(page.study.pk, facts["fingerprint"]),
        dict(shown),
        image_cards.threshold_of(facts),
    )
    ranks = "undefined" in body["judges"][judge]["overall"]["net_deviation"]
    return {
        **context,
        "judge": judge,
        "judge_title": title(judge),
        "sentences": page_sentences.of_gallery(judge, total, stored=stored.exists, ranks=ranks),
        "cards": [
            {"card": card, "url": _address(page, "evidence", card.image.public_id)}
            for card in cards
        ],
        "deleted": len(shown) - len(cards),
        "number": number,
        "pages_of": pages,
        "earlier": _address(page, "gallery", number=number - 1) if number > 1 else "",
        "later": _address(page, "gallery", number=number + 1) if number < pages else "",
        "filters": [
            judge_select(body, judge),
            select("generator", gettext("generator"), _generators(body), filters.generator),
            select(
                "variant",
                gettext("prompts"),
                _name_choices(gettext("all prompts"), VARIANTS),
                filters.variant,
            ),
            select("side", gettext("verdicts"), _name_choices(gettext("all"), SIDES), filters.side),
        ],
        "filter_url": page.request.path,
    }


def _name_choices(everything: str, choices: dict[str, str]) -> list[tuple[str, str]]:
    return [("", everything), *((key, gettext(words)) for key, words in choices.items())]


def _generators(body: dict[str, Any]) -> list[tuple[str, str]]:
    named = [(str(code), generator["name"]) for code, generator in enumerate(body["generators"])]
    return [("", gettext("all generators")), *named]


def _filters(page: ReportPage, body: dict[str, Any]) -> Filters:
    query = page.request.GET
    last = len(body["generators"]) - 1
    return Filters(
        generator=read_whole(query.get("generator", ""), low=0, high=last),
        variant=query.get("variant", "") if query.get("variant") in VARIANTS else "",
        side=query.get("side", "") if query.get("side") in SIDES else "",
    )


def _page_number(page: ReportPage, images: int) -> tuple[int, int]:
    """The page that the address asks for, and how many there are."""
    pages = max(1, -(-images // PER_PAGE))
    wanted = read_whole(page.request.GET.get("page", "1"), low=1)
    return min(wanted or 1, pages), pages


def _neighbours(
    page: ReportPage, stored: Gallery, image: Image
) -> tuple[str | None, str | None, float | None]:
    """The public ids of the images before and after this one in the gallery; this one's gap."""
    filters = _filters(page, page.body)
    found = stored.place_of(filters, image.pk)
    if found is None:
        return None, None, None
    before = stored.part(filters, max(found - 1, 0), found)
    (_, gap), *after = stored.part(filters, found, found + 2)
    pks = [pk for pk, _ in before + after]
    ids = dict(Image.objects.filter(pk__in=pks).values_list("pk", "public_id"))
    return (
        next((ids.get(pk) for pk, _ in before), None),
        next((ids.get(pk) for pk, _ in after), None),
        gap,
    )


def _address(page: ReportPage, name: str, *args: str, number: int = 0) -> str:
    """An address with the filters of this one; `number` is that of a page of the gallery."""
    query = {
        key: page.request.GET.getlist(key)
        for key in ("report", "judge", "generator", "variant", "side", "page")
        if page.request.GET.get(key)
    }
    if number:
        query["page"] = [str(number)]
    tail = f"?{urlencode(query, doseq=True)}" if query else ""
    return reverse(name, args=[page.study.slug, *args]) + tail
