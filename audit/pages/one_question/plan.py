"""Labels: how many more, and below it what the judges make of those there are. The form's values stand in the
address."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest, research_place_or_404
from annotations.bounded_numbers import read_number
from annotations.errors import Refused
from annotations.language.stored_words import say
from annotations.models import Study
from annotations.stored_answers.store import read_answer
from annotations.stored_answers.waiting import waiting_words, who_counts
from audit.next_labels import plan_words
from audit.next_labels.plan import MORE, TARGETS, Wish, plan_from, power_of, question_of
from audit.pages.frame import render_part
from audit.questions.plan.question import PLAN, Parameters
from audit.reports.pairing import kept_questions
from audit.words.report import title
from judges.names import runs_by_name

WITHIN = 3.0
NUMBERS = {
    "within": "±",
    "pay": gettext_noop("pay per hour"),
    "people": gettext_noop("people per image"),
    "more": gettext_noop("more labels"),
    "seconds": gettext_noop("seconds an answer"),
    "rho": gettext_noop("ρ of judge and people"),
    "variance": gettext_noop("variance of answers"),
}


@require_GET
def plan_page(request: HtmxRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    context = {
        "study": place.study,
        "is_owner": place.owns,
        "given": request.GET,
        "poll_url": request.get_full_path(),
        "assisted_url": f"{reverse('assisted', args=[slug])}?{request.GET.urlencode()}",
    }
    try:
        told = _plan_context(place.study, request.GET)
    except Refused as refusal:
        # In its place on the page, so that what was typed stays.
        told = {"refused": refusal.message}
    shown = {**context, **told} if request.htmx else {**context, **told, **_form(place.study)}
    return render_part(request, "audit/plan.html", shown)


def _plan_context(study: Study, query: QueryDict) -> dict[str, Any]:
    wish = wish_of(query)
    questions = kept_questions(study)
    if questions is None:
        return {"waiting": who_counts(None)}
    question = question_of(study, wish, questions)
    judge = wish.judges[0] if wish.judges else ""
    answer = read_answer(PLAN, study, Parameters(question, judge))
    if answer.reason:
        raise Refused(answer.reason)
    waiting = waiting_words(answer)
    found = answer.body
    if found is None:
        return {"waiting": waiting}
    body = {**plan_from(study, found, wish), "drift": power_of(study, wish.judges)}
    totals = [body["total"][way] for way in ("assisted", "alone")]
    still = next((total["still"] for total in totals if "still" in total), 0)
    return {
        "body": body,
        "waiting": waiting,
        "is_old": answer.is_old,
        "headline": plan_words.headline(body),
        "sentences": plan_words.sentences(body),
        "rows": plan_words.rows(body),
        "raters": plan_words.raters(body),
        "choices": plan_words.choices(body),
        "drift": plan_words.drift_table(body),
        "draw": f"{reverse('data', args=[study.slug])}?draw={still}#draw" if still else "",
        "still": still,
    }


def wish_of(query: QueryDict) -> Wish:
    given = {name: _number(name, query.get(name, "")) for name in NUMBERS}
    within, more, people = given["within"], given["more"], given["people"]
    target, judge = query.get("target", ""), query.get("judge", "")
    return Wish(
        within=WITHIN if within is None else within,
        target="prompts" if target == "prompts" else "images",
        judges=(str(judge),) if judge else (),
        question=query.get("question") or None,
        pay_per_hour=given["pay"],
        people=None if people is None else _whole("people", people),
        rho=given["rho"],
        variance=given["variance"],
        seconds=given["seconds"],
        more=MORE if more is None else _whole("more", more),
    )


def _number(name: str, text: str) -> float | None:
    if not text.strip():
        return None
    value = read_number(text)
    if value is None:
        words = gettext("“%(text)s” is no number. Write one for “%(name)s”.")
        raise Refused(words % {"text": text[:20], "name": gettext(NUMBERS[name])})
    return value


def _whole(name: str, value: float) -> int:
    if not value.is_integer() or abs(value) > 10**9:
        words = gettext("%(value)s is no whole number. Write one for “%(name)s”.")
        raise Refused(words % {"value": f"{value:g}", "name": gettext(NUMBERS[name])})
    return int(value)


def _form(study: Study) -> dict[str, Any]:
    return {
        "targets": {name: say(words) for name, words in TARGETS.items()},
        "judges": {name: title(name) for name in runs_by_name(study)},
        "usual": {"within": f"{WITHIN:g}", "more": MORE, "people": study.overlap},
    }
