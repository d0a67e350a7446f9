"""The facts of one judge: generators with too few images neither raise an alarm nor hide one."""

from datetime import date

import numpy as np
import pytest

from audit.reports.drift import PeopleInDrift, beside_releases, drift, newest_third, orders
from audit.reports.make import Options
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import Reference, series_of
from audit.reports.slices import by_generator, statistics
from audit.reports.states import settle
from audit.words import drift_state
from jurybox_formats.forms.scales import Scale
from tests.bench.true_worlds import World, study

OPTIONS = Options(resamples=200)
YES_NO, RATING = Scale("yes/no", 0, 1), Scale("rating", 1, 5)


def facts(
    ratings,
    scores,
    generators,
    prompts,
    *,
    stopped="",
    scale=YES_NO,
    decisions=None,
    released=date(2021, 6, 1),
    dates=None,
    own_prompts=None,
) -> dict:
    """All that is said of one judge. `ratings`: people × images; generators are of one year each."""
    n, count = len(generators), int(max(generators)) + 1
    people = People(
        study="shapes",
        question="aligned",
        scale=scale,
        images=np.array([f"i{number:04}" for number in range(n)], dtype=object),
        prompts=np.asarray(prompts),
        generators=np.asarray(generators),
        variants=np.full(n, "original", dtype=object),
        tags=((),) * n,
        atomicity=np.full(n, np.nan),
        generator_names=tuple("ABCDEFGH"[:count]),
        release_dates=dates or tuple(date(2021 + k, 1, 1) for k in range(count)),
        ratings=np.asarray(ratings, dtype=float),
        raters=tuple("abcd"[: len(ratings)]),
        forms=frozenset(),
        annotations=n,
        simulated=False,
        decisions=decisions,
        own_prompts=own_prompts,
    )
    nothing = np.array([], dtype=float)
    judge = JudgeScores(
        name="some-judge",
        fingerprint="1",
        facts={},
        release_date=released,
        scores=np.asarray(scores, dtype=float),
        verdicts=np.full(n, np.nan),
        failed=np.zeros(n, bool),
        atom_kinds=np.array([], dtype=object),
        atom_scores=nothing,
        atom_labels=nothing,
        atom_prompts=np.array([], dtype=np.int64),
        stopped=stopped,
    )
    options = OPTIONS.with_scale_cut(scale)
    series = series_of(people, judge, Reference.from_people(people, options), np.full(n, np.nan))
    each = {
        name: statistics(series.series_where(where), options)
        for name, where in by_generator(people)
    }
    body = {
        "overall": statistics(series, options),
        "by_generator": each,
        "drift": drift(
            PeopleInDrift(people),
            judge,
            series,
            each,
            beside_releases(people, judge, series, options),
        ),
        "follows": orders(people, series, options),
    }
    settle({"some-judge": body})
    return body


def world(judge="soft", prompts=150, seed=1, keep=None, **more) -> dict:
    """Of a planted study; `keep`: so many images of each generator, all where None."""
    planted = World("planted", more.pop("shares", (0.4, 0.8)), **more)
    made = study(planted, prompts, np.random.default_rng(seed))
    there = np.ones(made.generators.size, dtype=bool)
    for code, images in (keep or {}).items():
        of = np.flatnonzero(made.generators == code)
        there[of[images:]] = False
    scale = RATING if planted.ratings else YES_NO
    return facts(
        made.ratings[:, there],
        made.scores[judge][there],
        made.generators[there],
        made.prompts[there],
        scale=scale,
    )


def test_a_judge_that_reads_newer_generators_as_older_ones_holds_while_people_say_yes_more_often():
    found = world()
    assert (found["drift"]["state"], found["drift"]["alarm"]) == ("holds", False)
    assert found["follows"]["state"] in ("follows", "like a person")
    assert found["follows"]["value"] == found["overall"]["auroc"]["value"]
    assert found["follows"]["newest"]["generators"] == ["F", "G", "H"]
    line = drift_state.sentence("Some judge", found)
    assert line.startswith("Some judge follows people") and line.endswith(", and holds.")


def test_a_judge_that_became_stricter_drifts_since_that_date():
    found = world(level=12)["drift"]
    assert (found["state"], found["since"], found["by"]) == (
        "drifts",
        "2026-01-01",
        "net_deviation",
    )
    assert found["moved"] == "offset"
    step = found["steps"][found["likeliest"]]
    assert step["generators"] == ["F", "G", "H"]
    assert step["offset"]["value"] == pytest.approx(12, abs=5)
    line = drift_state.sentence("Some judge", world(level=12))
    assert " points (" in line
    assert line.endswith("stricter on generators since 2026-01 than on older ones.")


def test_a_judge_that_tells_good_from_bad_less_drifts_by_its_gain():
    found = world(auroc=0.2, shares=(0.5, 0.6))
    assert (found["drift"]["state"], found["drift"]["by"]) == ("drifts", "agreement")
    line = drift_state.sentence("Some judge", found)
    assert "it tells good from bad" in line and "less than before" in line


@pytest.mark.parametrize("judge", ["soft", "8 % errors", "soft cut at .5"])
def test_how_far_off_a_judge_is_is_one_number_in_sentence_summary_chart_and_table(judge):
    body = world(judge, level=12)
    gap, drawn = body["drift"]["gap"], drift_state.deviations(body)
    newest = [drawn[name] for name in gap["newest"]]
    assert np.mean([one["value"] for one in newest]) == pytest.approx(gap["now"])
    assert all(one["low"] < one["value"] < one["high"] for one in newest)
    assert drawn == drift_state.off_by_generator(body)
    assert not drift_state.shows_offsets(body)
    assert f"off by {gap['now']:+.1f} points" in drift_state.gap(body["drift"]).replace("−", "-")


def test_scores_in_no_unit_of_peoples_show_the_offset_beside_the_oldest_generators():
    body = world("unbounded", level=12)
    assert drift_state.off_by_generator(body) == {}
    assert drift_state.shows_offsets(body)
    assert drift_state.deviations(body) == drift_state.offsets(body)


@pytest.mark.parametrize(
    ("judge", "state"),
    [
        ("random", "does not follow"),
        ("upside down", "upside down"),
        ("constant", "does not follow"),
    ],
)
def test_a_judge_that_does_not_follow_people_is_never_said_to_hold(judge, state):
    found = world(judge)
    assert found["drift"]["state"] == "cannot be told"
    assert found["follows"]["state"] == state
    assert "holds" not in drift_state.sentence("X", found)


def test_a_judge_says_how_many_prompts_and_people_would_tell_a_drift():
    power = world("8 % errors")["drift"]["power"]
    by_people = [row["prompts"] for row in power["offset_by_people"]]
    assert [row["people"] for row in power["offset_by_people"]] == [2, 3, 5]
    assert by_people == sorted(by_people, reverse=True) and by_people[0] > by_people[2]
    # Everybody answers for each image, so that with as many people as now it takes as many.
    assert power["people_now"] == 3
    assert power["offset"] == by_people[1]


def test_the_parts_of_the_gap_add_up_to_how_it_moved():
    gap = world("8 % errors", level=12)["drift"]["gap"]
    moved = gap["now"] - gap["before"]
    assert gap["generators"]["value"] + gap["judge"]["value"] == pytest.approx(moved)
    assert gap["newest"] == ["F", "G", "H"]


@pytest.mark.parametrize(
    ("dates", "newest"),
    [
        ([0, 1, 2, 3, 4, 5, 6], [4, 5, 6]),
        ([0, 0, 0, 1], [3]),  # a third is two of them, but the other is of the oldest date
        ([0, 1, 1, 1], [1, 2, 3]),
        ([0, 0, 0], []),
        ([], []),
    ],
)
def test_the_newest_third_is_all_of_a_date_and_never_of_the_oldest(dates, newest):
    assert np.flatnonzero(newest_third(np.array(dates))).tolist() == newest


def test_a_small_newest_generator_does_not_hide_what_the_others_show():
    found = world(level=15, keep={7: 4})["drift"]
    assert (found["state"], found["since"]) == ("drifts", "2026-01-01")
    assert found["steps"][-1]["generators"] == ["G"]


def test_with_few_images_it_is_said_how_many_more_would_tell():
    found = world("equal errors", prompts=40)
    assert found["drift"]["state"] == "cannot be told"
    assert found["drift"]["needs"]["images"] > 0
    assert found["drift"]["needs"]["prompts"] > 0
    assert "would tell." in drift_state.sentence("X", found)


def test_with_one_answer_each_nothing_is_called_and_the_numbers_are_assumed():
    made = study(World("one", (0.6, 0.6), level=12), 150, np.random.default_rng(1))
    found = facts(made.ratings[:1], made.scores["soft"], made.generators, made.prompts)
    drift = found["drift"]
    assert (drift["state"], drift["alarm"]) == ("cannot be told", False)
    # 30 on each of 8 generators.
    assert drift["assumed"] == drift["needs"]["second_answers"] == 240
    assert drift["steps"][4]["offset"]["value"] == pytest.approx(12, abs=6)
    assert "About 240 second answers would do." in drift["reason"]


def test_answers_that_the_owner_has_decided_are_exact():
    made = study(World("one", (0.4, 0.8), level=12), 150, np.random.default_rng(1))
    found = facts(
        made.ratings[:1],
        made.scores["soft"],
        made.generators,
        made.prompts,
        decisions=np.rint(made.ratings.mean(axis=0)),
    )
    assert "assumed" not in found["drift"]
    assert found["drift"]["state"] == "drifts"


def test_ratings_are_read_by_the_same_definition():
    found = world("soft", shares=(2.2, 4.1), ratings=True, noise=0.8, prompts=200, answers=3)
    assert found["follows"]["what"] == "share of pairs in people’s order"
    assert found["drift"]["state"] != "drifts"
    # One step of five is 25 points.
    drifted = world("soft", shares=(2.2, 4.1), ratings=True, noise=0.8, prompts=200, level=15)
    assert drifted["drift"]["state"] == "drifts"


def test_the_scale_of_a_score_changes_nothing():
    made = study(World("scale", (0.4, 0.8), level=12), 120, np.random.default_rng(1))
    scores = made.scores["unbounded"]
    first, second = (
        facts(made.ratings, given, made.generators, made.prompts)["drift"]
        for given in (scores, np.exp(scores / 4))
    )
    assert first["read"] == "as ranks over all images"
    assert first["steps"] == second["steps"]


def test_other_people_on_the_newest_generators_are_told():
    made = study(World("people", (0.4, 0.8)), 100, np.random.default_rng(1))
    late = made.generators >= 5
    ratings = np.full((3, late.size), np.nan)
    ratings[:2, ~late] = made.ratings[:2, ~late]
    ratings[1:, late] = made.ratings[1:, late]
    found = facts(ratings, made.scores["soft"], made.generators, made.prompts)["drift"]
    # Of the two who answered there one had answered before.
    assert found["same_people"] == pytest.approx(0.5)
    ratings[1, late & (made.prompts > 2)] = np.nan
    found = facts(ratings, made.scores["soft"], made.generators, made.prompts)["drift"]
    assert found["same_people"] < 0.1
    assert found["others"]["compared"]
    assert "how strict each is has been taken out" in found["reason"]


def test_where_no_image_was_answered_by_people_of_both_sides_nothing_drifts_or_holds():
    made = study(World("people", (0.4, 0.8), level=15, answers=4), 150, np.random.default_rng(1))
    late = made.generators >= 5
    ratings = np.full((4, late.size), np.nan)
    ratings[:2, ~late] = made.ratings[:2, ~late]
    ratings[2:, late] = made.ratings[2:, late]
    found = facts(ratings, made.scores["soft"], made.generators, made.prompts)["drift"]
    assert found["others"] == {"share": pytest.approx(1, abs=0.05), "compared": False}
    assert found["state"] == "cannot be told"
    assert found["needs"]["reason"].startswith("Other people labelled the newer generators")


def test_a_newest_generator_of_which_people_call_all_images_right_is_left_out_and_nothing_holds():
    made = study(World("all right", (0.4, 0.8)), 150, np.random.default_rng(1))
    ratings = made.ratings.copy()
    ratings[:, made.generators == 7] = 1.0
    found = facts(ratings, made.scores["soft"], made.generators, made.prompts)["drift"]
    assert found["alike"] == ["H"]
    assert len(found["steps"]) == 6
    assert found["state"] == "cannot be told"
    assert "Left out, since people answer all images alike: H." in found["reason"]


def test_ratings_of_which_all_of_one_generator_reach_a_step_are_read_by_the_other_steps():
    made = study(World("high", (2.2, 4.1), noise=0.8, ratings=True), 60, np.random.default_rng(1))
    newest = made.generators == 7
    ratings = np.where(newest, np.maximum(made.ratings, 4), made.ratings)
    scores = made.scores["soft"], made.generators, made.prompts
    found = facts(ratings, *scores, scale=RATING)["drift"]
    assert "untold" not in found
    assert len(found["steps"]) == 7


@pytest.mark.parametrize("slips", [0.06, 0.15])
def test_a_judge_that_is_always_right_is_off_by_peoples_slips_and_by_nothing_without_them(slips):
    random = np.random.default_rng(1)
    made = study(World("oracle", (0.3, 0.9), noise=slips), 300, random)
    oracle = (made.known > 0.5) * 1.0
    gap = facts(made.ratings, oracle, made.generators, made.prompts)["drift"]["gap"]
    # Right of the newest three .9, .81 and .73 of images: people err more often on these.
    assert gap["now"] == pytest.approx(100 * slips * (1 - 2 * 0.814), abs=1.5)
    assert gap["without_slips"] == {
        "share": pytest.approx(slips, abs=0.01),
        "now": pytest.approx(0, abs=1.5),
        "before": pytest.approx(0, abs=1.5),
    }
    scores = made.scores["soft"]
    assert (
        "without_slips"
        not in facts(made.ratings, scores, made.generators, made.prompts)["drift"]["gap"]
    )


def test_a_step_is_dated_by_all_dates_that_explain_the_generators():
    found = world(level=15, prompts=200)["drift"]
    assert found["since"] == "2026-01-01"
    between = found["since_between"]
    assert between["from"] <= "2026-01-01" <= between["to"]


def test_generators_of_one_day_are_no_drift():
    made = study(World("day", (0.4, 0.8), level=15), 60, np.random.default_rng(1))
    found = facts(
        made.ratings,
        made.scores["soft"],
        made.generators,
        made.prompts,
        dates=(date(2024, 1, 1),) * 8,
    )["drift"]
    assert found["state"] == "cannot be told"
    assert found["needs"]["reason"] == "The generators do not have two release dates."


def test_two_small_generators_are_told_as_too_few_to_judge():
    found = world(prompts=40, keep={1: 4, 2: 4, 3: 4, 4: 4, 5: 4, 6: 4, 7: 4})["drift"]
    assert not found["alarm"]
    assert found["reason"] == (
        "Drift needs two generators with enough images; B: too few to judge: 4 images, at least "
        "30 needed."
    )


def test_a_stopped_run_has_no_verdict():
    made = study(World("stopped", (0.4, 0.8), level=15), 60, np.random.default_rng(1))
    found = facts(
        made.ratings,
        made.scores["soft"],
        made.generators,
        made.prompts,
        stopped="The key was refused.",
    )["drift"]
    assert found["state"] == "cannot be told"
    assert found["reason"] == "Its run was stopped by a failure: The key was refused."


def test_all_images_of_one_prompt_have_a_reason_and_no_number():
    generators = np.repeat(np.arange(3), 40)
    yes, score = np.tile([0.0, 1.0], 60), np.tile([0.2, 0.3, 0.6, 0.8], 30)
    found = facts([yes, yes], score, generators, np.zeros(120, dtype=np.int64))["drift"]
    assert found["state"] == "cannot be told"
    for name in "ABC":
        assert "undefined" in found["by_generator"][name]["offset"]


def test_people_are_read_once_for_all_judges_of_the_same_images(monkeypatch):
    monkeypatch.setattr("audit.reports.drift._Images", lambda people, counted, inside: object())
    read, all_of_them, some = PeopleInDrift(None), np.array([True, True]), np.array([True, False])
    first = read.images(None, all_of_them)
    assert read.images(None, all_of_them.copy()) is first
    assert read.images(None, some) is not first
