"""Axes and names of charts over time."""

from __future__ import annotations

from audit.charts.lines import NAME_HEIGHT, end_labels
from audit.charts.style import domain_of


def rows(**values: float) -> list[dict]:
    return [{"judge": name, "value": v, "low": v, "high": v} for name, v in values.items()]


def test_names_never_leave_the_plot_nor_each_other():
    gap = NAME_HEIGHT / 150
    six = rows(a=0.99, b=0.99, c=0.98, d=0.97, e=0.995, f=0.5)
    places = sorted(label["place"] for label in end_labels(six, domain=(0.0, 1.0), height=150))
    assert places[0] == 0.5
    assert places[-1] == 1.0
    assert all(b - a > gap - 1e-9 for a, b in zip(places, places[1:], strict=False))


def test_names_with_room_stand_at_the_ends_of_their_lines():
    labels = end_labels(rows(a=0.2, b=0.8), domain=(0.0, 1.0), height=150)
    assert [label["place"] for label in labels] == [0.2, 0.8]


def test_an_axis_is_the_statistics_own_as_far_as_the_numbers_lie_within():
    assert domain_of("auroc", rows(a=0.93, b=0.61)) == (0.5, 1.0)
    assert domain_of("cohen_kappa", rows(a=0.7)) == (-0.2, 1.0)
    assert domain_of("net_deviation", rows(a=14.0, b=-3.0)) == (-20.0, 20.0)


def test_a_number_beyond_the_axis_is_not_cut_off():
    assert domain_of("auroc", rows(a=0.93, b=0.42)) == (0.4, 1.0)
    assert domain_of("net_deviation", rows(a=47.0)) == (-20.0, 50.0)
    # Exactly at the end of a step there is no need for another.
    assert domain_of("auroc", rows(a=0.4)) == (0.4, 1.0)
