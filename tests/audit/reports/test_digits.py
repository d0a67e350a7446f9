"""No digit of a report depends on what people and images are called, or on who gave which answer."""

import json
from dataclasses import replace
from datetime import date
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.models import Image
from audit.people import agreement as people_agreement
from audit.reports import make
from audit.reports.pairing import JudgeScores, Paired, People
from jurybox_formats.forms.scales import Scale
from jurybox_stats.resampling.small_samples import MOST_LEFT_OUT
from tests import making

PROMPTS, RATERS = 7, 4
GENERATORS = ("old", "new")
SCALES = {
    "yes/no": ([0.0, 1.0], Scale("yes/no", 0, 1)),
    "tenths": ([0.1, 0.2, 0.3, 0.4, 0.6, 0.7], Scale("number", 0.1, 0.7)),
    "Likert": ([1.0, 2.0, 3.0, 4.0, 5.0], Scale("rating", 1, 5)),
}


def study_of(seed: int, scale: str, prompts: int = PROMPTS) -> Paired:
    rng = np.random.default_rng(seed)
    n = prompts * 4
    values, known = SCALES[scale]
    ratings = rng.choice(values, size=(RATERS, n))
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    level = np.nan_to_num(np.nanmean(np.vstack([ratings, np.full(n, values[0])]), axis=0))
    people = People(
        study="shapes",
        question="aligned",
        scale=known,
        images=np.array([f"i{number:02}" for number in range(n)], dtype=object),
        prompts=np.arange(n) % prompts,
        generators=rng.integers(0, 2, n),
        variants=rng.choice(np.array(["original", "rewritten"], dtype=object), n),
        tags=tuple((f"tag {number % prompts % 2}",) for number in range(n)),
        atomicity=(np.arange(n) % prompts % 3).astype(float),
        generator_names=GENERATORS,
        release_dates=(date(2021, 1, 1), date(2024, 1, 1)),
        ratings=ratings,
        raters=tuple(f"r{number}" for number in range(RATERS)),
        forms=frozenset({"form 1"}),
        annotations=n,
        simulated=False,
    )
    nothing = np.array([], dtype=float)
    judges = []
    for name in ("first", "second"):
        scores = np.clip(level / values[-1] + 0.3 * rng.normal(size=n), 0, 1)
        judges.append(
            JudgeScores(
                name=name,
                fingerprint=f"{name}-1",
                facts={"name": name},
                release_date=date(2022, 1, 1),
                scores=scores,
                verdicts=np.full(n, np.nan),
                failed=np.zeros(n, bool),
                atom_kinds=np.array([], dtype=object),
                atom_scores=nothing,
                atom_labels=nothing,
                atom_prompts=np.array([], dtype=np.int64),
            )
        )
    return Paired(people, tuple(judges))


def reordered(paired: Paired, order: np.ndarray, raters: np.ndarray, prompts: np.ndarray) -> Paired:
    """Images, people and prompts under other names, and so in another order."""
    people = paired.people
    renamed = replace(
        people,
        prompts=prompts[people.prompts[order]],
        generators=people.generators[order],
        variants=people.variants[order],
        tags=tuple(people.tags[place] for place in order),
        atomicity=people.atomicity[order],
        ratings=people.ratings[np.ix_(raters, order)],
    )
    judges = tuple(
        replace(
            judge,
            scores=judge.scores[order],
            verdicts=judge.verdicts[order],
            failed=judge.failed[order],
        )
        for judge in paired.judges
    )
    return Paired(renamed, judges)


def split(paired: Paired, who: int, rng: np.random.Generator) -> Paired:
    """One person's answers as if two had given them."""
    people = paired.people
    first = rng.random(people.ratings.shape[1]) < 0.5
    one, other = (np.where(half, people.ratings[who], np.nan) for half in (first, ~first))
    ratings = np.vstack([np.delete(people.ratings, who, axis=0), one, other])
    raters = tuple(f"s{number}" for number in range(len(ratings)))
    return Paired(replace(people, ratings=ratings, raters=raters), paired.judges)


def body_of(paired: Paired, monkeypatch) -> str:
    """The whole body, less what names people and images themselves."""
    source = SimpleNamespace(
        slug="shapes",
        simulated=False,
        asked=[],
        questions=lambda: ["aligned"],
        text_answers=dict,
        pair=lambda question, **asked: paired,
    )
    progress = SimpleNamespace(expect=lambda parts: None, step=lambda: None)
    body = make.Computation(source, make.Options(resamples=60), progress).body
    del body["signature"]["data"], body["missing"]["named"], body["people"]["raters"]
    # A person who is split in two is compared as two people.
    del body["people"]["each_rater"], body["people"]["icc_2k"], body["people"]["weighted_kappa"]
    for judge in body["judges"].values():
        # A test of each person: who gave which answers is what it asks.
        del judge["by_person"], judge["overall"]["alt_test"]
    return json.dumps(body, sort_keys=True)


@pytest.mark.parametrize("scale", SCALES)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_renaming_reordering_and_splitting_change_no_digit(scale, seed):
    paired = study_of(seed, scale)
    rng = np.random.default_rng(seed + 1)
    with pytest.MonkeyPatch.context() as patch:
        assert body_of(renamed(paired, rng), patch) == body_of(paired, patch)


def renamed(paired: Paired, rng: np.random.Generator) -> Paired:
    prompts = int(paired.people.prompts.max()) + 1
    sizes = (paired.people.prompts.size, RATERS, prompts)
    orders = (rng.permutation(size) for size in sizes)
    return split(reordered(paired, *orders), int(rng.integers(RATERS)), rng)


@pytest.mark.parametrize("scale", SCALES)
def test_nor_with_so_many_prompts_that_a_bootstrap_draws_them(scale, monkeypatch):
    paired = study_of(5, scale, prompts=MOST_LEFT_OUT + 10)
    other = renamed(paired, np.random.default_rng(6))
    assert body_of(other, monkeypatch) == body_of(paired, monkeypatch)


def test_nor_where_many_prompts_have_one_score_and_one_answer(monkeypatch):
    # The threshold of some images is then chosen on others, by which fold each prompt is in.
    paired = study_of(7, "Likert", prompts=15)
    alone = replace(paired.people, prompts=np.arange(60))
    steps = (replace(judge, scores=np.round(2 * judge.scores) / 2) for judge in paired.judges)
    paired = Paired(alone, tuple(steps))
    other = renamed(paired, np.random.default_rng(1))
    assert body_of(other, monkeypatch) == body_of(paired, monkeypatch)


def stored(slug: str, seed: int, values: list[float], *, otherwise: bool) -> dict:
    """A study in the database and its report; `otherwise`: with other names of images and people, so
    in another order, its labels in two parts and backwards, one person's answers as if two had given
    them."""
    rng = np.random.default_rng(seed)
    prompts = 8
    keys = [f"{made}-{number}" for made in ("early", "late") for number in range(prompts)]
    given = {key: rng.choice(values, size=3) for key in keys}
    scores = {key: float(rng.random()) for key in keys}
    study = making.study(slug, prompts=prompts, files=False)
    called = dict(zip(keys, keys, strict=True))
    if otherwise:
        called = {key: f"z{99 - place:02}" for place, key in enumerate(rng.permutation(keys))}
        for image in Image.objects.filter(study=study):
            Image.objects.filter(pk=image.pk).update(key=called[image.key])
    labels = [
        (called[key], rater(key, who) if otherwise else f"r{who}", float(value))
        for key in keys
        for who, value in enumerate(given[key])
    ]
    for part in (labels[::-1][:11], labels[::-1][11:]) if otherwise else (labels,):
        by_image: dict[str, dict[str, float]] = {}
        for image, name, value in part:
            by_image.setdefault(image, {})[name] = value
        making.labels(study, by_image, question="fit")
    making.scores(study, {called[key]: score for key, score in scores.items()})
    options = make.Options(question="fit", resamples=60)
    return make.make_report(study=study, options=options).body


def rater(key: str, who: int) -> str:
    """The first person under another name, the second as two people, the third as before."""
    return ("Zoe", f"half-{int(key[-1]) % 2}", "r2")[who]


def without_names(body: dict) -> str:
    del body["study"], body["signature"]["data"], body["missing"]["named"]
    del body["people"]["raters"], body["people"]["each_rater"]
    # A person who is split in two has sent twice as many forms, and is compared as two people.
    del body["people"]["annotations"], body["people"]["icc_2k"], body["people"]["weighted_kappa"]
    for judge in body["judges"].values():
        del judge["by_person"]
    return json.dumps(body, sort_keys=True)


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("scale", SCALES)
def test_a_whole_report_depends_on_no_name_and_no_order(scale, seed):
    values = SCALES[scale][0]
    before = stored("one", seed, values, otherwise=False)
    after = stored("two", seed, values, otherwise=True)
    assert len(before["judges"]["some-judge"]["overall"]) > 10
    assert without_names(after) == without_names(before)


@pytest.mark.django_db
def test_one_alpha_has_one_interval_on_the_page_of_people_and_in_the_report():
    # Prompts whose keys sort otherwise than they were written, one of them without two answers.
    study = making.study(prompts=12)
    rng = np.random.default_rng(0)
    given_answers = {
        image.key: {name: int(rng.integers(0, 2)) for name in ("ann", "ben", "cat")}
        for image in study.images.order_by("-pk")
        if image.key not in ("early-3", "late-3")
    }
    making.labels(study, {**given_answers, "late-3": {"ann": 1}})
    report = make.compute(study, make.Options())[0]["people"]
    page = people_agreement.body_of(study)
    row = next(row for row in page["questions"] if row["question"] == "aligned")
    for level in ("nominal", "ordinal", "interval"):
        assert row["alpha"][level] == report["krippendorff_alpha"][level]
    assert row["percent"]["value"] == report["percent_agreement"]["value"]
    assert row["unanimous"] == report["unanimous"]
