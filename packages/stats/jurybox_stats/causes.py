"""Why did the gap between people and a judge move? Parts that add up to the change exactly.

The gap of a side is mean(human - judge). From side A to side B it moves by what the judge's new
version scores otherwise (judge), what the same people would say otherwise today (people), what
other words ask for (wording), how many images there are of each kind (mix), and how much more the
judge errs on images of the same kind (within). People and wording are seen on anchors: images of A
that were labelled again. What cannot be distinguished comes as a sum, named by its parts.

Shapley's split for the judge, Kitagawa's 1955 for mix and within, Nopo's 2008 for kinds that one
side has alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.multiplicity import holm
from jurybox_stats.resampling.cluster_counts import cluster_counts
from jurybox_stats.resampling.exact_sums import ratio, weighted
from jurybox_stats.resampling.percentiles import interval
from jurybox_stats.series import Floats, group_codes, numbers, same_length

OTHER = "other"
PARTS = ("judge", "people", "wording", "mix", "within")


@dataclass(frozen=True, slots=True)
class Side:
    """One side's images. A judge's version that was not run on them is NaN throughout."""

    prompts: ArrayLike
    kinds: ArrayLike
    human: ArrayLike
    judge_old: ArrayLike
    judge_new: ArrayLike


@dataclass(frozen=True, slots=True)
class Anchors:
    """Images of side A (by their place there) that were labelled or scored again; NaN where not."""

    images: ArrayLike
    then: ArrayLike
    now_old_form: ArrayLike
    now: ArrayLike
    judge_old: ArrayLike
    judge_new: ArrayLike


@dataclass(frozen=True, slots=True)
class Causes:
    """`parts` add up to `gap`; a key like "people_and_wording" is a sum that cannot be distinguished.

    `p` are Holm's over the parts. `unmatched` lists kinds that one side has alone, `merged` kinds
    of a single prompt, which count as "other". `same_scores`: on so many of so many anchors the two
    versions of the judge gave the same score.
    """

    gap: Result
    parts: Mapping[str, Result]
    p: Mapping[str, float]
    only_as_a_sum: tuple[tuple[str, ...], ...]
    judge_by: str
    same_scores: tuple[int, int] | None
    unmatched: Mapping[str, tuple[str, ...]]
    unmatched_share: Mapping[str, float]
    merged: tuple[str, ...]
    n: int


def attribute(
    a: Side,
    b: Side,
    anchors: Anchors | None = None,
    *,
    counts_a: Mapping[object, float] | None = None,
    counts_b: Mapping[object, float] | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> Causes | Undefined:
    """All values on one scale. Intervals draw the prompts of both sides, anchors with those of A.
    A prompt of the same name on both sides is the same prompt.

    `counts_a` and `counts_b` weight the prompts of a side, as one draw of them would.
    """
    merged = _thin(a.prompts, a.kinds) | _thin(b.prompts, b.kinds)
    sides = _Images.from_side(a, merged), _Images.from_side(b, merged)
    for side in sides:
        if isinstance(side, Undefined):
            return side
    old, new = (side for side in sides if isinstance(side, _Images))
    if np.isnan(old.judge_old).any() or np.isnan(new.judge_new).any():
        return Undefined("a judge has no score for some images of its own side", new.human.size)
    known = _PromptSums.from_images(old, new, anchors)
    weights = old.weights(counts_a), new.weights(counts_b)
    point = _parts(known, *(row[None, :] for row in weights))
    values = _many(known, resamples, seed) if counts_a is counts_b is None else {}
    n = old.human.size + new.human.size
    results: dict[str, Result] = {}
    for name, value in point.items():
        if np.isnan(value[0]):
            results[name] = Undefined("too little to see it by", n)
        elif name in values:
            estimate = Estimate(float(value[0]), None, None, n)
            results[name] = interval(
                estimate, partial(_resample_values, values[name]), known.twice, n
            )
        else:
            results[name] = Estimate(float(value[0]), None, None, n)
    gap = results.pop("gap")
    shares = {side: float(point.get(f"share_{side}", np.zeros(1))[0]) for side in "ab"}
    parts = {name: result for name, result in results.items() if not name.startswith("share_")}
    return Causes(
        gap,
        parts,
        _chances(values, parts),
        known.sums,
        known.judge_by,
        known.same_scores,
        known.unmatched,
        {side: share for side, share in shares.items() if share},
        tuple(sorted(merged)),
        n,
    )


def _resample_values(values: Floats, counts: Floats) -> Floats:
    """What the resamples gave; they were drawn for all parts at once."""
    return values


def mix_and_within(
    kinds_a: ArrayLike, gaps_a: ArrayLike, kinds_b: ArrayLike, gaps_b: ArrayLike
) -> dict[str, float] | Undefined:
    """The two parts alone, of the gaps of single images: how far the shares of kinds moved them,
    and how far the gaps within a kind moved; and what kinds add that one side has alone."""
    both = []
    for kinds, gaps in ((kinds_a, gaps_a), (kinds_b, gaps_b)):
        names, values = same_length(kinds, gaps)
        values = numbers(values)
        if not values.size or not np.isfinite(values).all():
            return Undefined("a side has no images, or a gap is missing", values.size)
        both.append((names.astype(str), values))
    names = np.unique(np.concatenate([both[0][0], both[1][0]]))
    sums, sizes = [], []
    for kinds_of_side, values in both:
        codes = np.searchsorted(names, kinds_of_side)
        sums.append(
            np.bincount(codes, weights=values, minlength=names.size)[None, :].astype(np.float64)
        )
        sizes.append(np.bincount(codes, minlength=names.size).astype(np.float64)[None, :])
    if not ((sizes[0] > 0) & (sizes[1] > 0)).any():
        return Undefined("the sides share no kind", int(sizes[1].sum()))
    found = _kitagawa(sums[0], sizes[0], sums[1], sizes[1])
    gap = sums[1].sum() / sizes[1].sum() - sums[0].sum() / sizes[0].sum()
    return {"gap": float(gap), **{name: float(value[0]) for name, value in found.items()}}


def who_and_strictness(
    a: Mapping[object, tuple[float, float]], b: Mapping[object, tuple[float, float]]
) -> dict[str, float] | Undefined:
    """Each person's answers and effect (negative is strict) on either side: how far other people
    moved the mean answer, and how far the same people did."""
    alone = sorted(map(str, a.keys() ^ b.keys()))
    if alone:
        return Undefined(
            f"on one side only, so nobody knows how strict on the other: {', '.join(alone)}"
        )
    totals = sum(row[0] for row in a.values()), sum(row[0] for row in b.values())
    if not all(totals):
        return Undefined("nobody answered on one side")
    who = strictness = 0.0
    for rater in sorted(a, key=str):
        shares = a[rater][0] / totals[0], b[rater][0] / totals[1]
        who += (shares[1] - shares[0]) * (a[rater][1] + b[rater][1]) / 2
        strictness += (shares[0] + shares[1]) / 2 * (b[rater][1] - a[rater][1])
    return {"who": who, "strictness": strictness, "change": who + strictness}


@dataclass(frozen=True, slots=True)
class _Images:
    prompt: np.ndarray
    names: np.ndarray
    kinds: np.ndarray
    human: Floats
    judge_old: Floats
    judge_new: Floats

    @classmethod
    def from_side(cls, side: Side, merged: set[str]) -> _Images | Undefined:
        prompts, kinds, *values = same_length(
            side.prompts, side.kinds, side.human, side.judge_old, side.judge_new
        )
        human, old, new = map(numbers, values)
        if not human.size:
            return Undefined("a side has no images")
        if not np.isfinite(human).all() or np.isinf(old).any() or np.isinf(new).any():
            return Undefined("people's answers are missing for some images", human.size)
        names = np.unique(prompts)
        kinds = np.array([OTHER if str(kind) in merged else str(kind) for kind in kinds])
        return cls(group_codes(prompts, human.size)[0], names, kinds, human, old, new)

    def weights(self, counts: Mapping[object, float] | None) -> Floats:
        if counts is None:
            return np.ones(self.names.size)
        by_name = {str(name): float(count) for name, count in counts.items()}
        return np.array([by_name.get(str(name), 0.0) for name in self.names])

    def sums(self, *columns: Floats) -> Floats:
        """Prompts x columns."""
        return np.column_stack(
            [np.bincount(self.prompt, weights=c, minlength=self.names.size) for c in columns]
        )


@dataclass(frozen=True, slots=True)
class _PromptSums:
    """What there is to tell the parts by, as sums by prompt."""

    old: _Images
    new: _Images
    means_a: Floats
    means_b: Floats
    kinds_a: tuple[Floats, Floats]
    kinds_b: tuple[Floats, Floats]
    anchors: dict[str, Floats]
    both_versions: bool
    judge_by: str
    sums: tuple[tuple[str, ...], ...]
    same_scores: tuple[int, int] | None
    unmatched: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def twice(self) -> Floats:
        """As many clusters as there are prompts on the smaller side, for `interval` to count."""
        return np.ones((1, min(self.old.names.size, self.new.names.size)))

    @classmethod
    def from_images(cls, old: _Images, new: _Images, anchors: Anchors | None) -> _PromptSums:
        both = not (np.isnan(old.judge_new).any() or np.isnan(new.judge_old).any())
        tables, same = _anchored(old, anchors)
        judge_by = "both versions on both sides" if both else ""
        if not both and "judge" in tables:
            judge_by = "anchors"
        together: list[tuple[str, ...]] = []
        if "wording" not in tables and "people_and_wording" not in tables:
            together.append(("people", "wording"))
        if not judge_by:
            together.append(("judge",))
        sums: tuple[tuple[str, ...], ...] = ()
        if together:
            sums = ((*[part for parts in together for part in parts], "within"),)
        elif "people_and_wording" in tables:
            sums = (("people", "wording"),)
        if together and "people_and_wording" in tables:
            sums = (("people", "wording"), *sums)
        gap_a, gap_b = old.human - old.judge_old, new.human - new.judge_new
        if both:
            gap_a = old.human - (old.judge_old + old.judge_new) / 2
            gap_b = new.human - (new.judge_old + new.judge_new) / 2
        names = np.unique(np.concatenate([old.kinds, new.kinds]))
        unmatched = {
            side: tuple(sorted(set(one.kinds) - set(other.kinds)))
            for side, one, other in (("a", old, new), ("b", new, old))
        }
        return cls(
            old,
            new,
            old.sums(np.ones_like(gap_a), old.human, old.judge_old, old.judge_new),
            new.sums(np.ones_like(gap_b), new.human, new.judge_old, new.judge_new),
            _by_kind(old, gap_a, names),
            _by_kind(new, gap_b, names),
            tables,
            both,
            judge_by,
            sums,
            same,
            {side: kinds for side, kinds in unmatched.items() if kinds},
        )


def _by_kind(side: _Images, gaps: Floats, names: np.ndarray) -> tuple[Floats, Floats]:
    """Prompts x kinds: sums of the gaps, and how many images."""
    cell = side.prompt * names.size + np.searchsorted(names, side.kinds)
    shape, cells = (side.names.size, names.size), side.names.size * names.size
    sums = np.bincount(cell, weights=gaps, minlength=cells).reshape(shape).astype(np.float64)
    return sums, np.bincount(cell, minlength=cells).reshape(shape).astype(np.float64)


def _anchored(
    old: _Images, anchors: Anchors | None
) -> tuple[dict[str, Floats], tuple[int, int] | None]:
    """By prompt of A: how many anchors show a part, and their changes."""
    if anchors is None or not np.asarray(anchors.images).size:
        return {}, None
    image = np.asarray(anchors.images).astype(np.int64)
    then, old_form, now, was, judged = (
        numbers(np.asarray(column))
        for column in (
            anchors.then,
            anchors.now_old_form,
            anchors.now,
            anchors.judge_old,
            anchors.judge_new,
        )
    )
    changes = {"people": old_form - then, "wording": now - old_form, "judge": was - judged}
    if np.isnan(changes["people"] + changes["wording"]).all():
        changes = {"people_and_wording": now - then, "judge": changes["judge"]}
    found = {}
    for name, change in changes.items():
        there = ~np.isnan(change)
        if there.any():
            prompt, size = old.prompt[image[there]], old.names.size
            found[name] = np.column_stack(
                [
                    np.bincount(prompt, minlength=size).astype(np.float64),
                    np.bincount(prompt, weights=change[there], minlength=size),
                ]
            )
    scored = ~np.isnan(was + judged)
    same = (int((was == judged)[scored].sum()), int(scored.sum())) if scored.any() else None
    return found, same


def _parts(known: _PromptSums, in_a: Floats, in_b: Floats) -> dict[str, Floats]:
    """The gap and its parts for each row of weights of A's and of B's prompts."""
    a = [weighted(in_a, column) for column in known.means_a.T]
    b = [weighted(in_b, column) for column in known.means_b.T]
    human_a, old_a, new_a = (ratio(column, a[0]) for column in a[1:])
    human_b, old_b, new_b = (ratio(column, b[0]) for column in b[1:])
    parts = {"gap": (human_b - new_b) - (human_a - old_a)}
    if known.both_versions:
        parts["judge"] = ((old_a - new_a) + (old_b - new_b)) / 2
    for name, table in known.anchors.items():
        if name != "judge" or known.judge_by == "anchors":
            parts[name] = ratio(weighted(in_a, table[:, 1]), weighted(in_a, table[:, 0]))
    kinds = [weighted(in_a, table) for table in known.kinds_a]
    kinds += [weighted(in_b, table) for table in known.kinds_b]
    whole = [table.sum(axis=0)[None, :] for table in (*known.kinds_a, *known.kinds_b)]
    split = _kitagawa(*kinds, whole=whole)
    shares = {name: split.pop(name) for name in list(split) if name.startswith("share_")}
    split.pop("within")
    parts |= split
    rest = parts["gap"] - sum(value for name, value in parts.items() if name != "gap")
    left = next((parts_ for parts_ in known.sums if "within" in parts_), ("within",))
    order = ("judge", "people", "wording", "within")
    parts["_and_".join(name for name in order if name in left)] = rest
    return parts | shares


def _kitagawa(
    sum_a: Floats,
    size_a: Floats,
    sum_b: Floats,
    size_b: Floats,
    *,
    whole: list[Floats] | None = None,
) -> dict[str, Floats]:
    """Mix and within over the kinds of both sides, and what the kinds of one side add; each a row
    of kinds for each resample.

    `whole` are the four of all data: they say which kinds both sides have, and the mean gap of a
    kind that a resample has lost.
    """
    whole = whole or [sum_a, size_a, sum_b, size_b]
    both = (whole[1] > 0) & (whole[3] > 0)
    found: dict[str, Floats] = {}
    shares, means = [], []
    given = [sum_a, size_a, sum_b, size_b]
    for number, (side, sign) in enumerate((("a", -1.0), ("b", 1.0))):
        sums, sizes = given[2 * number : 2 * number + 2]
        all_sums, all_sizes = whole[2 * number : 2 * number + 2]
        matched = np.where(both, sizes, 0).sum(axis=1)
        alone = np.where(both, 0, sizes).sum(axis=1)
        usual = ratio(np.where(both, sums, 0).sum(axis=1), matched)
        if not both.all() and np.where(both, 0, all_sizes).any():
            share = ratio(alone, matched + alone)
            apart = ratio(np.where(both, 0, sums).sum(axis=1), alone) - usual
            found[f"unmatched_{side}"] = sign * np.where(alone > 0, share * apart, 0.0)
            found[f"share_{side}"] = share
        shares.append(ratio(np.where(both, sizes, 0), matched[:, None]))
        mean = np.where(sizes > 0, ratio(sums, sizes), ratio(all_sums, all_sizes))
        means.append(np.where(both, mean, 0))
    found["mix"] = ((shares[1] - shares[0]) * (means[0] + means[1]) / 2).sum(axis=1)
    found["within"] = ((shares[0] + shares[1]) / 2 * (means[1] - means[0])).sum(axis=1)
    return found


def _many(known: _PromptSums, resamples: int, seed: int) -> dict[str, Floats]:
    """A prompt that both sides have is drawn for both at once."""
    old, new = known.old.names, known.new.names
    names = np.union1d(old, new)
    if names.size == old.size + new.size:
        draws = [
            cluster_counts(side.size, resamples, seed + number)
            for number, side in enumerate((old, new))
        ]
    else:
        drawn = cluster_counts(names.size, resamples, seed)
        draws = [drawn[:, np.searchsorted(names, side)] for side in (old, new)]
    return _parts(known, *draws)


def _chances(values: Mapping[str, Floats], parts: Mapping[str, Result]) -> dict[str, float]:
    """Holm's p of each part, from the resamples that lie on the other side of 0."""
    single = {}
    for name, result in parts.items():
        drawn = values.get(name)
        if drawn is not None and result:
            drawn = drawn[~np.isnan(drawn)]
            beyond = min((drawn <= 0).sum(), (drawn >= 0).sum()) + 1
            single[name] = min(1.0, 2 * float(beyond) / (drawn.size + 1))
    return dict(zip(single, holm(list(single.values())).tolist(), strict=True)) if single else {}


def _thin(prompts: ArrayLike, kinds: ArrayLike) -> set[str]:
    """Kinds of a single prompt."""
    met: dict[str, set] = {}
    for prompt, kind in zip(np.asarray(prompts).tolist(), np.asarray(kinds).tolist(), strict=True):
        met.setdefault(str(kind), set()).add(prompt)
    return {kind for kind, there in met.items() if len(there) == 1}
