"""What a judge may be used for: may it stand in for a person, pick the best image, say a probability?"""

from __future__ import annotations

from typing import Any

import numpy as np

from audit.reports import rankings
from audit.reports.bootstrap import draw_of, est
from audit.reports.escalation import trusted_share, verdicts_everywhere
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import OWN_SCALE, Series, graded
from audit.statistic_names import BAND
from jurybox_stats import alternative, candidates, enough
from jurybox_stats.decisions import probabilities, tie_folds
from jurybox_stats.decisions.rankings import Tables
from jurybox_stats.estimate import Estimate, Result, Undefined, WithoutInterval
from jurybox_stats.measures.calibration_error import estimated_calibration_error
from jurybox_stats.measures.precision import resampled_average_precision
from jurybox_stats.resamples import Resamples
from jurybox_stats.resampling.cluster_order import by_content
from jurybox_stats.resampling.draw import Draw

# What people cost more than the judge, of experts, of skilled people and of a crowd (Calderon et al.):
# the judge may be behind a person by so much. One of them is called on.
EPSILONS = (0.2, 0.15, 0.1)
EPSILON = 0.15
# Of the two one-sided tests: an interval of 90 % inside the band is a level of 5 % for each.
TOST = 0.9
# The scale of a log score has no other end: its interval is Student's.
NO_END = (0.0, 0.0)
BALANCED = ("balanced_accuracy", "matthews", "average_precision")
PROBABILITIES = ("brier", "calibration_error", "log_score")
CROSS_VALIDATED = "pairwise_accuracy_by_prompt_cross_validated"


def decisions(
    people: People,
    judge: JudgeScores,
    series: Series,
    threshold: dict[str, Any] | None,
    tables: Tables | Undefined,
    options: Options,
) -> dict[str, Any]:
    """Parts of a judge's `overall` that no slice has. `judge`: on all images of the study."""
    return {
        "alt_test": alt_test(people, series, threshold, options),
        "soft_pairwise_accuracy": rankings.soft_pairwise_accuracy(tables, people),
        "trusted_share": trusted_share(series, judge, threshold, options),
        "best_of_n": _best_of_n(series, options),
        **_probabilities(people, series, options),
        "equivalence": _equivalence(series, options),
        CROSS_VALIDATED: _cross_validated(series, options),
        **_balanced(series, options),
        "weighted_kappa": _weighted_kappa(people, series, options),
    }


def _yes_or_no(people: People, options: Options) -> np.ndarray:
    return people.ratings if people.scale.is_yes_no else graded(people.ratings, options)


def alt_test(
    people: People,
    series: Series,
    threshold: dict[str, Any] | None,
    options: Options,
    where: np.ndarray | None = None,
) -> dict[str, Any]:
    """On yes and no, which every judge can be brought to; of ratings, whether they reach the cut.
    `where`: the images that count, if not all."""
    verdicts = verdicts_everywhere(series.score, series.verdict, threshold)
    given = (~np.isnan(people.ratings)).sum(axis=0)
    there = (given >= 2) & ~np.isnan(verdicts)
    if where is not None:
        there &= where
    n = int(there.sum())
    if not n:
        return est(Undefined("no image has two people’s answers and a verdict of the judge", 0))
    judge, table = verdicts[there], _yes_or_no(people, options)[:, there]
    prompts = people.prompts[there]
    beside = alternative.people_beside_judge(judge, table)
    tested = alternative.alt_tests(judge, table, epsilons=EPSILONS, prompts=prompts, beside=beside)
    if isinstance(tested, Undefined):
        return est(Undefined(tested.reason, n))
    draw = draw_of(prompts, options)
    by_epsilon = dict(zip(EPSILONS, tested, strict=True))
    found = by_epsilon[EPSILON]
    return {
        "n": n,
        "raters": found.n,
        "beaten": sum(row.beaten for row in found.raters),
        "winning_rate": found.winning_rate,
        "passes": found.passes,
        "epsilon": EPSILON,
        "advantage": est(
            draw.interval(
                lambda drawn: alternative.resampled_advantage(drawn, judge, table, beside=beside)
            )
        ),
        "by_epsilon": {
            f"{epsilon:g}": {"winning_rate": test.winning_rate, "passes": test.passes}
            for epsilon, test in by_epsilon.items()
        },
    }


def _best_of_n(series: Series, options: Options) -> dict[str, Any]:
    """Of all images of a prompt, the one that the judge likes best. In points where people’s scale
    has them."""
    there = ~np.isnan(series.score) & ~np.isnan(series.mean)
    scale = 100.0 if series.in_points else 1.0
    human, judge = series.mean[there] * scale, series.score[there] * scale
    found = (
        candidates.goodhart(
            human,
            judge,
            series.each_prompt[there],
            clusters=series.prompts[there],
            resamples=options.resamples,
            seed=options.seed,
        )
        if there.any()
        else Undefined("no image has what this number needs", 0)
    )
    if isinstance(found, Undefined):
        return {"n": found.n, **dict.fromkeys(("people_gain", "judge_gain", "ratio"), est(found))}

    def enough_prompts(result: Result) -> dict[str, Any]:
        if isinstance(result, Estimate) and result.n < enough.PROMPTS:
            return est(enough.too_few(result.n, at_least=enough.PROMPTS, what="prompts"))
        # Where nothing tells how sure a number is, a report does not state it.
        if isinstance(result, WithoutInterval):
            return est(Undefined(result.reason, result.n))
        return est(result)

    own = Undefined(series.no_points, found.n) if series.no_points else found.ratio
    return {
        "n": found.n,
        "people_gain": enough_prompts(found.human_gain),
        "judge_gain": enough_prompts(found.judge_gain),
        "ratio": enough_prompts(own),
        "share_of_the_possible": enough_prompts(found.share_of_the_possible),
    }


def _probabilities(people: People, series: Series, options: Options) -> dict[str, Any]:
    """The score as the share of people who say yes."""
    if series.own_scale:
        nothing = est(Undefined(OWN_SCALE, int((~np.isnan(series.score)).sum())))
        return dict.fromkeys(PROBABILITIES, nothing) | {
            "brier": {**nothing, "over_the_average": nothing}
        }
    yes = _yes_or_no(people, options)
    given = ~np.isnan(yes)
    asked = given.sum(axis=0)
    there = (asked > 0) & ~np.isnan(series.score)
    share = np.where(given, yes, 0).sum(axis=0)[there] / asked[there]
    score, prompts = series.score[there], series.prompts[there]
    draw = draw_of(prompts, options)
    squared = probabilities.squared(score, share)
    surprise = probabilities.surprise(score, share)
    if isinstance(squared, Undefined):
        brier, over = est(squared), est(squared)
        calibration: Result = squared
    else:
        average = probabilities.always_the_average(share)
        brier = est(enough.required(draw.mean(squared)))
        calibration = estimated_calibration_error(Draw(prompts, resamples=1, seed=0), score, share)
        over = est(enough.required(draw.difference_of_means(average, squared)))
    return {
        "brier": {**brier, "over_the_average": over},
        "calibration_error": est(enough.required(calibration)),
        "log_score": est(
            surprise
            if isinstance(surprise, Undefined)
            else enough.required(draw.mean(surprise, ends=NO_END))
        ),
    }


def _balanced(series: Series, options: Options) -> dict[str, Any]:
    """What does not rise where nearly all images are right, and what looks at the top of the scores."""
    ruled = ~np.isnan(series.verdict) & ~np.isnan(series.yes)
    scored = ~np.isnan(series.score) & ~np.isnan(series.yes)
    of_verdicts = draw_of(series.prompts[ruled], options)
    of_scores = draw_of(series.prompts[scored], options)
    yes, verdict = series.yes[ruled], series.verdict[ruled]
    found: dict[str, Result] = {
        "balanced_accuracy": of_verdicts.balanced_accuracy(yes, verdict),
        "matthews": of_verdicts.pearson(yes, verdict),
        "average_precision": of_scores.interval(
            lambda draw: resampled_average_precision(draw, series.yes[scored], series.score[scored])
        ),
    }
    return {name: est(enough.required(result)) for name, result in found.items()}


def _weighted_kappa(people: People, series: Series, options: Options) -> dict[str, Any]:
    """Of a judge that rates on people's own steps, with people's mean at the nearest step."""
    there = ~np.isnan(series.score) & ~np.isnan(series.mean)
    score, scale = series.score[there], people.scale
    if scale.kind != "rating":
        return est(Undefined("people do not rate in steps", int(there.sum())))
    steps = (score == np.rint(score)) & (scale.low <= score) & (score <= scale.high)
    if not steps.all():
        return est(Undefined("the judge does not rate in people’s steps", int(there.sum())))
    draw = draw_of(series.prompts[there], options)
    # A mean halfway between two steps goes up, as a cut does that is reached.
    nearest = np.floor(series.mean[there] + 0.5)
    return est(enough.required(draw.cohen_kappa(nearest, score, "quadratic")))


def _equivalence(series: Series, options: Options) -> dict[str, Any]:
    """Net deviation with the interval of two one-sided tests: inside the band the judge is in line
    with people, and that is shown, not only not refuted."""
    there = ~np.isnan(series.score) & ~np.isnan(series.level) & ~np.isnan(series.yes)
    n = int(there.sum())
    facts = {"band": BAND, "confidence": TOST}
    if series.no_points or not n:
        why = series.no_points or "no image has what this number needs"
        return {**est(Undefined(why, n)), **facts}
    human, judge = series.level[there], series.score[there]
    draw = Resamples(
        series.prompts[there],
        resamples=options.resamples,
        seed=options.seed,
        confidence=TOST,
    )
    found = enough.required(draw.difference_of_means(human, judge, scale=100.0))
    if isinstance(found, Undefined) or found.low is None or found.high is None:
        return {**est(found), **facts}
    inside = found.low > -BAND and found.high < BAND
    return {**est(found), **facts, "equivalent": inside}


def _cross_validated(series: Series, options: Options) -> dict[str, Any]:
    there = ~np.isnan(series.score) & ~np.isnan(series.mean)
    if not there.any():
        return est(Undefined("no image has what this number needs", 0))
    human, judge = series.mean[there], series.score[there]
    # Which prompts make a fold is no matter of their names.
    prompts = by_content(series.prompts[there], human, judge)
    found = tie_folds.cross_validated(human, judge, prompts=prompts, seed=options.seed)
    if isinstance(found, Undefined):
        return est(found)
    draw = draw_of(found.prompts, options)
    return {
        **est(draw.mean(found.accuracy)),
        "epsilon_by_fold": list(found.epsilon_by_fold),
        "n": found.n,
    }
