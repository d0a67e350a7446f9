"""What a report says of people one by one."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from audit.reports.bootstrap import draw_of
from audit.reports.options import Options
from audit.reports.people_agreement import alphas_of, severities


def test_who_answers_as_all_others_has_no_interval_of_no_width():
    images = np.repeat(np.arange(40), 2)
    people = np.tile([0, 1], 40)
    said = severities(images, people, (images % 2).astype(float), images, points=True)
    assert [(said[pk]["value"], said[pk]["low"], said[pk]["high"]) for pk in (0, 1)] == [
        (0.0, None, None)
    ] * 2


@pytest.mark.parametrize("answers", [[0.0, 1.0], [1.0, 2.0, 5.0]])
def test_each_level_of_alpha_is_what_it_is_by_itself(answers):
    table = np.random.default_rng(4).choice([*answers, np.nan], size=(3, 90))
    several = (~np.isnan(table)).sum(axis=0) > 1
    prompts = np.arange(90) % 30
    draw = draw_of(prompts[several], Options())
    for level, found in alphas_of(table, prompts, Options()).items():
        alone = draw.krippendorff_alpha(table[:, several], level)
        assert astuple(found) == pytest.approx(astuple(alone), rel=1e-12)
