import pytest

from audit.narrative import cell


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
