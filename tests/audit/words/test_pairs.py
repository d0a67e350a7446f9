import pytest

from audit.words import pairs


@pytest.mark.parametrize(
    ("n", "range_"), [(0, (0, 0)), (4, (0, 4)), (9, (0, 9)), (100, (35, 65)), (400, (170, 230))]
)
def test_heads_lie_within_three_standard_deviations(n, range_):
    # n/2 ± 3·√n/2, and never beyond none or all: 100/2 ± 15, 400/2 ± 30.
    assert pairs.range_by_chance(n) == range_


@pytest.mark.parametrize(("left", "verdict"), [(34, "more uneven"), (35, "as even"), (65, "as even"), (66, "more uneven")])  # fmt: skip
def test_sides_are_even_to_the_ends_of_that_range(left, verdict):
    assert pairs._sides(left, 100) == (
        f"A pair’s first image stood left in {left} of 100 votes: "
        f"{verdict} {'than chance' if verdict.startswith('more') else 'as chance makes it'} "
        "(35 to 65 within three standard deviations)."
    )
