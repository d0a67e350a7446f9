"""Masks as run lengths: COCO's order, nothing lost on the way there and back."""

import numpy as np
import pytest

from jurybox_judging.engines.shared import run_lengths
from jurybox_judging.engines.shared.torch_setup import prepare


def _encoded(*masks):
    return run_lengths.encode(prepare().from_numpy(np.array(masks, dtype=bool)))


def test_runs_go_down_the_columns_and_begin_with_zeros():
    # columns 0 1 1 | 1 0 0 | 0 0 1 : one zero, three ones, four zeros, one one
    mask = np.array([[0, 1, 0], [1, 0, 0], [1, 0, 1]])
    assert _encoded(mask) == [{"size": (3, 3), "counts": [1, 3, 4, 1]}]


def test_a_mask_that_begins_with_a_one_has_no_zeros_first():
    assert _encoded(np.array([[1, 0], [1, 0]]))[0]["counts"] == [0, 2, 2]


def test_empty_and_full_masks_have_one_run_of_each_kind_at_most():
    empty, full = _encoded(np.zeros((2, 3)), np.ones((2, 3)))
    assert empty["counts"] == [6]
    assert full["counts"] == [0, 6]


def test_no_mask_is_no_run():
    assert run_lengths.encode(prepare().zeros((0, 4, 5), dtype=prepare().bool)) == []


def test_every_mask_comes_back_as_it_was():
    masks = np.random.default_rng(1).random((7, 13, 9)) < 0.4
    for mask, lengths in zip(masks, run_lengths.encode(prepare().from_numpy(masks)), strict=True):
        assert np.array_equal(run_lengths.decode(lengths), mask)


def test_runs_that_do_not_add_up_are_refused():
    with pytest.raises(ValueError, match="do not add up to 2 × 2"):
        run_lengths.decode({"size": (2, 2), "counts": [3]})
