from jurybox_stats.enough import required, too_few
from jurybox_stats.estimate import Estimate, Undefined


def test_a_slice_below_the_stated_n_shows_no_number():
    few, many = Estimate(0.9, 0.5, 1.0, 12), Estimate(0.9, 0.8, 1.0, 30)
    assert required(few) == Undefined("too few to judge: 12 images, at least 30 needed", 12)
    assert required(many) is many
    assert required(few, at_least=12) is few


def test_a_reason_that_is_already_there_is_kept():
    reason = Undefined("every label is yes", 3)
    assert required(reason) is reason
    assert not too_few(4, at_least=10, what="prompts")
