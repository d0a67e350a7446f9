"""How well people agree with each other on the images that several of them rated.

Tables hold people, or first, second, third answers, in rows and images in columns; nan where there is
no answer. The page of people computes the same numbers with the same functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from annotations import consensus
from audit.reports.bootstrap import draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import People
from audit.reports.reference import level_of
from jurybox_formats.forms.scales import Scale
from jurybox_stats import agreement, enough, raters
from jurybox_stats.counting.by_unit import values_of
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.measures import rated
from jurybox_stats.people import confusions

LEVELS: tuple[agreement.Level, ...] = ("nominal", "ordinal", "interval")
# One person against the others, by rank and by size.
AGAINST = ("spearman", "pearson", "kendall_tau_b")
# The people with the most answers; a longer table would not be read.
PEOPLE = 24


def people_of(people: People, options: Options) -> dict[str, Any]:
    silent = people.left_out.images if people.left_out else 0
    table, prompts = _with_silent(people.ratings, people.prompts, silent)
    images = people.ratings.shape[1] + silent
    several = _several(table)
    ratings = table[:, several]
    draw = draw_of(prompts[several], options)
    return {
        "images": int(people.has_labels.sum()),
        "annotations": people.annotations,
        "raters": len(people.raters),
        "mean": est(mean_of(table, prompts, options, people.scale)),
        "unanimous": est(draw.unanimity(ratings)),
        "percent_agreement": est(alike_of(table, prompts, options)),
        "krippendorff_alpha": {
            level: est(alpha) for level, alpha in alphas_of(table, prompts, options).items()
        },
        "fleiss_kappa": est(fleiss_of(table, prompts, options)),
        "gwet_ac1": est(ac1_of(table, prompts, options)),
        **ratings_of(table, _busiest(table, people.raters), prompts, options, people.scale, images),
        "each_rater": dict(_each_rater(people, options)),
        "by_tag": dict(_by_tag(people, options)),
    }


def of_generator(
    people: People, here: np.ndarray, options: Options, silent: int = 0
) -> dict[str, Any]:
    """People's mean beside their majority, and how well they agree on one generator. `silent`: how many
    of its images are left out."""
    ratings = _without_silent(people.ratings[:, here])
    ratings, prompts = _with_silent(ratings, people.prompts[here], silent)
    return {
        "human_mean": est(mean_of(ratings, prompts, options, people.scale)),
        "krippendorff_alpha": {
            level: est(alpha) for level, alpha in alphas_of(ratings, prompts, options).items()
        },
    }


def mean_of(table: np.ndarray, prompts: np.ndarray, options: Options, scale: Scale) -> Result:
    """The mean over images of the mean of all answers; a majority would round each image first."""
    return level_of(consensus.mean(table), prompts, options, scale)


def alike_of(table: np.ndarray, prompts: np.ndarray, options: Options) -> Result:
    """How many of the pairs of answers to the same image say the same."""
    several = (~np.isnan(table)).sum(axis=0) >= 2
    shared = table if several.all() else table[:, several]
    draw = draw_of(prompts[several], options)
    return draw.interval(lambda drawn: agreement.resampled_alike_pairs(drawn, shared))


def fleiss_of(table: np.ndarray, prompts: np.ndarray, options: Options) -> Result:
    """Over the images with two answers or more, which must be equally many on each."""
    several = (~np.isnan(table)).sum(axis=0) >= 2
    if not several.any():
        return Undefined("no image has two answers", 0)
    shared = table[:, several]
    return draw_of(prompts[several], options).fleiss_kappa(shared)


def ac1_of(table: np.ndarray, prompts: np.ndarray, options: Options) -> Result:
    """Over the images with two answers or more."""
    several = _several(table)
    shared = table[:, several]
    draw = draw_of(prompts[several], options)
    return draw.interval(lambda drawn: agreement.resampled_ac1(drawn, shared))


RATED = ("icc_2k", "gwet_ac2", "weighted_kappa")


def with_most_answers(counts: Sequence[int], names: Sequence[str]) -> list[int]:
    """Of people in any order: the places of those with the most answers, by their names."""
    most = sorted(range(len(counts)), key=lambda row: (-counts[row], names[row]))[:PEOPLE]
    return sorted(most, key=lambda row: names[row])


def _busiest(table: np.ndarray, names: Sequence[str]) -> np.ndarray:
    given = (~np.isnan(table)).sum(axis=1).tolist()
    return table[with_most_answers(given, names)]


def ratings_of(
    table: np.ndarray,
    busiest: np.ndarray,
    prompts: np.ndarray,
    options: Options,
    scale: Scale,
    images: int | None = None,
) -> dict[str, Any]:
    """What ratings alone have. `busiest`: the answers of single people, who are compared with each
    other; `images`: how many there are, where the table leaves some out."""
    if scale.is_yes_no:
        n = table.shape[1] if images is None else images
        few = Undefined("for ratings; people answer yes or no", n)
        return {name: est(few) for name in RATED}
    several = _several(table)
    draw = draw_of(prompts[several], options)
    shared, people = table[:, several], busiest[:, several]
    return {
        "icc_2k": _icc_of(busiest, prompts, options),
        "gwet_ac2": est(draw.interval(lambda drawn: rated.resampled_ac2(drawn, shared))),
        "weighted_kappa": est(
            draw.interval(lambda drawn: rated.resampled_weighted_kappa(drawn, people))
        ),
    }


def _icc_of(table: np.ndarray, prompts: np.ndarray, options: Options) -> dict[str, Any]:
    """Of the people who rated the same images; how many they are stands beside it."""
    block = rated.complete_block(table)
    if isinstance(block, Undefined):
        return est(block)
    people, images = block
    chosen = table[np.sort(people)][:, images]
    draw = draw_of(prompts[images], options)
    single = draw.interval(lambda drawn: rated.estimated_icc_2k(drawn, chosen))
    return {**est(enough.required(rated.of_k(single, people.size))), "people": int(people.size)}


def alphas_of(table: np.ndarray, prompts: np.ndarray, options: Options) -> dict[str, Result]:
    """By level. Of two different answers nothing tells an interval from an order."""
    several = _several(table)
    shared = table[:, several]
    draw = draw_of(prompts[several], options)
    alphas = {
        level: draw.krippendorff_alpha(shared, level)
        for level in (LEVELS if values_of(shared).size > 2 else LEVELS[:2])
    }
    return {level: alphas.get(level, alphas["ordinal"]) for level in LEVELS}


def against_the_others(
    means: consensus.Means, own: np.ndarray, prompts: np.ndarray, options: Options
) -> dict[str, Any]:
    """One person's answers and the mean of all others', on the images that have both. `own` says
    which answers are this person's."""
    others = means.mean_without(own)
    mine = np.full(others.size, np.nan)
    for answers, here in zip(means.ratings, own, strict=True):
        mine[here] = answers[here]
    both = ~np.isnan(mine) & ~np.isnan(others)
    draw = draw_of(prompts[both], options)
    return {
        "n": int(both.sum()),
        **{
            name: est(enough.required(getattr(draw, name)(others[both], mine[both])))
            for name in AGAINST
        },
    }


def severities(
    images: np.ndarray,
    people: np.ndarray,
    values: np.ndarray,
    prompts: np.ndarray,
    *,
    points: bool,
) -> dict[int, dict[str, Any]]:
    """How much more each of these people says than the others of them about the same images; `people`
    as numbers. A fact about strictness, and no fault."""
    found = raters.severity(images, people, values * (100.0 if points else 1.0), prompts)
    if isinstance(found, Undefined):
        return {pk: est(found) for pk in np.unique(people).tolist()}
    told: dict[int, dict[str, Any]] = {}
    for row in found:
        one = row.against_others
        # The last digits of a least-squares solution hang on the order of its rows.
        ends = [None if end is None else round(end, 9) for end in (one.low, one.high)]
        if ends[0] == ends[1]:
            # Everybody who answered the same images answered the same: that is no certainty.
            ends = [None, None]
        told[int(str(row.rater))] = est(
            enough.required(Estimate(round(one.value, 9), ends[0], ends[1], one.n))
        )
    return told


CONFUSION = ("sensitivity", "specificity")


def errors_of(
    images: np.ndarray, people: np.ndarray, values: np.ndarray, prompts: np.ndarray
) -> dict[int, dict[str, Any]]:
    """How often each person says yes to what is right and no to what is not, by Dawid and Skene's
    model of all answers; `people` as numbers. Nobody is taken to be right."""
    found = confusions.confusions(images, people, values, prompts)
    if isinstance(found, Undefined):
        return {pk: dict.fromkeys(CONFUSION, est(found)) for pk in np.unique(people).tolist()}
    return {
        int(str(row.rater)): {name: est(enough.required(getattr(row, name))) for name in CONFUSION}
        for row in found
    }


def _several(table: np.ndarray) -> np.ndarray:
    """The images with two answers or more; all where there is none, and the statistics say
    themselves what is lacking."""
    several = (~np.isnan(table)).sum(axis=0) >= 2
    return several if several.any() else np.ones(table.shape[1], dtype=bool)


def _each_rater(people: People, options: Options) -> Iterator[tuple[str, dict[str, Any]]]:
    given = (~np.isnan(people.ratings)).sum(axis=1)
    most = sorted(range(len(given)), key=lambda row: (-given[row], people.raters[row]))[:PEOPLE]
    who, image = np.nonzero(~np.isnan(people.ratings[most]))
    severity = severities(
        image,
        who,
        people.ratings[most][who, image],
        people.prompts[image],
        points=people.scale.in_points,
    )
    errors: dict[int, dict[str, Any]] = {}
    if people.scale.is_yes_no:
        who, image = np.nonzero(~np.isnan(people.ratings))
        errors = errors_of(image, who, people.ratings[who, image], people.prompts[image])
    means = consensus.Means(people.ratings)
    for row in sorted(most):
        own = np.zeros(people.ratings.shape, dtype=bool)
        own[row] = ~np.isnan(people.ratings[row])
        yield (
            people.name_of(row),
            {
                **against_the_others(means, own, people.prompts, options),
                "severity": severity.get(most.index(row), est(Undefined("no answer", 0))),
                **errors.get(row, {}),
            },
        )


def _by_tag(people: People, options: Options) -> Iterator[tuple[str, dict[str, Any]]]:
    """Agreement on each task, that is on the prompts of each tag."""
    for tag, here in people.by_tag.items():
        silent = people.left_out.by_tag[tag] if people.left_out else 0
        ratings = _without_silent(people.ratings[:, here])
        yield tag, _of_tag(*_with_silent(ratings, people.prompts[here], silent), options)


def _of_tag(ratings: np.ndarray, prompts: np.ndarray, options: Options) -> dict[str, Any]:
    return {
        "n": int((~np.isnan(ratings).all(axis=0)).sum()) if len(ratings) else 0,
        "percent_agreement": est(alike_of(ratings, prompts, options)),
        "fleiss_kappa": est(fleiss_of(ratings, prompts, options)),
        "krippendorff_alpha": {
            level: est(alpha) for level, alpha in alphas_of(ratings, prompts, options).items()
        },
    }


def _without_silent(ratings: np.ndarray) -> np.ndarray:
    """Without who has answered nothing here, as long as anybody has: no number changes by it."""
    answering = ~np.isnan(ratings).all(axis=1)
    return ratings[answering] if answering.any() and not answering.all() else ratings


def _with_silent(
    table: np.ndarray, prompts: np.ndarray, silent: int
) -> tuple[np.ndarray, np.ndarray]:
    """Where no image has two answers, the reasons count all images, those that are left out, too."""
    if not silent or ((~np.isnan(table)).sum(axis=0) >= 2).any():
        return table, prompts
    nothing = np.full((len(table), silent), np.nan)
    return np.hstack([table, nothing]), np.r_[prompts, np.zeros(silent, prompts.dtype)]
