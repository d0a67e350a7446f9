import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.stats.consensus import every_atom, majority, mean, share_of_atoms, unanimous

NAN = float("nan")
RATINGS = [[1, 1, 0, NAN, 2], [1, 0, 0, NAN, NAN], [0, NAN, 0, NAN, NAN]]


def same(found, expected):
    assert found == pytest.approx(expected, nan_ok=True)


def test_each_rule_on_one_table_worked_by_hand():
    # units: 1 1 0 | 1 0 - | 0 0 0 | - - - | 2 - -
    same(majority(RATINGS), [1, NAN, 0, NAN, 2])
    same(mean(RATINGS), [2 / 3, 1 / 2, 0, NAN, 2])
    # One answer alone is nobody's agreement.
    same(unanimous(RATINGS), [NAN, NAN, 0, NAN, NAN])


def test_a_prompt_is_right_when_all_its_atoms_are():
    atoms = [[1, 1, NAN], [1, 0, NAN], [NAN, 1, NAN]]
    same(every_atom(atoms), [1, 0, NAN])
    same(share_of_atoms(atoms), [1, 2 / 3, NAN])
    with pytest.raises(ValueError, match="0 or 1"):
        every_atom([[0.5]])


@given(st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.0, NAN]), min_size=4, max_size=4),
                min_size=1, max_size=5), st.randoms())  # fmt: skip
def test_the_order_of_raters_does_not_matter(table, random):
    rules = (majority, mean, unanimous)
    found = [rule(table) for rule in rules]
    random.shuffle(table)
    for rule, before in zip(rules, found, strict=True):
        same(rule(table), before)
    agreed = ~np.isnan(found[2])
    same(found[0][agreed], found[2][agreed])
    same(found[1][agreed], found[2][agreed])
