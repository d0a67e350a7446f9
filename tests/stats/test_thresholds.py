import numpy as np

from jurybox_stats.thresholds import cross_validated


def test_the_best_threshold_worked_by_hand():
    # noes at 1 2 4, yeses at 3 5: from 3 on four of five are right, from 5 on four as well
    assert cross_validated([0, 0, 1, 0, 1], [1, 2, 3, 4, 5], folds=2).threshold == 3


def test_a_judge_that_is_better_never_saying_yes_gets_a_threshold_above_all_scores():
    assert cross_validated([0, 0, 1, 0], [1, 2, 0, 3], folds=2).threshold > 3


def test_no_image_is_judged_at_a_threshold_that_its_own_prompt_chose():
    rng = np.random.default_rng(0)
    prompt = np.repeat(np.arange(25), 4)
    labels = rng.integers(0, 2, 100)
    scores = labels + rng.normal(size=100)
    found = cross_validated(labels, scores, groups=prompt, seed=3)
    assert len(found.by_fold) == found.folds == 5
    for p in range(25):
        # All images of a prompt lie in one fold, so one of its thresholds explains them all.
        inside = prompt == p
        assert any(((scores[inside] >= t) == found.verdicts[inside]).all() for t in found.by_fold)
    assert found.agreement.value == (found.verdicts == labels).mean()
    again = cross_validated(labels, scores, groups=prompt, seed=3)
    assert again.by_fold == found.by_fold


def test_cross_validation_does_not_flatter_a_judge_that_guesses():
    rng = np.random.default_rng(1)
    tuned, held_out = [], []
    for life in range(60):
        labels, scores = rng.integers(0, 2, 40), rng.normal(size=40)
        if labels.min() == labels.max():
            continue
        found = cross_validated(labels, scores, seed=life)
        held_out.append(found.agreement.value)
        tuned.append(((scores >= found.threshold) == labels).mean())
    assert np.mean(held_out) < 0.53 < 0.58 < np.mean(tuned)
