"""Without their weights, labels of a draw by uncertainty say something else than people would say of all
images, however many draws are made; with them they do not."""

import numpy as np

from jurybox_stats import assisted
from jurybox_stats.draws import drawn_sample


def test_only_weights_make_the_mean_of_uncertain_images_that_of_all(capsys):
    # 240 images; a quarter is unsure (0.5), and people say no to it; of the others (0.98) they say yes.
    said = np.array([0.0] * 60 + [1.0] * 180)
    judge = np.where(said == 1, 0.98, 0.5)
    chances = assisted.inclusion(np.sqrt(judge * (1 - judge)), 80)
    prompts = np.arange(240)
    plain, weighted, held = [], [], 0
    for seed in range(400):
        taken = drawn_sample.systematic(chances, [seed])
        found = drawn_sample.mean(np.where(taken, said, np.nan), chances, prompts)
        plain.append(said[taken].mean())
        weighted.append(found.value)
        held += found.low <= 0.75 <= found.high
    error = np.std(weighted) / 20
    with capsys.disabled():
        print(
            f"\npeople say yes to 75.0 % of all; mean of 400 draws: {100 * np.mean(plain):.1f} % "
            f"unweighted, {100 * np.mean(weighted):.1f} % weighted (its error {100 * error:.2f}); "
            f"{held} of 400 intervals hold 75 %"
        )
    # Chances: u = .5 and .14, mean .23; mixed 1.587 and .804, so .529 of 80 / 240 and .268; of those drawn
    # .268 * 180 / 80 = .603 say yes.
    assert abs(np.mean(plain) - 0.603) < 0.01
    assert abs(np.mean(weighted) - 0.75) < 4 * error
    assert abs(np.mean(plain) - 0.75) > 20 * error
