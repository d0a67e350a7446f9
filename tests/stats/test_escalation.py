"""From which confidence on a judge's verdicts may stand; the vectors are in tests/vectors."""

from __future__ import annotations

import pytest

from jurybox_stats import escalation


@pytest.mark.parametrize(("images", "threshold"), [(29, 0.8), (28, None)])
def test_a_tenth_at_risk_takes_29_images_without_an_error(images, threshold):
    """.9^29 = .047 is at most .05, .9^28 = .052 is not."""
    found = escalation.threshold([0.8] * images, [1] * images, risk=0.1, level=0.05)
    assert found.threshold == threshold


def test_the_first_threshold_that_fails_ends_the_walk():
    """Sure and wrong: that the rest is right helps nothing."""
    confidence = [0.9] * 40 + [0.5] * 1000
    agrees = [1] * 20 + [0] * 20 + [1] * 1000
    found = escalation.threshold(confidence, agrees)
    assert (found.threshold, found.reason) == (None, "the strictest threshold fails")


def test_nothing_labelled_is_no_number():
    assert escalation.threshold([], []).reason == "no labelled image"


def test_an_agreement_is_yes_or_no():
    with pytest.raises(ValueError, match="labels must be 0 or 1"):
        escalation.threshold([0.5], [0.7])
