"""A value of an outside file fits its shape, or the first part that does not is named."""

import pytest

from jurybox_formats.sources.shapes import is_count, is_day, misfit

SHAPE = {"name": str, "days": [(None, is_day)], "more?": {str: {"n": is_count}}, "kind": ("a", 1)}
WHOLE = {"name": "", "days": [None, "2026-02-28"], "more": {"x?": {"n": 0}}, "kind": 1}


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ({}, ""),
        ({"name": 3}, "name cannot be 3"),
        ({"days": {}}, "days cannot be {}"),
        ({"days": [None, "2026-02-30"]}, "days[1] cannot be '2026-02-30'"),
        ({"more": None}, "more cannot be None"),
        ({"more": {"x?": {}}}, "more.x?.n is missing"),
        ({"more": {"x": {"n": True}}}, "more.x.n cannot be True"),
        ({"kind": True}, "kind cannot be True"),
    ],
)
def test_the_first_part_of_another_kind_is_named(harm, words):
    assert misfit(WHOLE | harm, SHAPE) == words
    assert misfit([], SHAPE) == "the whole cannot be []"
    assert misfit({"name": ""}, SHAPE) == "days is missing"
