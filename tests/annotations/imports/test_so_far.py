import pytest

from annotations.imports.so_far import in_words


@pytest.mark.parametrize(
    ("read", "expected", "seconds", "words"),
    [
        (1_200, 10_000, 1.5, "1,200 of about 10,000 rows so far, 800 per second, about 11 seconds left."),
        (1_200, None, 1.5, "1,200 rows so far, 800 per second."),
        (5, 100, 60, "5 of about 100 rows so far."),
        (5, 100, 0.01, "5 of about 100 rows so far."),
        (0, None, 0, "0 rows so far."),
        (0, 7, 30, "0 of about 7 rows so far."),
        (1, None, 9, "1 row so far."),
        (0, 1, 9, "0 of about 1 row so far."),
        # As many as were expected, or more: nobody knows what is left.
        (100, 100, 10, "100 rows so far, 10 per second."),
        (1_234, 1_200, 2, "1,234 rows so far, 617 per second."),
        (90_000, 1_234_567, 9, "90,000 of about 1,230,000 rows so far, 10,000 per second, about 2 minutes left."),
        (99, 100, 33, "99 of about 100 rows so far, 3 per second, about 1 second left."),
        (100_000, 10_000_000, 100, "100,000 of about 10,000,000 rows so far, 1,000 per second, about 3 hours left."),
    ],
)  # fmt: skip
def test_speed_and_time_are_said_where_they_are_known(read, expected, seconds, words):
    assert in_words(read=read, expected=expected, seconds=seconds) == words
