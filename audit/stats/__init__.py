"""The statistics of the audit: plain numpy and scipy, importable without Django.

    from audit.stats import agreement, ranking, roc, ties, intervals

Arrays in; `Estimate(value, low, high, n)` or `Undefined(reason, n)` out; nothing is rounded.
"""
