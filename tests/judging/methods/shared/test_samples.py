"""Several samples of one question, worked by hand."""

import pytest

from jurybox_judging.methods.shared.samples import check_samples, combine_samples, spread_of_samples


def test_the_mean_leaves_out_what_could_not_be_read():
    # (1 + 0 + 1) / 3
    assert combine_samples([1.0, None, 0.0, 1.0], "mean") == (pytest.approx(2 / 3), "")


def test_the_majority_is_what_most_say():
    assert combine_samples([2.0, 0.0, 2.0, None], "majority") == (2.0, "")


def test_a_tie_has_no_majority_and_says_between_what():
    value, reason = combine_samples([1.0, 0.0, 1.0, 0.0, 2.0], "majority")
    assert value is None
    assert reason == "the samples are tied between 1 and 0"


def test_nothing_readable_is_no_number():
    assert combine_samples([None, None], "mean") == (None, "no sample could be read")


def test_the_spread_is_the_standard_deviation_of_the_samples():
    # mean 2/3, deviations 1/3, −2/3, 1/3: √((1/9 + 4/9 + 1/9) / 2) = √(1/3)
    told = spread_of_samples([1.0, 0.0, None, 1.0])
    assert told["spread"] == pytest.approx((1 / 3) ** 0.5)
    assert (told["count"], told["scores"]) == (4, [1.0, 0.0, None, 1.0])
    assert spread_of_samples([1.0, None])["spread"] is None


def test_samples_without_a_temperature_would_all_be_alike():
    check_samples(1, 0)
    with pytest.raises(ValueError, match="need a temperature"):
        check_samples(5, 0)
