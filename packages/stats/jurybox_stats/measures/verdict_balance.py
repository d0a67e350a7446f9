"""Verdicts where one answer is far more frequent than the other: neither measure rises with prevalence."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats import ranking, roc
from jurybox_stats.estimate import Result, Undefined
from jurybox_stats.series import binary, finite


def balanced_accuracy(yes: ArrayLike, verdict: ArrayLike) -> Result:
    """The mean of the shares of yes and of no that are found: (TPR + TNR) / 2, which is the AUROC of the
    verdicts, and one half of one verdict for all. Brodersen et al. 2010, ICPR, 3121."""
    read = _classes(yes, verdict)
    return read if isinstance(read, Undefined) else roc.area(*read)


def matthews(yes: ArrayLike, verdict: ArrayLike) -> Result:
    """(TP TN − FP FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN)): Pearson's r of the two verdicts.
    Matthews 1975, Biochim. Biophys. Acta 405:442."""
    read = _verdicts(yes, verdict)
    return read if isinstance(read, Undefined) else ranking.pearson(*read)


def _classes(yes: ArrayLike, verdict: ArrayLike) -> tuple[np.ndarray, np.ndarray] | Undefined:
    read = _verdicts(yes, verdict)
    return read if isinstance(read, Undefined) else roc.two_classes(*read)


def _verdicts(yes: ArrayLike, verdict: ArrayLike) -> tuple[np.ndarray, np.ndarray] | Undefined:
    series = finite(yes, verdict)
    if isinstance(series, Undefined):
        return series
    first, second = (binary(values).astype(float) for values in series)
    return first, second
