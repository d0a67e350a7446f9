"""Anchors have equal chances and every stratum its share."""

from collections import Counter

import numpy as np
import pytest

from annotations.errors import StudyRefused
from audit.anchors.draw import _levels, make_anchors, spread
from tests import making

pytestmark = pytest.mark.django_db


def test_strata_have_their_share_as_near_as_whole_images_allow():
    strata = [(number % 7 // 3, number % 3) for number in range(1_000)]
    of = Counter(strata)
    for seed in range(5):
        taken = spread(strata, 100, seed)
        assert len(set(taken)) == 100
        got = Counter(strata[place] for place in taken)
        assert all(abs(got[one] - of[one] / 10) < 1 for one in of)


def test_every_image_has_the_same_chance():
    strata = [(number % 3,) for number in range(10)]
    hits = Counter(place for seed in range(4_000) for place in spread(strata, 4, seed))
    # 4 in 10; the standard error is .0077.
    assert all(abs(hits[place] / 4_000 - 0.4) < 4 * 0.0077 for place in range(10))


def test_all_images_can_be_anchors():
    assert spread([(0,)] * 5, 5, 0) == [0, 1, 2, 3, 4]


def test_levels_are_thirds_by_rank_and_unknown_is_one_of_its_own():
    assert _levels(np.array([0.1, np.nan, 0.9, 0.5])) == [0, -1, 2, 1]
    assert _levels(np.array([np.nan, np.nan])) == [-1, -1]
    # Yes and no, half each: two levels.
    assert len(set(_levels(np.array([0.0, 1.0] * 6)))) == 2


def test_a_second_set_is_another_draw_and_the_first_stays(alice):
    study = making.study("drawn", prompts=20)
    making.scores(study, {f"early-{number}": number / 20 for number in range(20)})
    making.labels(study, {f"late-{number}": {"bob": number % 2} for number in range(20)})
    one = make_anchors(study=study, count=10, by=alice.user)
    kept = set(one.images.values_list("image", flat=True))
    two = make_anchors(study=study, count=10)
    assert (one.count, one.of, one.seed, two.seed) == (10, 40, 0, 1)
    assert set(two.images.values_list("image", flat=True)) != kept
    assert set(one.images.values_list("image", flat=True)) == kept
    # Half of the images are of each generator.
    assert one.images.filter(image__generator__name="early").count() == 5


@pytest.mark.parametrize("count", [0, 9, -1])
def test_more_anchors_than_images_are_refused(study, count):
    with pytest.raises(StudyRefused, match="the study has 8 images with a picture"):
        make_anchors(study=study, count=count)
