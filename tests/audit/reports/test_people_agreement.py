"""What a report says of people one by one."""

from __future__ import annotations

import numpy as np

from audit.reports.people_agreement import severities


def test_who_answers_as_all_others_has_no_interval_of_no_width():
    images = np.repeat(np.arange(40), 2)
    people = np.tile([0, 1], 40)
    said = severities(images, people, (images % 2).astype(float), images, points=True)
    assert [(said[pk]["value"], said[pk]["low"], said[pk]["high"]) for pk in (0, 1)] == [
        (0.0, None, None)
    ] * 2
