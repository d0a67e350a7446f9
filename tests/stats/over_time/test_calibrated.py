"""A score read on people's scale, fitted on other prompts."""

import numpy as np
import pytest

from jurybox_stats.over_time.calibrated import out_of_fold


def test_a_prompt_is_never_read_from_a_fit_that_saw_it():
    # Ten prompts, one image each: the fit without prompts 0 and 5 has no score of 0.
    given = np.repeat([0.0, 1.0, 2.0, 3.0, 4.0], [1, 2, 2, 2, 3])
    target = np.array([9.0, 0, 0, 1, 1, 2, 2, 3, 3, 3])
    read = out_of_fold(target, given, np.ones(10, bool), np.arange(10))
    assert read[0] == pytest.approx(0)
    # Prompt 2 without itself and prompt 7: a fit never falls, so the 9 is pooled with what follows it
    # until the mean of that, 3, is higher.
    assert read[2] == pytest.approx(np.mean([9, 0, 1, 1, 2, 2]))
