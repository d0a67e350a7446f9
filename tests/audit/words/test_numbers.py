import pytest

from audit.statistic_names import MAIN
from audit.words import report
from audit.words.numbers import Cell, cell, make_cell, per_hundred, with_interval


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("net_deviation", 11.24, "+11.2"),
        ("net_deviation", -6.5, "−6.5"),
        ("net_deviation", -0.04, "0.0"),
        ("net_deviation", 0.04, "0.0"),
        ("auroc", 0.94567, "0.946"),
        ("cohen_kappa", -0.1, "−0.100"),
        ("human_score", 72.5, "72.5"),
    ],
)
def test_numbers_are_shown_with_the_places_of_their_kind(name, value, shown):
    estimate = {"value": value, "low": value, "high": value, "n": 9}
    assert cell(name, estimate).value == shown


def test_what_is_undefined_is_shown_as_its_reason():
    shown = cell("auroc", {"undefined": "people gave one answer only", "n": 4})
    assert (shown.value, shown.undefined, shown.n) == ("", "people gave one answer only", 4)


def test_decimals_grow_until_the_interval_shows_unless_they_are_fixed():
    narrow = {"value": 1234.5, "low": 1234.48, "high": 1234.52, "n": 9}
    assert make_cell(narrow, 1).in_words() == "1,234.50 (1,234.48 to 1,234.52)"
    assert make_cell(narrow, 1, fixed=True).in_words() == "1234.5 (1234.5 to 1234.5)"
    without_width = {"value": 2.0, "low": 2.0, "high": 2.0, "n": 9}
    assert make_cell(without_width, 1).in_words(" s") == "2.0 s"


def test_a_text_among_numbers_stands_as_it_is():
    assert make_cell({"text": "drifts"}, 2) == Cell("drifts")


def test_an_interval_says_its_sign_once():
    sure = {"value": 11.2, "low": 9.8, "high": 12.7, "n": 9}
    unsure = {"value": 1.2, "low": -3.4, "high": 5.0, "n": 9}
    assert with_interval("net_deviation", sure) == "+11.2 points (9.8 to 12.7)"
    assert with_interval("net_deviation", unsure) == "+1.2 points (−3.4 to +5.0)"
    assert with_interval("auroc", unsure) == "1.200 (−3.400 to 5.000)"


def test_a_narrow_interval_has_more_decimals_and_one_without_width_is_none():
    narrow = {"value": 0.96, "low": 0.95998, "high": 0.96003, "n": 9}
    near_zero = {"value": 0.04, "low": 0.01, "high": 0.08, "n": 9}
    alike = {"value": 20.0, "low": 20.0, "high": 20.0, "n": 4}
    assert with_interval("auroc", narrow) == "0.96000 (0.95998 to 0.96003)"
    assert with_interval("net_deviation", near_zero) == "+0.04 points (0.01 to 0.08)"
    assert with_interval("net_deviation", alike) == "+20.0 points (no interval)"
    # The same number but for what a sum leaves behind its last digits.
    nearly = {"value": 25.0, "low": 25.0, "high": 25.000000000000004, "n": 4}
    assert nearly["low"] != nearly["high"]
    assert with_interval("net_deviation", nearly) == "+25.0 points (no interval)"
    few = {"value": 0.9, "low": None, "high": None, "n": 9, "no_interval": "too few to tell"}
    assert with_interval("auroc", few) == "0.900 (no interval, too few to tell)"
    assert per_hundred(near_zero) == "4.0 (1.0 to 8.0)"


def test_a_number_without_an_interval_has_no_brackets():
    alone = {"value": 0.889, "low": None, "high": None, "n": 40}
    assert cell("auroc", alone).in_words() == "0.889"
    assert cell("auroc", {**alone, "low": 0.8, "high": 0.95}).in_words(" s") == (
        "0.889 s (0.800 to 0.950)"
    )
    stats = {"n": 40, **dict.fromkeys(("human_score", "judge_score", *MAIN), alone)}
    line = report._line({"name": "early", "release_date": None}, stats)
    assert line[:3] == ["early", "", "40"]
    assert "0.889" in line and not any("(" in one for one in line)
