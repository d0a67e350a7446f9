"""The images on which people and a judge differ most, over the REST API."""

from __future__ import annotations

from typing import Any

from django.urls import path, reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.access import research_place_or_404
from audit.doors.newest_report import (
    NoReportYet,
    ReportFilters,
    newest_with_options,
    report_options,
)
from audit.evidence import image_cards
from audit.evidence.image_cards import ImageCard
from audit.reports import gallery
from audit.view import View

MOST = 100


class DisagreementFilters(ReportFilters):
    judge = serializers.CharField(
        required=False, max_length=200, help_text="Without it, the first judge that drifted."
    )
    side = serializers.ChoiceField(
        choices=["strict", "lenient"],
        required=False,
        help_text="strict: people yes, judge no; lenient: the other way round.",
    )
    limit = serializers.IntegerField(
        required=False, default=20, min_value=1, max_value=MOST, help_text=f"1 to {MOST}."
    )


class VoteSerializer(serializers.Serializer):
    question = serializers.CharField()
    answers = serializers.IntegerField()
    yes = serializers.IntegerField(allow_null=True)
    mean = serializers.FloatField()


class DisagreementSerializer(serializers.Serializer):
    image_id = serializers.CharField()
    generator = serializers.CharField()
    prompt = serializers.CharField()
    address = serializers.CharField(help_text="Of the picture; empty where there is no file.")
    difference = serializers.FloatField(help_text="Between people and judge, 0 to 1.")
    score = serializers.FloatField(allow_null=True)
    verdict = serializers.CharField()
    reason = serializers.CharField()
    people = VoteSerializer(many=True)


class DisagreementsSerializer(serializers.Serializer):
    report = serializers.IntegerField()
    judge = serializers.CharField()
    images = serializers.IntegerField(help_text="How many there are in all.")
    rows = DisagreementSerializer(many=True)


@extend_schema(
    operation_id="list_disagreements",
    parameters=[DisagreementFilters],
    responses={200: DisagreementsSerializer, 404: None},
)
@api_view()
def disagreements(request: Request, slug: str) -> Response:
    """The images on which people and a judge differ most, by the newest report."""
    place = research_place_or_404(request, slug)
    options, given = report_options(request, DisagreementFilters)
    newest = newest_with_options(place.study, options)
    if not newest.body["judges"]:
        raise NoReportYet(None, "The newest report has no judge. Score images first.")
    judge = _judge(newest.body, given.get("judge", ""))
    stored = gallery.Gallery(newest.pk, judge)
    chosen = gallery.Filters(side=given.get("side", ""))
    shown = stored.part(chosen, 0, given["limit"])
    facts = newest.body["signature"]["judge_facts"][judge]
    cards = image_cards.cards(
        [key for key, _ in shown],
        image_cards.run_of(place.study.pk, facts["fingerprint"]),
        dict(shown),
        image_cards.threshold_of(facts),
    )
    found = {
        "report": newest.pk,
        "judge": judge,
        "images": stored.count(chosen),
        "rows": [_row(card) for card in cards],
    }
    return Response(DisagreementsSerializer(found).data)


def _judge(body: dict[str, Any], name: str) -> str:
    if name and name not in body["judges"]:
        words = f"The report has no judge of this name. It has: {', '.join(body['judges'])}."
        raise serializers.ValidationError({"judge": [words]})
    return View(judges=(name,)).judge_of(body)


def _row(card: ImageCard) -> dict[str, Any]:
    score = card.score
    return {
        "image_id": card.image.key,
        "generator": card.image.generator.name,
        "prompt": card.image.prompt.text,
        "address": reverse("image", args=[card.image.public_id]) if card.image.file else "",
        "difference": card.gap,
        "score": None if score is None else score.value,
        "verdict": card.verdict,
        "reason": "" if score is None else score.reason,
        "people": [
            {
                "question": name,
                "answers": vote.n,
                "yes": vote.yes if vote.yes_no else None,
                "mean": vote.mean,
            }
            for name, vote in card.people.items()
        ],
    }


urlpatterns = [
    path("studies/<slug:slug>/disagreements/", disagreements, name="api-disagreements"),
]
