"""What a judge may be used for, in a report."""

import pytest

from annotations.models import Annotation
from annotations.stored_answers import question
from audit.reports import escalation
from audit.reports import make as reports
from tests import making

pytestmark = pytest.mark.django_db
PROMPTS = 40
NAMES = [f"{generator}-{number}" for number in range(PROMPTS) for generator in ("early", "late")]


def said(key: str) -> int:
    """People: right on two of three prompts by "early", on all by "late"."""
    generator, _, number = key.partition("-")
    return int(generator == "late" or int(number) % 3 > 0)


@pytest.fixture
def labelled():
    study = making.study(prompts=PROMPTS, files=False)
    making.labels(study, {key: {r: said(key) for r in ("ann", "bo", "cy")} for key in NAMES})
    return study


def report(study):
    return reports.make_report(study=study).body


def overall(study):
    return report(study)["judges"]["some-judge"]["overall"]


def test_a_judge_that_says_what_all_say_may_stand_in_for_a_person(labelled):
    making.scores(labelled, {key: bool(said(key)) for key in NAMES})
    found = overall(labelled)["alt_test"]
    assert (found["raters"], found["beaten"], found["winning_rate"]) == (3, 3, 1)
    assert found["passes"] and found["epsilon"] == 0.15 and found["n"] == 80
    assert found["advantage"]["value"] == 1
    assert found["by_epsilon"]["0.1"] == {"winning_rate": 1.0, "passes": True}


def test_a_judge_that_says_the_contrary_may_not(labelled):
    making.scores(labelled, {key: not said(key) for key in NAMES})
    found = overall(labelled)
    assert (found["alt_test"]["beaten"], found["alt_test"]["passes"]) == (0, False)
    assert "cannot be shown" in found["trusted_share"]["undefined"]
    assert found["trusted_share"]["to_people"] == 80


def test_one_person_is_nobody_to_stand_beside():
    study = making.study(prompts=PROMPTS, files=False)
    making.labels(study, {key: {"ann": said(key)} for key in NAMES})
    making.scores(study, {key: bool(said(key)) for key in NAMES})
    assert "two people" in overall(study)["alt_test"]["undefined"]


def test_the_ranking_of_two_generators_is_swapped_by_a_contrary_judge(labelled):
    making.scores(labelled, {key: not said(key) for key in NAMES})
    body = report(labelled)
    found = body["ranking"]["judges"]["some-judge"]
    assert found["by_people"] == ["late", "early"]
    assert found["by_judge"] == ["early", "late"]
    assert (found["kendall_tau_b"]["value"], found["swapped_pairs"]["value"]) == (-1, 1)
    # "early" is wrong on 14 of the 40 prompts: 35 points.
    assert found["swaps"][0]["people"]["value"] == pytest.approx(35)
    assert found["swaps"][0]["judge"]["value"] == pytest.approx(-35)
    soft = body["judges"]["some-judge"]["overall"]["soft_pairwise_accuracy"]
    assert soft["value"] < 0.01 and soft["prompts"] == PROMPTS


def test_people_gain_what_the_judge_gains_where_both_say_the_same(labelled):
    making.scores(labelled, {key: bool(said(key)) for key in NAMES})
    found = overall(labelled)["best_of_n"]
    # On 14 of 40 prompts the choice gains half a picture over a random one: 17.5 points.
    assert found["people_gain"]["value"] == found["judge_gain"]["value"] == pytest.approx(17.5)
    # The same on every prompt: nothing tells how sure a ratio of 1 is.
    assert "no prompt differs" in found["ratio"]["undefined"]
    assert found["n"] == PROMPTS


def test_the_probability_is_held_against_the_share_of_people():
    study = making.study(prompts=PROMPTS, files=False)
    making.labels(study, {key: {"ann": 1, "bo": said(key)} for key in NAMES})
    making.scores(study, {key: 0.75 for key in NAMES})
    found = overall(study)
    # Shares of 1 and, on 14 of 80 images, of a half; each 0.25 away.
    assert found["brier"]["value"] == pytest.approx(0.0625)
    share = (66 * 1 + 14 * 0.5) / 80
    constant = (66 * (1 - share) ** 2 + 14 * (0.5 - share) ** 2) / 80
    assert found["brier"]["over_the_average"]["value"] == pytest.approx(constant - 0.0625)
    assert "value" in found["log_score"]


def test_in_line_is_where_the_whole_interval_lies_within_the_band(labelled):
    making.scores(labelled, {key: float(said(key)) for key in NAMES})
    # On the 14 of 80 images that people call wrong, it says yes: 17.5 points too lenient.
    making.scores(labelled, dict.fromkeys(NAMES, 1.0), name="always-yes")
    judges = report(labelled)["judges"]
    same, lenient = (
        judges[name]["overall"]["equivalence"] for name in ("some-judge", "always-yes")
    )
    assert (same["value"], same["confidence"], same["band"]) == (0, 0.9, 3)
    assert same["equivalent"] == (same["low"] > -3 and same["high"] < 3)
    assert lenient["value"] == pytest.approx(-17.5)
    assert lenient["equivalent"] is False
    # That of 95 % is wider.
    assert judges["always-yes"]["overall"]["net_deviation"]["low"] < lenient["low"]


def scored(key: str) -> float:
    """Sure and right on most; unsure, and wrong, on the first eight prompts."""
    number = int(key.partition("-")[2])
    if number < 8:
        return 0.45 if said(key) else 0.55
    return 0.9 + number / 1000 if said(key) else 0.1


def test_the_images_it_may_not_be_trusted_on_go_to_people(labelled):
    making.scores(labelled, {key: scored(key) for key in NAMES})
    body = report(labelled)
    found = body["judges"]["some-judge"]["overall"]["trusted_share"]
    assert found["bound"] <= found["risk"] == 0.1
    assert found["value"] == found["accepted"] / 80
    assert found["to_people"] == 80 - found["accepted"]
    asked = {"study": labelled, "judge": "some-judge", "body": body}
    # Somebody has labelled them all.
    assert escalation.left_to_people(**asked) == []
    left = escalation.left_to_people(labelled, "some-judge", body, labelled=True)
    assert len(left) == found["to_people"]
    assert {row.key for row in left} >= {key for key in NAMES if int(key.split("-")[1]) < 8}
    sure = [row.confidence for row in left]
    assert sure == sorted(sure)


def test_unlabelled_images_that_it_is_unsure_of_and_those_without_a_score_go_to_people():
    study = making.study(prompts=PROMPTS + 2, files=False)
    making.labels(study, {key: {r: said(key) for r in ("ann", "bo")} for key in NAMES})
    some = {key: scored(key) for key in NAMES}
    making.scores(study, some | {"early-40": 0.99, "late-40": 0.5, "early-41": "no reply"})
    body = report(study)
    asked = {"study": study, "judge": "some-judge", "body": body}
    keys = [row.key for row in escalation.left_to_people(**asked)]
    # Unsure; failed; and never asked.
    assert keys == ["late-40", "early-41", "late-41"]
    # Who took an answer back has not labelled the image.
    Annotation.objects.filter(image__key="early-0").update(state=Annotation.State.WITHDRAWN)
    assert "early-0" in {row.key for row in escalation.left_to_people(study, "some-judge", body)}


def test_a_page_keeps_which_images_are_left_and_fetches_the_first(
    monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(question, "AT_ONCE", 0)
    study = making.study(prompts=PROMPTS + 2, files=False)
    making.labels(study, {key: {r: said(key) for r in ("ann", "bo")} for key in NAMES})
    making.scores(study, {key: scored(key) for key in NAMES} | {"late-40": 0.5})
    body = report(study)
    whole = escalation.left_to_people(study, "some-judge", body)
    for _ in range(2):
        left, first = escalation.first_left_to_people(study, "some-judge", body, 3)
        assert (left, first) == (len(whole), whole[:3])
    # The run, the images' number, how much was labelled, the version, what is kept and which, scores,
    # images.
    with django_assert_num_queries(8):
        escalation.first_left_to_people(study, "some-judge", body, 3)


def test_the_judge_before_and_since_its_own_release(labelled):
    making.scores(labelled, {key: 0.2 + 0.6 * said(key) for key in NAMES})
    since = report(labelled)["judges"]["some-judge"]["drift"]["since_own_release"]
    assert set(since) == {"auroc", "before", "since"}


def test_ties_calibrated_on_other_prompts_stand_beside_the_official_number(labelled):
    making.scores(labelled, {key: 0.2 + 0.6 * said(key) for key in NAMES})
    found = overall(labelled)["pairwise_accuracy_by_prompt_cross_validated"]
    assert found["value"] == 1 and len(found["epsilon_by_fold"]) == 5
