import numpy as np
import pytest

from annotations import consensus

NAN = np.nan
#            all alike, majority, draw, one person, nobody
RATINGS = np.array([[1, 1, 1, 1, NAN], [1, 1, 0, NAN, NAN], [1, 0, NAN, NAN, NAN]])


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("majority", [1, 1, NAN, 1, NAN]),
        ("mean", [1, 2 / 3, 0.5, 1, NAN]),
        ("unanimous", [1, NAN, NAN, NAN, NAN]),
        ("adjudicated", [1, 1, NAN, 1, NAN]),
    ],
)
def test_a_named_rule(rule, expected):
    assert consensus.reference(rule, RATINGS) == pytest.approx(expected, nan_ok=True)


def test_a_decision_holds_over_the_majority_and_over_nothing():
    decisions = np.array([NAN, 0, 1, NAN, 0])
    found = consensus.reference("adjudicated", RATINGS, decisions=decisions)
    assert found == pytest.approx([1, 0, 1, 1, 0], nan_ok=True)


def test_an_unknown_rule_names_those_that_there_are():
    with pytest.raises(ValueError, match="majority, mean, unanimous, adjudicated"):
        consensus.reference("loudest", RATINGS)


def test_a_prompt_is_right_when_all_its_atoms_are():
    #                 all yes, one no, fewer atoms, an open one, open and one no, none
    atoms = np.array([[1, 1, 1, np.inf, np.inf, NAN], [1, 0, NAN, 1, 0, NAN]])
    assert consensus.every_atom(atoms) == pytest.approx([1, 0, 1, NAN, 0, NAN], nan_ok=True)
