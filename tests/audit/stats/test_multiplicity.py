import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from audit.stats.multiplicity import benjamini_hochberg, holm

some_p = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def test_three_slices_worked_by_hand():
    # sorted .01 .03 .04.  Holm: 3 * .01, max(.03, 2 * .03), max(.06, .04)
    # BH: min(.03, .045, .04), min(.045, .04), .04
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert benjamini_hochberg([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.04, 0.04])


@given(some_p)
def test_benjamini_hochberg_is_that_of_scipy(p):
    assert benjamini_hochberg(p) == pytest.approx(false_discovery_control(p), abs=1e-12)


@given(some_p)
def test_adjusting_only_raises_keeps_the_order_and_holm_is_the_stricter(p):
    strict, mild = holm(p), benjamini_hochberg(p)
    assert (strict >= mild - 1e-12).all() and (mild >= np.array(p) - 1e-12).all()
    order = np.argsort(p, kind="stable")
    for adjusted in (strict, mild):
        assert (np.diff(adjusted[order]) >= 0).all() and adjusted.max() <= 1
