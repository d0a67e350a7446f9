"""Prompts of one family are drawn together for every interval, and nothing else changes."""

import numpy as np
import pytest

from annotations.models import Image, Prompt
from annotations.studies.queries import drawn_with
from audit.contests.parameters import Parameters
from audit.contests.standings import leaderboard
from audit.people.answers import forms_of
from audit.questions.gains.question import before_after
from audit.reports import make as reports
from audit.reports.pairing import family_codes, pair
from audit.self_checks.counting import share_of
from audit.set_scores.figure import make_figure
from audit.set_scores.scored import make_row
from audit.words import report as report_words
from jurybox_stats.resamples import Resamples
from tests import making
from tests.audit.reports.test_drift import facts
from tests.bench.true_worlds import GENERATORS, World, study

FEW = reports.Options(resamples=200)
PROMPTS, FAMILIES = 48, 12


def test_the_codes_of_a_family_are_those_of_its_first_prompt():
    assert family_codes(["", "two", "one", "two", ""]).tolist() == [0, 1, 2, 1, 4]
    assert family_codes(["", ""]) is None


def without_families():
    """Images of a family are nearly all right or nearly all wrong; the judge is off where they are wrong."""
    made = making.study(prompts=PROMPTS, files=False)
    random = np.random.default_rng(3)
    images = list(made.images.order_by("key"))
    easy = {k: random.random() < 0.6 for k in range(FAMILIES)}
    right = {
        image.key: easy[int(image.prompt.key[1:]) % FAMILIES] ^ (random.random() < 0.1)
        for image in images
    }
    people = {
        key: {who: yes ^ (random.random() < 0.1) for who in ("ann", "ben", "cat")}
        for key, yes in right.items()
    }
    making.labels(made, people)
    making.scores(
        made, {key: 0.5 + 0.1 * yes + 0.3 * random.random() for key, yes in right.items()}
    )
    return made


@pytest.fixture(scope="module")
def once(make_once):
    return make_once(without_families).pk


@pytest.fixture
def shapes(db, once):
    return Prompt.objects.filter(study=once).first().study


def give_families(made) -> None:
    for prompt in made.prompts.all():
        prompt.family = f"template {int(prompt.key[1:]) % FAMILIES}"
        prompt.save(update_fields=["family"])


def body(made):
    return reports.compute(made, FEW)[0]


def width(estimate) -> float:
    return estimate["high"] - estimate["low"]


def test_intervals_are_those_of_the_jackknife_by_family_and_wider(shapes):
    before = body(shapes)
    give_families(shapes)
    after = body(shapes)
    old, new = (told["judges"]["some-judge"]["overall"] for told in (before, after))
    for name in ("net_deviation", "human_score", "auroc"):
        assert new[name]["value"] == old[name]["value"]
        assert width(new[name]) > 1.3 * width(old[name]), name
    paired = pair(study=shapes, question="aligned")
    families = np.array([int(key.partition("-")[2]) % FAMILIES for key in paired.people.images])
    draw = Resamples(families)
    yes, score = paired.people.majority, paired.judges[0].scores
    expected = draw.difference_of_means(yes, score, scale=100.0)
    assert (new["net_deviation"]["low"], new["net_deviation"]["high"]) == pytest.approx(
        (expected.low, expected.high), abs=1e-9
    )
    expected = draw.auroc(yes, score)
    assert (new["auroc"]["low"], new["auroc"]["high"]) == pytest.approx(
        (expected.low, expected.high), abs=1e-9
    )


def test_what_is_about_one_prompt_stays_so_and_its_interval_is_by_family(shapes):
    before = body(shapes)["judges"]["some-judge"]["overall"]
    give_families(shapes)
    after = body(shapes)["judges"]["some-judge"]["overall"]
    by_prompt = "pairwise_accuracy_by_prompt"
    assert after[by_prompt]["value"] == before[by_prompt]["value"]
    assert after["best_of_n"]["n"] == before["best_of_n"]["n"] == PROMPTS
    gains = [told["best_of_n"]["people_gain"] for told in (before, after)]
    assert gains[0]["value"] == gains[1]["value"]
    found = pair(study=shapes, question="aligned")
    codes, mean, score = found.people.own_prompts, found.people.mean, found.judges[0].scores
    by_hand = [
        100 * (mean[here][score[here].argmax()] - mean[here].mean())
        for here in (codes == code for code in range(PROMPTS))
    ]
    # A family is of every twelfth prompt, in the order of their keys as texts.
    keys = sorted(f"p{number}" for number in range(PROMPTS))
    families = [int(key[1:]) % FAMILIES for key in keys]
    expected = Resamples(families).mean(by_hand)
    assert (gains[1]["low"], gains[1]["high"]) == pytest.approx((expected.low, expected.high))


def test_a_judge_of_few_values_is_compared_within_prompts_not_within_families(shapes):
    images = shapes.images.order_by("key")
    making.scores(shapes, {image.key: len(image.key) % 3 == 0 for image in images}, name="coarse")
    name = "pairwise_accuracy_by_prompt"
    before = body(shapes)["judges"]["coarse"]["overall"][name]
    give_families(shapes)
    assert body(shapes)["judges"]["coarse"]["overall"][name]["value"] == before["value"]


def test_a_report_says_what_was_drawn_together_only_where_something_was(shapes):
    plain, digest = reports.compute(shapes, FEW)
    assert "clusters" not in plain["signature"]
    assert "clusters" not in dict(report_words.signature(plain))
    give_families(shapes)
    told, other = reports.compute(shapes, FEW)
    assert told["signature"]["clusters"] == "12 families of 48 prompts"
    assert dict(report_words.signature(told))["clusters"] == "12 families of 48 prompts"
    assert other != digest
    assert told["ranking"]["judges"]["some-judge"]["families"] == FAMILIES
    assert "prompts" not in told["ranking"]["judges"]["some-judge"]


def test_a_family_of_each_prompt_gives_the_digits_of_none(shapes):
    before = body(shapes)
    for prompt in shapes.prompts.all():
        prompt.family = f"only {prompt.key}"
        prompt.save(update_fields=["family"])
    after = body(shapes)
    assert after["judges"]["some-judge"]["overall"] == before["judges"]["some-judge"]["overall"] | {
        "soft_pairwise_accuracy": after["judges"]["some-judge"]["overall"]["soft_pairwise_accuracy"]
    }
    assert after["people"] == before["people"]


def test_people_agree_by_family_too(shapes):
    give_families(shapes)
    by_key = dict(Image.objects.filter(study=shapes).values_list("pk", "prompt__family"))
    forms = forms_of(shapes)
    names = np.array([by_key[pk] for pk in forms.image.tolist()])
    assert len({(n, c) for n, c in zip(names, forms.prompt.tolist(), strict=True)}) == FAMILIES


def test_a_leaderboard_compares_images_of_one_prompt_and_draws_families(shapes):
    before = leaderboard(shapes, Parameters(), resamples=100)
    give_families(shapes)
    after = leaderboard(shapes, Parameters(), resamples=100)
    assert (after["votes"], after["prompts"]) == (before["votes"], PROMPTS)
    assert after["signature"]["clusters"] == "12 families of 48 prompts"
    # Twelve clusters are too few for its errors, as twelve prompts are.
    assert after["people"]["undefined"] == (
        "too few to judge: 12 families of prompts, at least 20 needed"
    )


def test_a_gain_of_training_is_the_mean_over_prompts_with_families_drawn(shapes):
    before = before_after(shapes, "early", "late")
    give_families(shapes)
    after = before_after(shapes, "early", "late")
    gains = [told["rows"][0]["gain"] for told in (before, after)]
    assert after["prompts"] == before["prompts"] == PROMPTS
    assert gains[0]["value"] == pytest.approx(gains[1]["value"], abs=1e-12)
    assert width(gains[0]) != width(gains[1])


def planted(seed: int, *, families: bool) -> dict:
    """A soft judge that never changed, off by another constant on each family in each generator."""
    random = np.random.default_rng(seed)
    made = study(World("planted", (0.6, 0.6)), 120, random)
    codes = made.prompts % FAMILIES
    off = 0.12 * random.normal(size=(FAMILIES, GENERATORS))
    scores = np.clip(made.scores["soft"] + off[codes, made.generators], 0, 1)
    return facts(
        made.ratings,
        scores,
        made.generators,
        codes if families else made.prompts,
        own_prompts=made.prompts if families else None,
    )["drift"]


def test_a_judge_that_never_changed_does_not_drift_where_families_are_clusters():
    by_prompts = sum(planted(seed, families=False)["alarm"] for seed in range(12))
    by_families = sum(planted(seed, families=True)["alarm"] for seed in range(12))
    assert by_prompts >= 4
    assert by_families <= 1


def test_shares_of_contradictions_and_scores_of_sets_draw_families_too(shapes):
    pairs = {f"i{n}": (f"p{n % 40}", n % 8 == 0) for n in range(80)}
    drawn = {f"p{n}": f"\0template {n % 8}" for n in range(40)}
    by_hand = {key: (drawn[prompt], wrong) for key, (prompt, wrong) in pairs.items()}
    assert share_of(pairs, drawn) == share_of(by_hand, {})
    assert share_of(pairs, drawn) != share_of(pairs, {})
    give_families(shapes)
    assert drawn_with(shapes)["p13"] == "\0template 1"
    image = shapes.images.get(key="late-13")
    assert make_figure("one", [make_row(image, 0.5)], [(1.0, 1.0)]).prompts == ("\0template 1",)


def test_what_is_needed_is_told_in_prompts_and_not_in_families():
    found = planted(0, families=True)
    assert found["power"]["prompts_now"] == 120
    assert found["prompts_for_that"] > FAMILIES
