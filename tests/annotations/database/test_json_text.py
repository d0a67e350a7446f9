"""What a JSON column holds is the same, whichever library wrote or read its text."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.database.json_text import dumped, loaded

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    # With halves of surrogate pairs.
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


@given(PLAIN)
def test_it_says_what_pythons_own_would_say(value):
    assert json.loads(dumped(value)) == value
    assert repr(json.loads(dumped(value))) == repr(json.loads(json.dumps(value)))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_comes_back_to_its_last_bit(number):
    back = loaded(dumped([number]))[0]
    assert back.hex() == number.hex()


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_never_becomes_null(number):
    assert dumped({"score": number}) == json.dumps({"score": number})
    assert "null" not in dumped([number])


def test_keys_that_are_no_text_are_written_as_python_writes_them():
    assert json.loads(dumped({1: "one", None: 2})) == {"1": "one", "null": 2}


def test_a_column_without_a_value_is_none_and_so_is_null():
    assert loaded(None) is None
    assert loaded("null") is None
