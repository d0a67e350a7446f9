import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from jurybox_stats.counting import patterns
from jurybox_stats.counting.patterns import Patterns


@given(some.integers(0, 10**6), some.sampled_from([2**62, 40]))
def test_rows_hold_what_was_said_of_their_images(seed, reach):
    """Against a list of each image's answers; with little reach, answers are compared in several steps."""
    rng = np.random.default_rng(seed)
    images, raters, classes = 30, 4, 3
    image = np.r_[np.arange(images), rng.integers(0, images, 50)]
    rater, said = rng.integers(0, raters, image.size), rng.integers(0, classes, image.size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "REACH", reach)
        found = Patterns.from_codes(image, rater, said, raters, classes)
    answers = [sorted((rater * classes + said)[image == one].tolist()) for one in range(images)]
    table = found.given.toarray()
    for one in range(images):
        expected = np.bincount(answers[one], minlength=raters * classes)
        assert table[found.of_image[one]].tolist() == expected.tolist()
    assert len(found.size) == len({tuple(row) for row in answers})
    assert found.size.tolist() == np.bincount(found.of_image).tolist()


def test_who_shares_no_image_is_in_another_group():
    found = Patterns.from_codes(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 3]), None, 4, 1)
    groups = found.groups()
    assert groups[0] == groups[1] == groups[2] != groups[3]
