"""PLACEHOLDER by the app's engineer: stats engineer, please replace with your own, keep this API.

cross_validated(labels, scores, *, groups, folds=5, seed=0) -> CrossValidated | Undefined
"""

from dataclasses import dataclass

import numpy as np

from audit.stats.estimate import Undefined


@dataclass(frozen=True)
class CrossValidated:
    thresholds: tuple[float, ...]  # one per fold
    verdicts: np.ndarray  # 0/1 per item, by the threshold chosen on the other folds


def cross_validated(labels, scores, *, groups, folds=5, seed=0):
    labels, scores = np.asarray(labels, float), np.asarray(scores, float)
    names, codes = np.unique(groups, return_inverse=True)
    if len(names) < folds or len(set(labels)) < 2:
        return Undefined("too few prompts, or only one answer, to choose a threshold", len(labels))
    fold = np.random.default_rng(seed).permutation(len(names))[codes] % folds
    verdicts, cuts = np.empty(len(labels)), []
    for k in range(folds):
        train = fold != k
        candidates = np.unique(scores[train])
        agree = [((scores[train] >= c) == labels[train]).mean() for c in candidates]
        cut = float(candidates[int(np.argmax(agree))])
        cuts.append(cut)
        verdicts[~train] = scores[~train] >= cut
    return CrossValidated(tuple(cuts), verdicts)
