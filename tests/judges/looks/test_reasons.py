"""Why a picture has no score is always told."""

import pytest

from jurybox_judging.ask_engine import reason_of


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("It has no words."), "It has no words."),
        (ValueError(), "The judge failed on this image: ValueError"),
        (AssertionError(), "The judge failed on this image: AssertionError"),
        (KeyError("a"), "The judge failed on this image: KeyError: 'a'"),
        (MemoryError(), "This picture alone is too large for the memory."),
    ],
)
def test_an_error_without_words_is_a_reason_all_the_same(error, reason):
    assert reason_of(error) == reason


def test_a_picture_that_is_too_large_is_no_fault_that_a_trace_explains(caplog):
    reason_of(MemoryError())
    assert not caplog.records
