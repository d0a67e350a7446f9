"""causes."""

from __future__ import annotations

from collections.abc import Iterator

from jurybox_stats import causes
from tests.vectors.compare import Compared, columns, near, same, undefined, with_nan

PARTS = ("mix", "within", "judge", "people", "wording", "unmatched_a", "unmatched_b")
ANCHOR = ("then", "now_old_form", "now", "judge_old", "judge_new")
TIGHT = 1e-12


def attribution(case: dict, bundle: dict) -> Iterator[Compared]:
    if case["kind"] == "who and strictness":
        ours = causes.who_and_strictness(case["a"], case["b"])
        nothing = list(undefined(ours, case, case["expected"]))
        yield from nothing
        if not nothing:
            yield from (near(key, ours[key], case["expected"][key], TIGHT) for key in ours)
    elif isinstance(case["a"], dict):
        yield from _five_parts(case)
    else:
        yield from _two_parts(case)


def _two_parts(case: dict) -> Iterator[Compared]:
    expected = case["expected"]
    a, b = (columns(case[side], 2) for side in "ab")
    ours = causes.mix_and_within(*a, *b)
    nothing = list(undefined(ours, case, expected))
    yield from nothing
    if nothing:
        return
    for key in ("gap", *PARTS):
        if key in expected or key in ours:
            yield near(key, ours.get(key, 0.0), expected.get(key, 0.0), TIGHT)
    for side in "ab":
        share = expected.get(f"unmatched_share_{side}", 0.0)
        yield near(f"share of {side}", ours.get(f"share_{side}", 0.0), share, TIGHT)


def _five_parts(case: dict) -> Iterator[Compared]:
    expected = case["expected"]
    ours = causes.attribute(
        *(_side(case[side]) for side in "ab"),
        _anchors(case["anchors"]),
        counts_a=case.get("counts_a"),
        counts_b=case.get("counts_b"),
        resamples=20,
    )
    nothing = list(undefined(ours, case, expected))
    yield from nothing
    if nothing:
        return
    yield near("gap", ours.gap.value, expected["gap"], TIGHT)
    for key in {*ours.parts, *(key for key in expected if key in PARTS or "_and_" in key)}:
        result = ours.parts.get(key)
        yield near(key, result.value if result else None, expected.get(key), TIGHT)
    total = sum(result.value for result in ours.parts.values())
    yield near("the sum of the parts", total, expected["gap"], TIGHT)
    sums = {frozenset(parts) for parts in ours.only_as_a_sum}
    wanted = {frozenset(parts) for parts in expected.get("only_as_a_sum", ())}
    yield same("only as a sum", sums, wanted)
    yield same("judge by", ours.judge_by, expected.get("judge_by", ""))
    yield same("merged", list(ours.merged), expected.get("merged_into_other", []))
    if "anchors_with_the_same_score" in expected:
        yield same("same scores", list(ours.same_scores), expected["anchors_with_the_same_score"])
    for side in "ab":
        kinds = expected.get(f"unmatched_kinds_{side}", [])
        yield same(f"kinds of {side} alone", list(ours.unmatched.get(side, ())), kinds)


def _side(table: dict) -> causes.Side:
    prompts, kinds, *values = columns(table["rows"], 5)
    return causes.Side(prompts, kinds, *map(with_nan, values))


def _anchors(rows: list[dict]) -> causes.Anchors | None:
    if not rows:
        return None
    return causes.Anchors(
        [row["image"] for row in rows],
        *(with_nan([row[key] for row in rows]) for key in ANCHOR),
    )
