"""A formula computes what it says, and nothing else can be written in it."""

import pytest

from jurybox_judging.methods.shared.formula import LONGEST, NoValue, parse


@pytest.mark.parametrize(
    ("text", "numbers", "value"),
    [
        # VIEScore: √(min(4, 9) · min(16, 25)) = √64
        ("sqrt(min(sc1, sc2) * min(pq1, pq2))", {"sc1": 4, "sc2": 9, "pq1": 16, "pq2": 25}, 8),
        # WiScore: (0.7·2 + 0.2·1 + 0.1·0) / 2
        ("(0.7 * c + 0.2 * r + 0.1 * a) / 2", {"c": 2, "r": 1, "a": 0}, 0.8),
        ("mean(points)", {"points": [1, 0, 1, 1]}, 0.75),
        ("min(points) - max(points, 3) / 2", {"points": [1, 2]}, -0.5),
        ("-a + +b", {"a": 1, "b": 3}, 2),
        ("mean(a, b * 2, 3)", {"a": 1, "b": 1}, 2),
        ("2 - 1 - 1", {}, 0),
    ],
)
def test_a_formula_worked_by_hand(text, numbers, value):
    assert parse(text).value(numbers) == pytest.approx(value)


def test_a_formula_tells_its_names():
    assert parse("a + min(b, a) * sqrt(c)").names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("text", "numbers", "why"),
    [
        ("a / b", {"a": 1, "b": 0}, "divides by 0"),
        ("sqrt(a)", {"a": -4}, "the root of -4 is no number"),
        ("a * a * a", {"a": 1e200}, "becomes too large"),
        ("mean(points)", {"points": []}, "nothing to take the mean of"),
        ("points + 1", {"points": [1]}, "stands for several numbers"),
    ],
)
def test_where_there_is_no_value_the_reason_is_said(text, numbers, why):
    with pytest.raises(NoValue, match=why):
        parse(text).value(numbers)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "a b",
            "a **",
            "min",
            "min + 1",
            "sqrt",
            "[1]",
            "'a' * 9",
            "True",
            "1j",
            "None",
            "...",
        ),
        *("a ** b", "a // b", "a % b", "a < b", "not a", "a if b else c", "a and b", "(a := 1)"),
        *("a.b", "a[0]", "().__class__", "lambda: 1", "[a for a in b]", "{a}", "f'{a}'", "await a"),
        *("__import__('os')", "open('x')", "f(1)", "min()", "min(*a)", "min(a=1)", "sqrt(1, 2)"),
        *("a; b", "import os", "a\nb", "1e999", "9" * 400, "a" * 41, "\u00e4", "a\0b"),
        *("-" * 300 + "1", "(" * 240 + "1" + ")" * 240, "a" + "+a" * LONGEST, "(a)(b)"),
    ],
)
def test_nothing_else_can_be_written(text):
    with pytest.raises(ValueError, match=r"formula|does not give|nested"):
        parse(text)
