"""The chart of drift: every point lies on it, in the order of dates."""

import pytest

from audit.cards.site.build import WIDTH, drift_chart, drift_rows
from audit.cards.site.read import read_cards
from tests.audit.cards.site.making import write_card


def chart_of(folder, since):
    files = [
        write_card(folder, f"{place}.json", judge=f"Judge {place}", since=day, offset=place - 1.0)
        for place, day in enumerate(since)
    ]
    return drift_chart(drift_rows(read_cards(files)))


def test_points_stand_in_the_order_of_dates_and_above_zero_where_positive(tmp_path):
    chart = chart_of(tmp_path, ["2025-03-01", "2025-01-01", "2025-02-01"])
    # Offsets by date: 0, 1, −1.
    at = [float(point.y) for point in chart.points]
    assert at[0] == float(chart.zero) and at[1] < at[0] < at[2]
    assert [day for _, day in chart.days] == ["2025-01-01", "2025-02-01", "2025-03-01"]
    assert [point.number for point in chart.points] == [1, 2, 3]


def test_forty_judges_of_one_day_all_lie_on_it(tmp_path):
    chart = chart_of(tmp_path, ["2025-03-01"] * 40)
    places = [float(point.x) for point in chart.points]
    assert places == sorted(places) and places[0] > 0 and places[-1] < WIDTH
    assert len(chart.days) == 1
    assert {point.number for point in chart.points} == {0}


def test_without_dates_there_is_no_chart(tmp_path):
    assert chart_of(tmp_path, [None]) is None


@pytest.mark.parametrize(("value", "shown"), [(-0.001, "0.00"), (-0.006, "−0.01"), (0.0, "0.00")])
def test_what_rounds_to_nothing_has_no_sign(value, shown):
    from audit.exhibits import Column

    number = {"value": value, "low": None, "high": None, "n": 9}
    assert Column("value", "value", decimals=2).cell(number).value == shown
