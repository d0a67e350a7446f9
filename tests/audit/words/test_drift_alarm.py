import pytest

from audit.words.drift_alarm import beyond_band, drift_alarm, left_since


def est(value, low, high):
    return {"value": value, "low": low, "high": high, "n": 60}


UNDEFINED = {"undefined": "no label yet", "n": 0}
GROWING = est(4.0, 2.0, 6.0)
FLAT = est(0.2, -1.0, 1.4)


@pytest.mark.parametrize(
    ("deviation", "expected"),
    [
        (est(11.2, 9.8, 12.7), True),
        (est(-8.0, -12.0, -4.0), True),
        (est(3.0, 1.0, 5.0), False),
        (est(9.0, -1.0, 19.0), False),
        (UNDEFINED, False),
    ],
)
def test_beyond_the_band_means_three_points_and_an_interval_without_zero(deviation, expected):
    assert beyond_band(deviation) is expected


def test_a_growing_gap_that_is_wide_on_the_newest_generator_raises_the_alarm():
    deviations = [("A", est(0, -2, 2)), ("B", est(5, -1, 9)), ("C", est(12, 8, 16))]
    alarm = drift_alarm(slope=GROWING, deviations=deviations)
    assert alarm.raised
    assert alarm.reason == (
        "Off by +12.0 points (8.0 to 16.0) on C, the newest generator, "
        "moving by +4.0 points a year (2.0 to 6.0)."
    )


@pytest.mark.parametrize(
    ("slope", "newest", "words"),
    [
        (FLAT, est(12, 8, 16), "without a trend"),
        (GROWING, est(1, -1, 3), "but within ±3 points on B: +1.0 points (−1.0 to +3.0)"),
        (FLAT, est(0, -1, 1), "In line with people on B"),
        (GROWING, est(12.5, 0, 25), "too uncertain to call drift"),
        (UNDEFINED, est(12, 8, 16), "No slope: no label yet."),
        # The gap closes: the judge was too lenient and comes nearer to people.
        (GROWING, est(-9, -12, -6), "without a trend"),
    ],
)
def test_without_both_a_trend_and_a_gap_there_is_no_alarm(slope, newest, words):
    alarm = drift_alarm(slope=slope, deviations=[("A", est(0, -1, 1)), ("B", newest)])
    assert not alarm.raised
    assert words in alarm.reason


def test_one_generator_alone_cannot_drift():
    alarm = drift_alarm(slope=GROWING, deviations=[("A", est(12, 8, 16)), ("B", UNDEFINED)])
    assert not alarm.raised
    assert alarm.reason == "Drift needs two generators with a release date, labels and scores."


def test_left_since_is_the_first_generator_after_which_all_are_off_to_one_side():
    off, near, other = est(9, 5, 13), est(1, -1, 3), est(-9, -13, -5)
    assert left_since([("A", off), ("B", near), ("C", off), ("D", off)]) == 2
    assert left_since([("A", other), ("B", off)]) == 1
    assert left_since([("A", off), ("B", near)]) is None
