"""The statistics of the audit: plain numpy and scipy, importable without Django.

    from audit.stats import agreement, ranking, roc, ties, intervals

Arrays in; `Estimate(value, low, high, n)` or `Undefined(reason, n)` out; nothing is rounded.

What people and judges say       agreement, ranking, roc, ties, thresholds, candidates, consensus
How sure that is                 intervals (bootstrap, Resamples), permutation, multiplicity,
                                 enough, power
What becomes of it over time     deviation, drift, alarm
How it is counted                series, pairs, crossing, calibration, draws, percentiles, resamples
"""
