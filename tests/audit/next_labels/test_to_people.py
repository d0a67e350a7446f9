"""Images on which a judge may not be trusted, drawn for people: by the page, by the command, weighted."""

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotations.errors import Refused
from annotations.models import DrawnImage, Event
from annotations.studies import draws
from audit.next_labels.to_people import doubtful, draw_to_people, surely_all
from audit.reports import make as reports
from audit.reports.human_scores import REFUSED
from jurybox_stats import assisted
from tests import making

pytestmark = pytest.mark.django_db
FEW = reports.Options(resamples=100)
SURE = 60


def truth(number: int) -> bool:
    return number % 2 == 0


def scores_of(number: int) -> float:
    """Sure and right of most; of every fifth it says nearly nothing, and is wrong."""
    if number % 5 == 0:
        return 0.45 if truth(number) else 0.55
    return 0.9 if truth(number) else 0.1


@pytest.fixture
def judged(alice):
    """120 prompts by two generators; the first 60 prompts were labelled, which is where the judge was
    found out."""
    study = making.study("large", prompts=120)
    making.person(study, "alice", role="owner")
    numbers = {f"{name}-{n}": n for name in ("early", "late") for n in range(120)}
    making.scores(study, {key: scores_of(n) for key, n in numbers.items()})
    making.labels(
        study,
        {key: {"ann": truth(n), "ben": truth(n)} for key, n in numbers.items() if n < SURE},
    )
    reports.make_report(study=study, options=reports.Options())
    return study


def body_of(study):
    return study.reports.get().body


def test_the_smallest_draw_that_surely_holds_all_of_them():
    # 2 * 24 * 120 / 144 = 40, and one more.
    assert surely_all(24, 120) == 41
    for doubted, total in ((24, 120), (1, 7), (6, 7), (333, 1000), (1, 100_000)):
        useful = np.array([1.0] * doubted + [0.0] * (total - doubted))
        count = surely_all(doubted, total)
        chances = assisted.inclusion(useful, count)
        assert (chances[:doubted] == 1).all()
        assert (chances[doubted:] > 0).all() and (chances <= 1).all()
        one_less = assisted.inclusion(useful, count - 2)
        assert isinstance(one_less, np.ndarray) and (one_less[:doubted] < 1).all() or count < 3


def test_all_of_them_are_drawn_for_sure_and_every_other_image_has_a_chance(judged):
    made = draw_to_people(study=judged, judge="some-judge", body=body_of(judged))
    rows = dict(
        DrawnImage.objects.filter(draw=made, image__annotations=None).values_list(
            "image__key", "chance"
        )
    )
    assert len(rows) == 120
    doubted = {key for key in rows if int(key.split("-")[1]) % 5 == 0}
    assert len(doubted) == 24 and made.count == 41
    assert {rows[key] for key in doubted} == {1.0}
    # 17 of the 96 others.
    assert all(rows[key] == pytest.approx(17 / 96) for key in rows.keys() - doubted)
    drawn = set(made.images.filter(drawn=True).values_list("image__key", flat=True))
    assert doubted < drawn and len(drawn) == 41


def test_an_images_chance_does_not_depend_on_whether_it_has_labels(judged):
    frame = draws.frame_of(judged)
    before = doubtful(judged, "some-judge", body_of(judged), frame.images)
    making.labels(judged, {f"early-{n}": {"ann": 1} for n in range(60, 120)})
    assert (doubtful(judged, "some-judge", body_of(judged), frame.images) == before).all()


def test_scores_of_such_a_draw_are_weighted_and_all_else_is_refused(judged):
    made = draw_to_people(study=judged, judge="some-judge", body=body_of(judged))
    drawn = made.images.filter(drawn=True).values_list("image__key", flat=True)
    making.labels(judged, {key: {"ann": truth(int(key.split("-")[1]))} for key in drawn})
    body, _ = reports.compute(judged, FEW)
    assert body["drawn"]["never_drawn"] == 0
    # Of what was labelled before, half is right; weighted, about half of the rest, too.
    assert body["people"]["mean"]["low"] < 50 < body["people"]["mean"]["high"]
    assert body["judges"]["some-judge"]["overall"]["auroc"]["undefined"] == REFUSED


def test_fewer_than_all_are_drawn_with_better_chances(judged):
    made = draw_to_people(study=judged, judge="some-judge", body=body_of(judged), count=10)
    # Usefulness 1 / (2 * .2) + .5 = 3 and .5: 10 * 3 / 120 and 10 * .5 / 120.
    chances = set(made.images.filter(chance__lt=1).values_list("chance", flat=True))
    assert sorted(chances) == pytest.approx([5 / 120, 30 / 120])


def test_what_cannot_be_drawn_is_refused_in_a_sentence(judged):
    body = body_of(judged)
    with pytest.raises(Refused, match="no judge “nobody”. It has: some-judge"):
        draw_to_people(study=judged, judge="nobody", body=body)
    with pytest.raises(Refused, match="are wanted and 120 can be drawn"):
        draw_to_people(study=judged, judge="some-judge", body=body, count=121)
    trusted = body["judges"]["some-judge"]["overall"]["trusted_share"]
    sure = trusted["confidence"]
    trusted["confidence"] = 0.0
    with pytest.raises(Refused, match="none is left to people"):
        draw_to_people(study=judged, judge="some-judge", body=body)
    trusted["confidence"] = 1.0
    with pytest.raises(Refused, match="trusted on none"):
        draw_to_people(study=judged, judge="some-judge", body=body)
    trusted["confidence"] = sure
    body["judges"]["some-judge"]["overall"]["trusted_share"] = {"undefined": "too few", "n": 3}
    with pytest.raises(Refused, match="Nothing tells .* too few. Draw uniformly"):
        draw_to_people(study=judged, judge="some-judge", body=body)
    assert not judged.draws.exists()


def test_the_owner_draws_them_in_one_click_and_the_history_says_so(as_alice, judged):
    page = as_alice.get(reverse("judge", args=["large"])).content.decode()
    where = reverse("decide-draw", args=["large"])
    assert f'action="{where}"' in page
    answer = as_alice.post(where, {"judge": "some-judge"}, follow=True)
    assert "41 images drawn: all on which" in answer.content.decode()
    assert judged.draws.get().by == "escalation"
    event = Event.objects.filter(did="drew images").get()
    assert "may not be trusted, judge some-judge, seed 0" in event.words
    assert event.by.username == "alice"


def test_who_does_not_own_the_study_is_offered_no_draw(as_alice, alice, judged):
    member = judged.memberships.get(name="alice")
    member.role = "researcher"
    member.save()
    where = reverse("decide-draw", args=["large"])
    assert where not in as_alice.get(reverse("judge", args=["large"])).content.decode()
    assert as_alice.post(where, {"judge": "some-judge"}).status_code == 403
    assert not judged.draws.exists()


def test_the_command_draws_them_too(judged, capsys):
    call_command("draw_labels", "large", "--by", "escalation", "--judge", "some-judge")
    assert capsys.readouterr().out.startswith(
        "41 images drawn, first where a judge may not be trusted."
    )
    for arguments, words in (
        (("--by", "escalation"), "Say whose images"),
        (("--judge", "some-judge", "--count", "3"), "chosen for a draw --by escalation"),
        ((), "how many images"),
    ):
        with pytest.raises(CommandError, match=words):
            call_command("draw_labels", "large", *arguments)
    judged.reports.all().delete()
    with pytest.raises(CommandError, match="no report yet"):
        call_command("draw_labels", "large", "--by", "escalation", "--judge", "some-judge")
