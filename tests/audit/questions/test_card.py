"""A judge's card: each part by hand, and why a part was not measured."""

import numpy as np
import pytest

from annotations.errors import Refused
from audit.questions.card.exhibits import EXHIBITS, ORDER
from audit.questions.card.question import CARD, Parameters, card, public_weights
from judges.cards import jobs
from judges.cards.changes import CHANGES, MAKER
from judges.models import Judge, MadePicture, MadeScore
from jurybox_stats.cards.changes import shift, side_preference
from tests import making
from tests.judges.self_checks.bench import bench

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return making.study(prompts=20)


def planted(study, made, *, base=1.0, prompts=None):
    """A judge with verdicts that gives every image `base`, and made pictures what `made` says by change."""
    run = making.scores(study, {image.key: bool(base) for image in study.images.all()}, name="rule")
    for image in study.images.order_by("key"):
        for change in CHANGES:
            value = made(change, image)
            picture = MadePicture.objects.create(
                image=image, change=change, maker=MAKER, sha256="0" * 64
            )
            MadeScore.objects.create(
                picture=picture, judge=run.judge, value=value, correct=value >= 0.5
            )
    return run


def rows_of(body, part):
    return [one for one in body["rows"] if one["part"] == part]


def number(body, part, what):
    (found,) = (one["number"] for one in rows_of(body, part) if one["what"] == what)
    return found


def test_what_nothing_moves_is_told_as_nothing(study):
    planted(study, lambda change, image: 1.0)
    body = card(study, Parameters("rule"))
    assert body["images"] == 40
    moved = number(body, "cross-sensitivity", "JPEG, quality 90: score moves by")
    assert moved["value"] == 0 and moved["low"] == -moved["high"] < 0 and moved["n"] == 40
    changed = number(body, "cross-sensitivity", "JPEG, quality 90: verdict changes")
    # 0 of 20 prompts, mid-p: 1 - .05 ** (1 / 20) = .139.
    assert (changed["value"], changed["low"]) == (0, 0)
    assert changed["high"] == pytest.approx(1 - 0.05 ** (1 / 20))
    assert "Cross-sensitivity: no change moves its score beyond chance." in EXHIBITS.sentences(body)


def test_a_card_counts_the_images_whose_pictures_were_scored_not_those_that_it_could_take(study):
    planted(study, lambda change, image: 1.0)
    newest = MadeScore.objects.values_list("picture__image", flat=True).latest("pk")
    MadeScore.objects.filter(picture__image=newest).delete()
    body = card(study, Parameters("rule"))
    assert body["images"] == 39
    assert EXHIBITS.sentences(body)[0].endswith(", measured on 39 images.")
    MadeScore.objects.all().delete()
    body = card(study, Parameters("rule"))
    assert body["images"] == 0
    assert EXHIBITS.sentences(body)[0].endswith("no picture was made for it.")


def test_each_part_by_hand(study):
    """Says yes to nothing in one prompt of four; falls by a fifth with each step of blur (of which 20 prompts
    cannot tell the first: nothing of 20 may be .21 at the joint level, 1 - .01 ** (1 / 20)); is fooled by the
    prompt in the picture in no way; another's picture gives .25."""

    def said(change, image):
        number = int(image.prompt.key[1:])
        if change in ("empty", "grey", "noise"):
            return 1.0 if number % 4 == 0 else 0.0
        if change.startswith("blur"):
            return 1 - int(change[-1]) / 5
        return 0.25 if change == "swapped" else 1.0

    planted(study, said)
    body = card(study, Parameters("rule"))
    # One picture of each of 20 prompts: 5 of 20 say yes.
    dark = number(body, "dark current", "empty picture: says yes")
    assert (dark["value"], dark["n"]) == (0.25, 20)
    assert dark["low"] < 0.25 < dark["high"]
    swapped = number(body, "blind", "picture of another prompt: score moves by")
    assert swapped["value"] == -0.75
    gain = number(body, "ladder", "ladder of blur: falls over all steps by")
    assert gain["value"] == pytest.approx(1)
    assert number(body, "ladder", "blur, step 2 of 5: falls by")["value"] == pytest.approx(0.4)
    lines = EXHIBITS.sentences(body)
    assert any(line.startswith("Notices blur from step 2 of 5") for line in lines)
    assert any(line.startswith("Notices no step of contrast") for line in lines)
    assert any(
        line.startswith("Blind, picture of another prompt: its score falls") for line in lines
    )


def test_scores_beyond_one_are_read_as_places_among_the_usual_ones(study):
    run = planted(study, lambda change, image: 1.0)
    for place, score in enumerate(run.scores.order_by("pk")):
        score.value, score.correct = float(place), None
        score.save()
    MadeScore.objects.update(value=1_000.0, correct=None)
    body = card(study, Parameters("rule"))
    # All above the usual ones: 1, from .5 on average.
    moved = number(body, "fooling", "watermark: score moves by")
    assert moved["value"] == pytest.approx(0.5)
    (verdict,) = (
        one for one in rows_of(body, "repeatability") if one["what"].endswith("verdict changes")
    )
    assert verdict["number"]["undefined"] == "it gives scores and no verdicts"


def test_every_part_stands_on_a_card_and_says_why_it_was_not_measured(study):
    run = making.scores(study, {image.key: 0.5 for image in study.images.all()}, name="rule")
    body = card(study, Parameters())
    assert {one["part"] for one in body["rows"]} == set(ORDER)
    said = {one["part"]: one["number"].get("undefined", "") for one in body["rows"]}
    assert said["agreement with people"] == "this study has no report yet"
    assert said["dark current"] == "no picture was made for it yet: measure the judge first"
    assert said["position"].startswith("it scores one picture at a time")
    assert said["family"].startswith("no family is known by the name")
    run.judge.engine = "imported"
    run.judge.save()
    body = card(study, Parameters("rule"))
    assert {one["number"]["undefined"] for one in rows_of(body, "blind")} == {
        "its scores came from a file"
    }
    assert "Ladder: not measured, its scores came from a file." in EXHIBITS.sentences(body)
    assert EXHIBITS.charts(body)[0].blank


def test_a_judge_that_is_not_there_is_refused_with_the_names(study):
    with pytest.raises(Refused, match="No judge has scored"):
        card(study, Parameters("rule"))
    making.scores(study, {"early-0": 1.0}, name="rule")
    making.scores(study, {"early-0": 1.0}, name="other")
    with pytest.raises(Refused, match="Say which judge. Judges of this study: other, rule."):
        card(study, Parameters())
    with pytest.raises(Refused, match="no judge “none” here"):
        card(study, Parameters("none"))
    for wrong in ("0", "many", "1001", "-1", "٣"):
        with pytest.raises(Refused, match="count is a number of images"):
            card(study, Parameters("rule", wrong))


def test_new_scores_of_made_pictures_make_a_stored_card_old(study):
    before = CARD.stamp(study, Parameters("rule"))
    planted(study, lambda change, image: 1.0)
    scored = CARD.stamp(study, Parameters("rule"))
    MadeScore.objects.order_by("pk").last().delete()
    assert len({before, scored, CARD.stamp(study, Parameters("rule"))}) == 3


def test_the_judge_of_its_own_family_is_told_where_people_see_no_difference(study):
    """Everybody says the same of both generators; the judge gives its own .3 more."""
    images = list(study.images.select_related("generator", "prompt").order_by("key"))
    truth = {image.key: int(image.prompt.key[1:]) % 2 for image in images}
    making.labels(study, {key: {"ann": v, "ben": v} for key, v in truth.items()})
    own = {i.key: 0.3 if i.generator.name == "late" else 0.0 for i in images}
    making.scores(study, {key: 0.5 * v + own[key] for key, v in truth.items()}, name="rule")
    body = card(study, Parameters("rule", family="late"))
    (found,) = rows_of(body, "family")
    assert found["number"]["value"] == pytest.approx(0.3)
    assert found["number"]["low"] > 0
    body = card(study, Parameters("rule", family="nobody"))
    assert (
        "no generator of its family (nobody)" in rows_of(body, "family")[0]["number"]["undefined"]
    )


def test_a_built_in_judge_is_measured_from_end_to_end():
    from tests.judges.cards.test_measure import scored_run

    run = scored_run(study=bench(12))
    jobs.measure_here(run, count=12)
    body = card(run.study, Parameters("geneval-builtin", 12))
    assert not [one for one in rows_of(body, "ladder") if "undefined" in one["number"]]
    # Nothing is there: a judge that finds shapes says no.
    assert number(body, "dark current", "grey picture: says yes")["value"] == 0
    assert number(body, "repeatability", "the same picture again: verdict changes")["value"] == 0
    assert EXHIBITS.charts(body)[0].draw("light")["layer"]
    tables = EXHIBITS.tables(body)
    assert len(tables) == 5
    assert sum(len(one.rows) for one in tables) == len(body["rows"])


def test_the_three_facts_are_those_of_the_newest_report(study):
    from audit.models import Report
    from audit.reports.make import make_report

    images = list(study.images.order_by("key"))
    truth = {image.key: int(image.prompt.key[1:]) % 2 for image in images}
    making.labels(study, {key: {"ann": v, "ben": v} for key, v in truth.items()})
    making.scores(study, {key: float(v) for key, v in truth.items()}, name="rule")
    make_report(study=study)
    report = Report.objects.get()
    fact = report.body["judges"]["rule"]
    rows = rows_of(card(study, Parameters("rule")), "agreement with people")
    assert rows[0]["state"] == fact["follows"]["state"]
    assert rows[0]["number"]["value"] == fact["follows"]["value"] == 1
    assert rows[-1]["state"] == fact["drift"]["state"]
    # 20 images of each generator are too few for a gap.
    assert "undefined" in rows[-1]["number"] and rows[-1]["since"] is None
    report.body["judges"]["rule"]["drift"]["gap"] = {
        "newest": ["late"],
        "generators": {"value": 3.0, "low": 1.0, "high": 5.0, "n": 40},
        "judge": {"value": 5.0, "low": 2.0, "high": 8.0, "n": 40},
    }
    report.save()
    rows = rows_of(card(study, Parameters("rule")), "agreement with people")
    assert (rows[-1]["since"], rows[-1]["number"]["value"]) == ("2024-01-01", 5)


def test_a_card_leaves_out_addresses_files_and_other_texts_of_the_settings(study):
    run = planted(study, lambda change, image: 1.0)
    before = run.judge.fingerprint
    options = {
        "server": "http://10.0.0.7:8000/v1",
        "part": {"key": "secret", "tokens": 9},
        "soft": True,
    }
    Judge.objects.filter(pk=run.judge.pk).update(options=options, checkpoint="/srv/weights/own")
    facts = card(study, Parameters("rule"))["facts"]
    assert facts["options"] == {"part": {"tokens": 9}, "soft": True}
    assert (facts["weights"], facts["fingerprint"]) == ("", before)
    assert public_weights("Qwen/Qwen3-VL-8B") == "Qwen/Qwen3-VL-8B"


def test_a_preference_for_a_place_is_counted_in_steps_and_its_interval_is_half_a_step_wider():
    # 25 pairs of 100 name the first place twice, the others each side once: mean .125, in points 12.5.
    first = np.repeat([1.0, 0.5], [25, 75])
    found, plain = side_preference(first, np.arange(100)), shift(first - 0.5, np.arange(100))
    # Half a step of .5 in one of 100 pairs: .25 points.
    assert (found.value, found.n) == (12.5, 100)
    assert found.low == pytest.approx(100 * plain.low - 0.25)
    assert found.high == pytest.approx(100 * plain.high + 0.25)
