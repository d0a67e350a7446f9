"""Assisted scores where labels are missing: hidden at random, or drawn and not given yet."""

from dataclasses import replace

import numpy as np
import pytest

from audit.reports import human_scores
from audit.reports.pairing import pair
from tests import making
from tests.bench import hidden_labels

pytestmark = pytest.mark.django_db


@pytest.mark.nightly("smaller studies are held beside it")
def test_most_of_the_demos_labels_hidden_the_assisted_score_still_holds_the_whole(
    settings, tmp_path, capsys
):
    settings.VAR_DIR = tmp_path
    demo = hidden_labels.demo_study(prompts=50, generators=2, size=128)
    found = hidden_labels.hidden(demo, seeds=40)
    assert found.each >= 0.93
    assert found.narrower > 1.1
    # Twenty images that people all answered alike.
    assert found.undefined <= 2


def test_an_image_that_was_drawn_and_waits_makes_the_labelled_ones_count_more(study):
    # Of eight images four were drawn, one chance in two each; two of these have labels by now.
    making.labels(study, {"early-0": {"ann": 1}, "late-0": {"ann": 0}, "early-3": {"ann": 1}})
    people = pair(study=study, question="aligned").people
    place = {key: number for number, key in enumerate(people.images.tolist())}
    drawn = np.isin(people.images, ["early-0", "late-0", "early-1", "late-1", "early-3"])
    certain = people.images == "early-3"
    chances = np.where(certain, 1.0, 0.5)
    chances[place["late-3"]] = 0.0
    people = replace(people, chances=chances, drawn=drawn, certain=certain)
    everything = np.ones(8, dtype=bool)
    said, counted = human_scores.chances_at(people, people.majority, everything)
    # Two of the four that were left to chance: one in two times one in two.
    assert counted[place["early-0"]] == counted[place["early-1"]] == 0.25
    # What had labels before counts once, and what could not be drawn not at all.
    assert (counted[place["early-3"]], counted[place["late-3"]]) == (1.0, 0.0)
    assert np.isnan(said[place["early-1"]])
    # The certain one counts once, the drawn ones four times each: (1 + 4) / (1 + 4 + 4).
    found = human_scores.weighted(people, people.majority, everything)
    weights = np.where(np.isnan(said), 0, 1 / np.where(counted > 0, counted, 1))
    assert weights.tolist().count(4.0) == 2
    assert found.value == pytest.approx(100 * 5 / 9)


def test_a_certain_image_without_this_label_cannot_be_stood_in_for(study):
    making.labels(study, {"early-0": {"ann": 1}, "late-0": {"ann": 0}})
    people = pair(study=study, question="aligned").people
    certain = np.isin(people.images, ["early-0", "late-0", "early-1"])
    people = replace(people, chances=certain * 1.0, drawn=certain, certain=certain)
    _, counted = human_scores.chances_at(people, people.majority, np.ones(8, dtype=bool))
    assert dict(zip(people.images.tolist(), counted.tolist(), strict=True))["early-1"] == 0.0
