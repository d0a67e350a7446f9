import numpy as np

from audit.paper_tables.dsg import _correlate
from jurybox_stats.estimate import Undefined


def test_where_no_image_has_both_a_rating_and_a_score_there_is_no_correlation_of_none():
    people, scores = np.array([1.0, np.nan]), np.array([np.nan, 0.5])
    assert _correlate(None, people, scores) == Undefined(
        "no image has both a rating and a score", 0
    )


def test_a_correlation_is_of_images_that_have_both():
    people, scores = np.array([1.0, 2.0, np.nan, 4.0]), np.array([0.1, np.nan, 0.3, 0.4])
    assert _correlate(lambda a, b: (a.tolist(), b.tolist()), people, scores) == ([1, 4], [0.1, 0.4])
