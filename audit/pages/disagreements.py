"""The images that prove it: where judge and people differ most, and all evidence for each."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from annotations.access import research_place_or_404
from annotations.media import media
from annotations.models import Image
from annotations.pictures.decode import thumbnail_of
from audit.charts.style import colour_of
from audit.evidence import image_cards as evidence
from audit.evidence import read_evidence as told
from audit.pages.filters import judge_select, select
from audit.pages.frame import Frame, answer, frame_of
from audit.reports.gallery import Filters, Gallery
from audit.words import page_sentences as saying
from audit.words.report import title
from judges.models import Score

PER_PAGE = 24
VARIANTS = {"original": "original prompts", "rewritten": "rewritten prompts"}
SIDES = {"strict": "people yes, judge no", "lenient": "people no, judge yes"}


@require_GET
@login_required
def gallery(request: HttpRequest, slug: str) -> HttpResponse:
    frame = frame_of(request, slug)
    return answer(frame, "audit/disagreements.html", lambda: _context(frame))


@require_GET
@login_required
def one(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """All evidence for one image, with its neighbours of the gallery."""
    frame = frame_of(request, slug)
    image = (
        Image.objects.filter(study=frame.study, public_id=public_id)
        .select_related("prompt", "generator")
        .first()
    )
    body = frame.body
    if image is None or body is None or not body["judges"]:
        raise Http404
    judge = frame.view.judge_of(body)
    packed = Gallery(frame.report.pk, judge)
    before, after, gap = _neighbours(frame, packed, image)
    facts = body["signature"]["judge_facts"][judge]
    run = evidence.run_of(frame.study.pk, facts["fingerprint"])
    (card,) = evidence.cards(
        [image.pk], run, {} if gap is None else {image.pk: gap}, evidence.threshold_of(facts)
    )
    card = evidence.outlined(card)
    kept = (card.score.evidence if card.score else None) or {}
    others = Score.objects.filter(image=image).exclude(run=run).select_related("run__judge")
    context = {
        "study": frame.study,
        "may_research": True,
        "card": card,
        "judge": judge,
        "judge_title": title(judge),
        "colour": colour_of(body, judge),
        "facts": facts,
        "image_url": reverse("image", args=[image.public_id]) if image.file else "",
        "raters": evidence.raters(image),
        "detections": evidence.detection_rows(card.score, image.prompt.metadata.get("tag", "")),
        "asked": (asked := told.asked(kept)),
        "asked_columns": told.columns(asked),
        "likeness": told.likeness(kept),
        "replies": told.replies(kept),
        "rest": told.rest(kept),
        "others": [
            {"title": title(score.run.judge.name), "score": score}
            for score in others.order_by("run__judge__name")
        ],
        "back": _at(frame, "gallery"),
        "before": _at(frame, "evidence", before) if before else "",
        "after": _at(frame, "evidence", after) if after else "",
    }
    return render(request, "audit/disagreement.html", context)


@require_GET
@login_required
def thumbnail(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    study = research_place_or_404(request, slug).study
    image = Image.objects.filter(study=study, public_id=public_id).exclude(file="").first()
    if image is None:
        raise Http404
    try:
        content = media().read(thumbnail_of(image.file))
    except FileNotFoundError:
        raise Http404 from None
    response = HttpResponse(content, content_type="image/jpeg")
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    return response


def _context(frame: Frame) -> dict[str, Any]:
    body = frame.body
    context: dict[str, Any] = {"page_title": "Disagreements"}
    if not body or not body["judges"] or not body["people"]["annotations"]:
        return context
    judge = frame.view.judge_of(body)
    packed = Gallery(frame.report.pk, judge)
    filters = _filters(frame, body)
    places = packed.chosen(filters) if packed.there else []
    number, pages = _page(frame, len(places))
    shown = places[(number - 1) * PER_PAGE : number * PER_PAGE]
    ids = packed.images(shown) if len(shown) else []
    facts = body["signature"]["judge_facts"][judge]
    found = evidence.cards(
        ids,
        evidence.run_of(frame.study.pk, facts["fingerprint"]),
        {pk: packed.gap(place) for pk, place in zip(ids, shown, strict=True)},
        evidence.threshold_of(facts),
    )
    ranks = "undefined" in body["judges"][judge]["overall"]["net_deviation"]
    return {
        **context,
        "judge": judge,
        "judge_title": title(judge),
        "sentences": saying.of_gallery(judge, len(places), there=packed.there, ranks=ranks),
        "cards": [
            {"card": card, "url": _at(frame, "evidence", card.image.public_id)} for card in found
        ],
        "deleted": len(ids) - len(found),
        "number": number,
        "pages_of": pages,
        "earlier": _at(frame, "gallery", page=number - 1) if number > 1 else "",
        "later": _at(frame, "gallery", page=number + 1) if number < pages else "",
        "filters": [
            judge_select(body, judge),
            select("generator", "generator", _generators(body), filters.generator),
            select("variant", "prompts", [("", "all prompts"), *VARIANTS.items()], filters.variant),
            select("side", "verdicts", [("", "all"), *SIDES.items()], filters.side),
        ],
        "filter_url": frame.request.path,
    }


def _generators(body: dict[str, Any]) -> list[tuple[str, str]]:
    named = [(str(code), found["name"]) for code, found in enumerate(body["generators"])]
    return [("", "all generators"), *named]


def _filters(frame: Frame, body: dict[str, Any]) -> Filters:
    query = frame.request.GET
    generator = query.get("generator", "")
    known = generator.isdecimal() and int(generator) < len(body["generators"])
    return Filters(
        generator=int(generator) if known else None,
        variant=query.get("variant", "") if query.get("variant") in VARIANTS else "",
        side=query.get("side", "") if query.get("side") in SIDES else "",
    )


def _page(frame: Frame, total: int) -> tuple[int, int]:
    pages = max(1, -(-total // PER_PAGE))
    wanted = frame.request.GET.get("page", "1")
    return (min(max(int(wanted), 1), pages) if wanted.isdecimal() else 1), pages


def _neighbours(frame: Frame, gallery: Gallery, image: Image):
    """The images before and after this one in the gallery, as public ids, and this one's gap."""
    if not gallery.there:
        return None, None, None
    order = gallery.images(gallery.chosen(_filters(frame, frame.body)))
    if image.pk not in order:
        return None, None, None
    place = order.index(image.pk)
    near = {
        "before": order[place - 1] if place else None,
        "after": order[place + 1] if place + 1 < len(order) else None,
    }
    names = dict(
        Image.objects.filter(pk__in=filter(None, near.values())).values_list("pk", "public_id")
    )
    return (
        names.get(near["before"]),
        names.get(near["after"]),
        gallery.gap(gallery.places[image.pk]),
    )


def _at(frame: Frame, name: str, *args: str, page: int = 0) -> str:
    """An address with the filters of this one."""
    query = {
        key: frame.request.GET.getlist(key)
        for key in ("report", "judge", "generator", "variant", "side", "page")
        if frame.request.GET.get(key)
    }
    if page:
        query["page"] = [str(page)]
    tail = f"?{urlencode(query, doseq=True)}" if query else ""
    return reverse(name, args=[frame.study.slug, *args]) + tail
