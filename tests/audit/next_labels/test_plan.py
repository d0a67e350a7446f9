"""How many labels, hours and money an interval takes, on the page and by the command."""

import json
import math
import re
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.errors import Refused
from annotations.forms.versions import use_form
from annotations.models import Generator, Image, StoredAnswer
from annotations.stored_answers import question, store
from annotations.versions import raise_labels_version
from audit.next_labels import pilots, plan_words
from audit.next_labels.draw import draw_labels
from audit.next_labels.plan import Wish, plan
from audit.reports.human_scores import REFUSED
from audit.reports.make import Options, make_report
from audit.reports.pairing import QUESTIONS
from jurybox_formats.forms.text_format import parse
from jurybox_formats.forms.validate_definition import read_form
from tests import making
from tests.audit.pages.test_dashboards import judge_all

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}
STATED = Wish(3, variance=0.24, rho=0.8, seconds=9, people=2, pay_per_hour=20)


@pytest.fixture
def large(alice):
    """Forty prompts by two generators, two judges, three people."""
    study = making.study("large", prompts=40, files=False)
    making.person(study, "alice", role="owner")
    judge_all(study)
    judge_all(study, name="other-judge", verdicts=False)
    return study


def page(client, study, **query):
    return client.get(reverse("plan", args=[study.slug]), query)


def test_stated_assumptions_give_the_published_formula_by_hand():
    study = making.study("forty", prompts=40, files=False)
    body = plan(study, STATED)
    # n0 = 3.8415 * .24 / .0009 = 1024.4, with the judge * .36 = 368.8; of 40: 40 n0 / (40 + n0).
    for row in body["generators"]:
        assert row["alone"]["labels"] == 39
        assert row["assisted"]["labels"] == 37
        assert row["assisted"]["low"] is None
    total = body["total"]["assisted"]
    # 74 images of two generators, two people each, 9 s: 148 answers, .37 h at 20.
    assert (total["still"], total["answers"]) == (74, 148)
    assert total["hours"] == pytest.approx(0.37)
    assert total["money"] == pytest.approx(7.4)


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"within": 0}, "a number above 0"),
        ({"within": math.inf}, "a number above 0"),
        ({"within": 50}, "is the whole scale"),
        ({"variance": 0}, "variance of people’s answers"),
        ({"variance": math.inf}, "variance of people’s answers"),
        ({"rho": 1}, "from 0 to below 1"),
        ({"seconds": math.inf}, "Seconds an answer must be"),
        ({"pay_per_hour": 0}, "Pay per hour must be"),
        ({"people": 0}, "one person per image or more"),
        ({"people": 1001}, "one person per image or more"),
        ({"more": 0}, "what one more label would buy"),
    ],
)
def test_a_wish_that_cannot_be_meant_is_refused(wish, words):
    study = making.study("forty", prompts=4, files=False)
    with pytest.raises(Refused, match=words):
        plan(study, replace(STATED, **wish))


@pytest.mark.parametrize(
    "wish", [{"rho": 0}, {"people": 1}, {"people": 1000}, {"more": 1}, {"within": 49.9}]
)
def test_a_wish_at_the_edge_is_planned(wish):
    assert plan(making.study("forty", prompts=4, files=False), replace(STATED, **wish))


def test_prompts_like_these_can_be_too_few_and_that_is_said():
    study = making.study("forty", prompts=40, files=False)
    body = plan(study, Wish(3, target="prompts", variance=0.24, rho=0.8))
    for way in ("alone", "assisted"):
        row = body["generators"][0][way]
        assert "more prompts than there are" in row["undefined"]
        # 196 sqrt(.24 / 40)
        assert row["with_all"]["value"] == pytest.approx(15.18, abs=0.01)
        assert "early: " in body["total"][way]["undefined"]
    # e = 196^2 * .24 / 20^2 = 23.05; 23.05 * 40 * .36 / (40 - .64 * 23.05) = 13.1
    body = plan(study, Wish(20, target="prompts", variance=0.24, rho=0.8))
    assert body["generators"][0]["assisted"]["labels"] == 14
    assert body["generators"][0]["alone"]["labels"] == 24


def test_an_empty_study_is_planned_from_assumptions_and_says_so(capsys):
    study = making.study("empty", prompts=0)
    Generator.objects.all().delete()
    body = plan(study, Wish(3))
    # Answers half yes: n0 = 3.8415 * .25 / .0009 = 1067.1; a judge of rho .6 leaves 64 %.
    assert body["generators"][0]["alone"]["labels"] == 1068
    assert body["generators"][0]["assisted"]["labels"] == 683
    assert len(body["assumed"]) == 4
    call_command("plan_labels", "empty", "--within", "3")
    text = capsys.readouterr().out
    assert text.startswith("±3 points at 95 % for these images: 683 labelled images per generator")
    assert "There are no labels: this rests on assumptions" in text
    assert "Assumed:" in text and "as many as one likes" in text


def test_a_rating_is_assumed_to_use_all_its_steps():
    study = making.study("ratings", prompts=3, files=False)
    text = "Title: Rating\ngood (scale): Is it good?\n- Bad\n- Poor\n- Fair\n- Good\n- Best\n"
    use_form(study=study, form=read_form(parse(text)))
    body = plan(study, Wish(0.2))
    assert not body["in_points"] and body["question"] == "good"
    # (5^2 - 1) / 12
    assert body["pilot"]["variance"]["value"] == pytest.approx(2)


def test_a_pilot_gives_its_own_spread_with_a_range(large):
    large.annotations.filter(image__key__endswith="7").delete()
    body = plan(large, Wish(15))
    early = body["generators"][0]
    # Of p0 to p39 four end in 7.
    assert (early["images"], early["labelled"], early["rests_on"]) == (40, 36, "own labels")
    assert body["pilot"]["labels"] == 72
    for way in ("alone", "assisted"):
        needed = early[way]
        assert needed["low"] <= needed["labels"] <= needed["high"]
        assert needed["low"] < needed["high"]
    assert early["assisted"]["labels"] < early["alone"]["labels"]
    assert 0 < early["explained"]["low"] < early["explained"]["high"] < 1
    # Four are left: with a hundred more all are labelled, and nothing of these images is left open.
    assert early["alone"]["now"]["value"] > 0 == early["alone"]["with_more"]["value"]


def test_only_the_judges_asked_for_are_counted_on(large):
    making.scores(
        large, {key: 0.5 for key in large.images.values_list("key", flat=True)}, name="flat"
    )
    assert plan(large, Wish(5, judges=("some-judge",)))["pilot"]["explained"]["value"] > 0.4
    body = plan(large, Wish(5, judges=("flat",)))
    assert body["judges"] == ["flat"]
    assert body["pilot"]["explained"]["value"] == 0


def test_a_generator_with_few_labels_is_planned_from_all(large):
    late = large.images.filter(generator__name="late").values_list("pk", flat=True)
    large.annotations.filter(image__in=list(late)[5:]).delete()
    rows = plan(large, Wish(5))["generators"]
    assert [row["rests_on"] for row in rows] == ["own labels", "all generators"]
    assert rows[1]["labelled"] == 5


def test_hours_follow_peoples_own_median(large):
    for number, one in enumerate(large.annotations.order_by("pk")):
        one.seconds = (4, 6, 20)[number % 3]
        one.save()
    body = plan(large, Wish(5))
    assert body["pace"]["value"] == 6 and body["pace"]["rests_on"] == "pilot"
    assert body["pace"]["n"] == 240
    assert not any("takes" in words for words in body["assumed"])


def test_more_people_for_each_image_or_more_images(large):
    found = plan(large, Wish(5))["raters"]
    assert found["best"] == 1
    assert 0 < found["intraclass"]["low"] < found["intraclass"]["high"] < 1
    answers = [one["answers"] for one in found["choices"]]
    assert answers == sorted(answers)
    one = making.study("one", prompts=20, files=False)
    making.labels(one, {image.key: {"ann": image.pk % 2} for image in one.images.all()})
    assert "two people" in plan(one, Wish(5))["raters"]["undefined"]


def test_labels_of_an_unequal_draw_are_weighted_in_the_pilot():
    study = making.study("drawn", prompts=40)
    keys = list(study.images.order_by("key").values_list("key", flat=True))
    unsure = set(keys[::4])
    making.scores(study, {key: 0.5 if key in unsure else 0.01 for key in keys})
    draw_labels(study=study, count=40, seed=1, by="uncertainty")
    drawn = study.draws.get().images.filter(drawn=True).values_list("image__key", flat=True)
    making.labels(study, {key: {"ann": key in unsure} for key in drawn})
    body = plan(study, Wish(5, judges=("some-judge",)))
    assert body["pilot"]["labels"] == 40
    # Of all 80 images a quarter is unsure and "yes"; of those labelled, about half.
    share = sum(key in unsure for key in drawn) / 40
    assert share > 0.4
    assert body["pilot"]["variance"]["value"] == pytest.approx(0.25 * 0.75, abs=0.02)
    assert body["raters"]["undefined"] == REFUSED


def test_what_cannot_be_planned_is_refused_in_a_sentence(large):
    for wish, words in (
        (Wish(0), "within how many points: a number above 0"),
        (Wish(float("nan")), "a number above 0"),
        (Wish(-3), "a number above 0"),
        (Wish(50), "whole scale"),
        (Wish(3, judges=("nobody",)), "“nobody” has no scores in this study"),
        (Wish(3, question="taste"), "Nobody answered a question “taste”"),
        (Wish(3, rho=1), "from 0 to below 1"),
        (Wish(3, variance=0), "variance"),
        (Wish(3, pay_per_hour=-1), "Pay per hour"),
        (Wish(3, seconds=0), "Seconds"),
        (Wish(3, people=0), "one person per image"),
        (Wish(3, more=0), "one more label"),
    ):
        with pytest.raises(Refused, match=words):
            plan(large, wish)


def test_a_study_without_a_question_in_numbers_is_refused():
    study = making.study("words", prompts=2, files=False)
    use_form(study=study, form=read_form(parse("Title: Words\nwhat (text): What do you see?\n")))
    with pytest.raises(Refused, match="No question of this study has choices that are numbers"):
        plan(study, Wish(3))


def test_the_command_prints_sentences_or_one_object(large, capsys):
    call_command("plan_labels", "large", "--within", "5", "--pay-per-hour", "20")
    text = capsys.readouterr().out
    assert "±5 points at 95 %" in text and "at 20 an hour" in text or "enough already" in text
    assert "early: 40 images, 40 labelled" in text
    call_command("plan_labels", "large", "--within", "5", "--json")
    assert json.loads(capsys.readouterr().out) == plan(large, Wish(5))
    for arguments, words in (
        (("nowhere", "--within", "3"), "no study"),
        (("large", "--within", "0"), "above 0"),
    ):
        with pytest.raises(CommandError, match=words):
            call_command("plan_labels", *arguments)


def test_the_page_is_whole_for_a_visit_and_only_its_numbers_for_htmx(as_alice, large):
    text = page(as_alice, large, within="5", pay="20", judge="some-judge").content.decode()
    assert text.count("<html") == 1
    assert 'value="5"' in text and 'value="20"' in text
    assert '<option value="some-judge" selected>' in text
    assert "±5 points at 95 % for these images" in text
    part = as_alice.get(reverse("plan", args=["large"]), {"within": "5"}, **HTMX).content.decode()
    assert "<html" not in part and part.strip().startswith('<div id="numbers">')
    assert "±5 points" in part


def test_the_page_says_what_is_wrong_and_keeps_what_was_typed(as_alice, large):
    for typed, words in (
        ("0", "a number above 0"),
        ("some", "“some” is no number"),
        ("inf", "is no number"),
        ("99", "whole scale"),
    ):
        answer = page(as_alice, large, within=typed)
        assert answer.status_code == 200
        assert words in answer.content.decode()
        assert f'value="{typed}"' in answer.content.decode()
    assert "is no whole number" in page(as_alice, large, people="1.5").content.decode()


def test_the_page_sends_its_owner_to_draw_so_many(as_alice, study, alice):
    text = page(as_alice, study).content.decode()
    still = plan(study, Wish(3))["total"]["assisted"]["still"]
    assert 0 < still <= 8
    where = f"{reverse('data', args=[study.slug])}?draw={still}#draw"
    assert f'href="{where}"' in text
    assert (
        f'name="count" min="1" max="999999999" value="{still}"'
        in as_alice.get(reverse("data", args=[study.slug]), {"draw": still}).content.decode()
    )
    alice.role = "researcher"
    alice.save()
    assert where not in page(as_alice, study).content.decode()


def test_a_large_study_is_read_by_a_worker_and_shown_until_it_changes(as_alice, large, monkeypatch):
    at_once = numbers(page(as_alice, large, within="2", judge="some-judge"))
    monkeypatch.setattr(question, "AT_ONCE", 0)
    monkeypatch.setattr(store, "SHARE_OF_TIME", 1e9)
    store.compute_answer(QUESTIONS, large)
    asked = page(as_alice, large, within="2", judge="some-judge").content.decode()
    assert "A worker will count them" in asked and 'hx-trigger="every 3s"' in asked
    row = StoredAnswer.objects.get(question="plan")
    assert row.parameters == {"question": "aligned", "judge": "some-judge"}
    assert making.compute_waiting_answers() == 1
    with CaptureQueriesContext(connection) as queries:
        answer = page(as_alice, large, within="2", judge="some-judge")
    assert numbers(answer) == at_once
    assert not any("annotations_answer" in query["sql"] for query in queries)
    # Another wish of the same labels needs no worker; other judges do.
    assert "±7 points" in page(as_alice, large, within="7", judge="some-judge").content.decode()
    assert "A worker will count them" in page(as_alice, large, within="2").content.decode()
    StoredAnswer.objects.filter(job__state="waiting").delete()
    raise_labels_version(large.pk)
    old = page(as_alice, large, within="2", judge="some-judge")
    assert "New answers or scores have arrived" in old.content.decode()
    assert numbers(old) == at_once


def numbers(answer) -> str:
    text = answer.content.decode()
    return text[text.index('class="lead"') : text.index("About these numbers")]


def test_a_judge_that_nobody_knows_is_said_by_the_worker(as_alice, large, monkeypatch):
    monkeypatch.setattr(question, "AT_ONCE", 0)
    store.compute_answer(QUESTIONS, large)
    page(as_alice, large, judge="nobody")
    assert making.compute_waiting_answers() == 1
    assert "“nobody” has no scores" in page(as_alice, large, judge="nobody").content.decode()


def test_more_labels_and_judges_ask_the_database_no_more(as_alice, large):
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert page(as_alice, large).status_code == 200
        return len(asked)

    large.annotations.filter(image__key__startswith="late").delete()
    page(as_alice, large)
    before = queries()
    judge_all(large)
    more = Generator.objects.create(study=large, name="third")
    Image.objects.filter(study=large, key="late-1").update(generator=more)
    assert queries() == before


def test_own_labels_are_asked_for_as_the_page_says():
    assert pilots.OWN_LABELS == 20


def test_how_many_prompts_would_tell_a_drift_comes_from_the_newest_report(as_alice, large):
    assert plan(large, Wish(within=3))["drift"] == []
    report = make_report(study=large, options=Options(resamples=100))
    name = "some-judge"
    by_people = [{"people": people, "prompts": 1000 - people} for people in (2, 3, 5)]
    power = {"points": 10.0, "share_of_gain": 0.25, "prompts_now": 40, "gain": 300}
    del report.body["judges"]["other-judge"]
    report.body["judges"][name]["drift"]["power"] = {**power, "offset_by_people": by_people}
    report.options = {}
    report.save()
    assert plan(large, Wish(within=3))["drift"][0]["judge"] == name
    assert plan(large, Wish(within=3, judges=("other-judge",)))["drift"] == []
    (words,) = plan_words.drift(plan(large, Wish(within=3)))
    assert words.endswith(
        "10 points of offset are found 4 times in 5 with 998 prompts (2 people per image) or 997 prompts "
        "(3 people per image) or 995 prompts (5 people per image). 25 % of gain takes 300 prompts. Now "
        "there are 40."
    )
    text = page(as_alice, large).content.decode()
    table = text.partition('id="power"')[2].partition("</table>")[0]
    assert "10 points of offset, by people per image" in table
    assert "25 % of gain" in table
    assert re.findall(r"<td>([^<]*)</td>", table) == ["998", "997", "995", "300", "40"]
