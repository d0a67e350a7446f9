from datetime import date

import pytest

from audit.stats.deviation import by_generator


def test_two_generators_worked_by_hand():
    # old: people 1 1 0 0, judge 1 0 0 0: 50 and 25 points, too strict by 25
    # new: people 1 1 1 1, judge 1 1 1 0: 100 and 75
    people = [1, 1, 0, 0, 1, 1, 1, 1]
    judge = [1, 0, 0, 0, 1, 1, 1, 0]
    names = ["old"] * 4 + ["new"] * 4
    rows = by_generator(
        people, judge, names, clusters=[1, 2, 3, 4] * 2, resamples=100,
        released={"old": "2022-01-01", "new": date(2024, 1, 1)},
    )  # fmt: skip
    assert [row.generator for row in rows] == ["old", "new"]
    assert [row.net_deviation.value for row in rows] == [25.0, 25.0]
    assert (rows[0].human_score.value, rows[0].judge_score.value) == (50.0, 25.0)
    assert rows[1].released == date(2024, 1, 1) and rows[1].images == 4
    assert rows[0].net_deviation.low <= 25 <= rows[0].net_deviation.high


def test_a_generator_without_a_release_date_comes_last():
    rows = by_generator([1, 0, 1, 0], [1, 0, 0, 0], ["a", "a", "b", "b"],
                        clusters=[1, 2, 1, 2], released={"b": "2023-01-01"}, resamples=50)  # fmt: skip
    assert [(row.generator, row.released) for row in rows] == [("b", date(2023, 1, 1)), ("a", None)]
    assert rows[1].judge_score.value == pytest.approx(50)
