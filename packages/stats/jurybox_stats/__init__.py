"""The statistics of the audit: plain numpy and scipy, importable without Django.

    from jurybox_stats import agreement, ranking, roc, ties, intervals

Arrays in; `Estimate(value, low, high, n)` or `Undefined(reason, n)` out; nothing is rounded.

What people and judges say       agreement, ranking, roc, ties, thresholds, candidates
Which of the two                 contests/
Person by person                 raters, alternative
Fewer labels                     assisted, planning, escalation
How sure that is                 resamples, intervals, permutation, multiplicity, enough
What becomes of it over time     instrument/, over_time/, and why: causes
What goes in and comes out       series, estimate
How pairs are counted            counting/
How resamples are counted        resampling/
"""
