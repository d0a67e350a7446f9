"""The statistics by name: what each is called, how its numbers are written, where it is shown.

A new statistic is a function in `stats/`, a row here and a test: a row that says what it `compares`
is computed for every slice of a report, and shown on the page that lays judges side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.utils.translation import gettext

from jurybox_stats.estimate import Result
from jurybox_stats.resampling.small_samples import Scale

# Two series of the same images: people's yes or no and the judge's score, people's yes or no and
# the judge's verdict, people's mean and the judge's score.
SCORED: Final = "yes and score"
RULED: Final = "yes and verdict"
RANKED: Final = "mean and score"
Compared = Literal["yes and score", "yes and verdict", "mean and score"]


# The band within which the GenEval 2 paper calls a judge in line with people, in points.
BAND = 3.0
# What charts show of a statistic, so that two figures of it can be laid side by side.
POINTS = (-20.0, 20.0)
SHARE = (0.0, 1.0)
CORRELATION = (-0.2, 1.0)

# What a report may rest on, and its name on a page; "usual" is the majority for a yes/no and the
# mean for ratings and ranks, "dawid-skene" is for yes/no alone.
CONSENSUS = {
    "usual": "majority or mean",
    "adjudicated": "with the owner’s decisions",
    "unanimous": "unanimous images only",
    "dawid-skene": "Dawid–Skene",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    key: str  # in reports, addresses and files
    name: str  # in sentences and menus, and along the axis of a chart
    heading: str  # of a column
    decimals: int = 3
    signed: bool = False  # above 0 it is written with a plus
    unit: str = ""  # in a sentence, after the number
    band: float | None = None  # drawn around 0: within it a judge is in line with people
    axis: tuple[float, float] | None = None  # of every chart, as far as the numbers lie within
    main: bool = False  # in menus, in `manage.py report`, in the CSV file of the drift page
    compares: Compared | None = None
    within_prompts: bool = False  # only images of one prompt are compared with each other
    # The method of `Resamples` that computes it, where that is not called by the key; or a plain
    # function, which is called once for each resample and takes longer.
    method: str = ""
    function: Callable[..., Result] | None = None
    scale: Scale = "plain"  # of a function: a share (0 to 1) or a correlation (−1 to 1)


ROWS = (
    # One judge and the people.
    Statistic(key="human_score", name="people", heading="human", decimals=1),
    Statistic(key="judge_score", name="judge", heading="judge", decimals=1),
    Statistic(
        key="net_deviation",
        name="net deviation, points",
        heading="human − judge",
        decimals=1,
        signed=True,
        unit=" points",
        band=BAND,
        axis=POINTS,
        main=True,
    ),
    Statistic(key="score_moved", name="score now − then", heading="now − then", signed=True),
    Statistic(
        key="auroc", name="AUROC", heading="AUROC", axis=(0.5, 1.0), main=True, compares=SCORED
    ),
    Statistic(
        key="cohen_kappa",
        name="Cohen’s κ",
        heading="κ",
        axis=CORRELATION,
        main=True,
        compares=RULED,
    ),
    Statistic(
        key="percent_agreement",
        name="percent agreement",
        heading="agreement",
        axis=SHARE,
        compares=RULED,
    ),
    Statistic(
        key="kendall_tau_b",
        name="Kendall τ-b",
        heading="τ-b",
        axis=CORRELATION,
        main=True,
        compares=RANKED,
    ),
    Statistic(
        key="kendall_tau_c", name="Kendall τ-c", heading="τ-c", axis=CORRELATION, compares=RANKED
    ),
    Statistic(
        key="spearman", name="Spearman ρ", heading="Spearman", axis=CORRELATION, compares=RANKED
    ),
    Statistic(
        key="pearson", name="Pearson r", heading="Pearson", axis=CORRELATION, compares=RANKED
    ),
    Statistic(
        key="pairwise_accuracy",
        name="pairwise accuracy, ties as they are",
        heading="pairwise, ties as they are",
        axis=SHARE,
        main=True,
        compares=RANKED,
    ),
    Statistic(
        key="pairwise_accuracy_calibrated",
        name="pairwise accuracy, ties calibrated",
        heading="pairwise, ties calibrated",
        axis=SHARE,
        main=True,
        compares=RANKED,
    ),
    Statistic(
        key="pairwise_accuracy_by_prompt",
        name="pairwise accuracy within prompts, ties as they are",
        heading="within prompts, ties as they are",
        axis=SHARE,
        compares=RANKED,
        method="pairwise_accuracy",
        within_prompts=True,
    ),
    Statistic(
        key="pairwise_accuracy_by_prompt_calibrated",
        name="pairwise accuracy within prompts, ties calibrated",
        heading="within prompts, ties calibrated",
        axis=SHARE,
        compares=RANKED,
        method="pairwise_accuracy_calibrated",
        within_prompts=True,
    ),
    Statistic(
        key="slope_points_per_year",
        name="slope, points a year",
        heading="per year",
        decimals=1,
        signed=True,
        unit=" points a year",
    ),
    Statistic(
        key="offset",
        name="offset beside older generators, points",
        heading="offset",
        decimals=1,
        signed=True,
        unit=" points",
        band=BAND,
        axis=POINTS,
    ),
    Statistic(
        key="off",
        name="off by, points",
        heading="off by",
        decimals=1,
        signed=True,
        unit=" points",
        band=BAND,
        axis=POINTS,
    ),
    Statistic(
        key="points_off", name="points off", heading="points off", decimals=1, unit=" points"
    ),
    Statistic(key="gain_of_judge", name="gain", heading="gain", decimals=2),
    Statistic(
        key="gain_change",
        name="change of gain",
        heading="gain change",
        decimals=0,
        signed=True,
        unit=" %",
    ),
    Statistic(key="gain_lost", name="gain lost", heading="gain lost", decimals=0, unit=" %"),
    Statistic(key="part", name="part of the gap", heading="part", decimals=1, signed=True),
    Statistic(key="before", name="AUROC on generators older than the judge", heading="before"),
    Statistic(key="since", name="AUROC on generators released since the judge", heading="since"),
    Statistic(key="advantage", name="as near to the others as a person", heading="like a person ρ"),
    Statistic(key="trusted_share", name="share of verdicts that may stand", heading="may stand"),
    Statistic(key="soft_pairwise_accuracy", name="soft pairwise accuracy", heading="soft pairwise"),
    Statistic(
        key="kendall_of_generators", name="Kendall τ-b of generators", heading="τ of generators"
    ),
    Statistic(
        key="kendall_over_both",
        name="Kendall τ-b of generators, other generators drawn too",
        heading="τ, generators drawn too",
    ),
    Statistic(
        key="swapped_pairs", name="pairs of generators swapped", heading="pairs swapped", decimals=0
    ),
    Statistic(
        key="people_gain", name="people’s gain", heading="people gain", decimals=2, signed=True
    ),
    Statistic(
        key="judge_gain", name="the judge’s gain", heading="judge gains", decimals=2, signed=True
    ),
    Statistic(key="ratio", name="people’s gain over the judge’s", heading="ratio", decimals=2),
    Statistic(key="brier", name="Brier score", heading="Brier"),
    Statistic(
        key="over_the_average",
        name="Brier score better than always the average by",
        heading="better than the average",
        signed=True,
    ),
    Statistic(key="log_score", name="log score", heading="log score"),
    Statistic(
        key="calibration_error",
        name="expected calibration error",
        heading="calibration error",
    ),
    Statistic(key="balanced_accuracy", name="balanced accuracy", heading="balanced accuracy"),
    Statistic(key="matthews", name="Matthews’ correlation of verdicts", heading="MCC"),
    Statistic(key="average_precision", name="average precision", heading="average precision"),
    Statistic(
        key="weighted_kappa", name="Cohen’s κ, quadratic weights", heading="κ, quadratic weights"
    ),
    Statistic(
        key="equivalence",
        name="net deviation, interval of 90 %",
        heading="human − judge, 90 %",
        decimals=1,
        signed=True,
        unit=" points",
    ),
    Statistic(
        key="pairwise_accuracy_by_prompt_cross_validated",
        name="pairwise accuracy within prompts, ties calibrated on others",
        heading="pairwise, ties from other prompts",
    ),
    # People's score, and what the judges add to it.
    Statistic(key="alone", name="labels only", heading="labels only", decimals=1),
    Statistic(key="assisted", name="judge-assisted", heading="judge-assisted", decimals=1),
    Statistic(key="worth", name="effective labels", heading="effective labels", decimals=0),
    # Repaired images, their controls and the images that they were made from.
    Statistic(
        key="gain",
        name="gain of repairing above another try",
        heading="repaired − control",
        decimals=1,
        signed=True,
        unit=" points",
    ),
    Statistic(
        key="repaired",
        name="repaired above the old image",
        heading="repaired − old",
        decimals=1,
        signed=True,
        unit=" points",
    ),
    Statistic(
        key="control",
        name="control above the old image",
        heading="control − old",
        decimals=1,
        signed=True,
        unit=" points",
    ),
    # People among themselves.
    Statistic(
        key="points",
        name="change, points",
        heading="change",
        decimals=1,
        signed=True,
        unit=" points",
    ),
    Statistic(key="percent", name="pairs of answers alike", heading="pairs alike"),
    Statistic(key="unanimous", name="unanimous", heading="unanimous"),
    Statistic(key="alpha", name="Krippendorff’s α", heading="α nominal"),
    Statistic(key="nominal", name="Krippendorff’s α, nominal", heading="α nominal"),
    Statistic(key="ordinal", name="Krippendorff’s α, ordinal", heading="α ordinal"),
    Statistic(key="interval", name="Krippendorff’s α, interval", heading="α interval"),
    Statistic(key="ceiling", name="like the majority", heading="like the majority"),
    Statistic(
        key="like_others",
        name="like the majority of the others",
        heading="like the majority of the others",
    ),
    Statistic(key="share", name="pairs of answers alike", heading="alike"),
    Statistic(key="kappa", name="Cohen’s κ", heading="Cohen’s κ"),
    Statistic(key="mean", name="people’s mean", heading="mean", decimals=2),
    Statistic(key="fleiss_kappa", name="Fleiss’ κ", heading="Fleiss’ κ"),
    Statistic(key="icc_2k", name="reliability of people’s mean, ICC(2,k)", heading="ICC(2,k)"),
    Statistic(key="gwet_ac2", name="Gwet’s AC2, quadratic weights", heading="Gwet’s AC2"),
    Statistic(key="gwet_ac1", name="Gwet’s AC1", heading="Gwet’s AC1"),
    Statistic(
        key="severity",
        name="above the others on the same images",
        heading="above the others",
        decimals=1,
        signed=True,
    ),
    Statistic(
        key="sensitivity",
        name="yes to what is right, by Dawid–Skene",
        heading="yes to what is right",
        decimals=2,
    ),
    Statistic(
        key="specificity",
        name="no to what is wrong, by Dawid–Skene",
        heading="no to what is wrong",
        decimals=2,
    ),
    Statistic(key="win_share", name="share of wins", heading="wins", axis=SHARE),
    Statistic(key="elo", name="Elo’s scale", heading="Elo", decimals=0),
    Statistic(key="vote_accuracy", name="votes as people’s", heading="says as people"),
    Statistic(key="vote_soft_pairwise", name="soft pairwise accuracy", heading="soft pairwise"),
    Statistic(
        key="swap_consistency", name="the same with sides exchanged", heading="same when swapped"
    ),
    Statistic(key="seconds", name="seconds", heading="seconds, median", decimals=1),
)
STATISTICS = {row.key: row for row in ROWS}
MAIN = {row.key: row.name for row in ROWS if row.main}


def main_statistics() -> list[tuple[str, str]]:
    """For a menu, in the language of the page."""
    return [(key, gettext(name)) for key, name in MAIN.items()]


COMPARING = tuple(row for row in ROWS if row.compares)


def stored_statistic(stats: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A statistic of a stored report, or the reason why an older one does not have it."""
    if key in stats:
        return stats[key]
    return {"undefined": "this report is older than this statistic", "n": stats.get("n", 0)}


def headings(*keys: str) -> dict[str, str]:
    """The columns of a table."""
    return {key: STATISTICS[key].heading for key in keys}
