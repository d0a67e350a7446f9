import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox_stats.multiplicity import benjamini_hochberg, holm

some_p = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def test_three_slices_worked_by_hand():
    # sorted .01 .03 .04: 3 * .01, max(.03, 2 * .03), max(.06, .04)
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_two_tests_that_the_data_chose_out_of_six_count_as_six():
    # sorted .001 .02: 6 * .001, 5 * .02
    assert holm([0.02, 0.001], tests=6) == pytest.approx([0.1, 0.006])
    # As if the other four had told nothing.
    assert holm([0.02, 0.001, 1, 1, 1, 1])[:2] == pytest.approx([0.1, 0.006])
    with pytest.raises(ValueError, match="no more p-values"):
        holm([0.02, 0.001], tests=1)


def test_the_share_of_false_alarms_worked_by_hand():
    # sorted .01 .03 .04 .5: 4 * .01 / 1 and .03 * 4 / 2, which is more than .04 * 4 / 3; then .5
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.5]) == pytest.approx(
        [0.04, 0.16 / 3, 0.16 / 3, 0.5]
    )


@given(some_p)
def test_adjusting_only_raises_and_keeps_the_order(p):
    adjusted = holm(p)
    assert (adjusted >= np.array(p) - 1e-12).all() and adjusted.max() <= 1
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
