"""One file of golden vectors through the code."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.vectors import (
    agreement,
    causes,
    contests,
    instrument,
    labels,
    panels,
    people,
    published,
    ranks,
    rules,
    today,
    training_sets,
)
from tests.vectors.compare import Compared, expects_refusal

# A check yields what a case expects and what the code said, for each value that it compares.
Check = Callable[[dict[str, Any], dict[str, Any]], Iterator[Compared]]
CHECKS: dict[str, Check] = {
    "alt_test": people.alt_test,
    "assisted_active": labels.drawn,
    "assisted_mean": labels.mean,
    "causes": causes.attribution,
    "compbench_2d_full": rules.compbench_2d,
    "compbench_3in1": rules.compbench_3in1,
    "compbench_blip_product": rules.compbench_product,
    "compbench_numeracy": rules.compbench_numeracy,
    "compbench_position": rules.compbench_position,
    "compbench_pre_question": rules.compbench_question,
    "conditional_logit": people.conditional_severity,
    "cut_reading": instrument.cuts,
    "dawid_skene": people.dawid_skene,
    "dsg_parse": rules.dsg_parse,
    "dsg_score": rules.dsg_score,
    "escalation": labels.escalation,
    "genai_calc_metric": agreement.genai_metrics,
    "genai_image_eval": agreement.genai_evaluation,
    "genai_rank": agreement.genai_rank,
    "geneval2_aggregate": rules.geneval2_aggregate,
    "geneval2_eval": rules.geneval2_eval,
    "geneval_evaluate": rules.geneval_evaluate,
    "geneval_geometry": rules.geneval_geometry,
    "geneval_summary": rules.geneval_summary,
    "goodhart": ranks.goodhart,
    "gors": training_sets.gors,
    "imagenhub_published": published.imagenhub,
    "instrument": instrument.comparison,
    "label_plan": labels.plan,
    "m3t2i_brute_force": rules.m3t2i,
    "mtme_grouping": agreement.grouping,
    "mtme_kendall_variants": agreement.kendall_variants,
    "mtme_permutation": agreement.permutations,
    "mtme_sampled": agreement.sampled,
    "mtme_tie_calibration": agreement.tie_calibration,
    "panel": panels.tested,
    "paired_preferences": contests.fits,
    "revise": rules.revise,
    "severity_fixed_effects": people.severity,
    "soft_pairwise": ranks.soft_pairwise,
    "tifa_benchmark": rules.tifa_benchmark,
    "tifa_filter": rules.tifa_filter,
    "today_scores": today.scores,
    "vqascore_clipt5_likelihood": rules.vqascore_likelihood,
    "vqascore_gpt_logprobs": rules.vqascore_listed,
    "water_filling": labels.water_filling,
}
# Cases that stand beside “cases”, under a name of their own.
MORE = {
    "compbench_position": "cases_3d",
    "geneval_geometry": "iou",
    "tifa_filter": "f1",
}


# A refusal is the code's own; a ValueError of the runner is not one.
ROOT = Path(__file__).resolve().parents[2]
CODE = tuple(str(ROOT / package) + "/" for package in ("audit", "judges", "packages"))
LONGEST = 300  # characters of a line about a case


@dataclass(frozen=True)
class Outcome:
    name: str
    agree: int
    total: int
    misses: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        return 0 < self.total == self.agree

    def lines(self) -> list[str]:
        count = f"{self.name}: {self.agree} of {self.total} agree"
        return [*(f"  {miss}" for miss in self.misses), count]


def run(file: Path) -> Outcome:
    check = CHECKS.get(file.stem)
    if check is None:
        return Outcome(file.stem, 0, 0, ("no function for this file yet",))
    try:
        bundle = json.loads(file.read_text(encoding="utf-8"))
        cases = _cases(file, bundle)
    except (OSError, ValueError, RecursionError) as problem:
        return Outcome(file.stem, 0, 0, (_short(f"cannot be read: {_why(problem)}"),))
    problems = [(name, _problem(check, case, bundle)) for name, case in cases]
    misses = tuple(_short(f"{name}: {problem}") for name, problem in problems if problem)
    return Outcome(file.stem, len(cases) - len(misses), len(cases), misses)


def _cases(file: Path, bundle: Any) -> list[tuple[str, Any]]:
    """Each case with its name: its id, or its place in its list."""
    if not isinstance(bundle, dict):
        raise ValueError("this is no object with “cases”")
    name = file.stem
    if name == "imagenhub_published":
        try:
            return published.with_ratings(file, bundle)
        except (AttributeError, KeyError) as problem:
            raise ValueError("this is no object with “tasks”") from problem
    if name == "genai_image_eval":
        return [("the study", bundle)]
    named = []
    for key in ("cases", MORE.get(name)):
        if key is None or (key != "cases" and key not in bundle):
            continue
        if not isinstance(bundle.get(key), list):
            raise ValueError(f"“{key}” is no list")
        for place, case in enumerate(bundle[key]):
            own = case.get("id") if isinstance(case, dict) else None
            named.append((f"{key}[{place}]" + (f" {own}" if own is not None else ""), case))
    return named


def _problem(check: Check, case: Any, bundle: dict[str, Any]) -> str:
    """Why this case does not agree; empty if it does. Whatever a file holds, the next case is run."""
    compared = False
    try:
        for found in check(case, bundle):
            compared = True
            if not found.agrees:
                return str(found)
    except (Exception, pytest.skip.Exception, pytest.fail.Exception) as problem:
        if isinstance(problem, ValueError) and _is_of_the_code(problem):
            return "" if expects_refusal(case) else f"refused: {problem}"
        return f"cannot be run or compared: {_why(problem)}"
    return "" if compared else "nothing to compare"


def _is_of_the_code(problem: ValueError) -> bool:
    return any(
        frame.filename.startswith(CODE) for frame in traceback.extract_tb(problem.__traceback__)
    )


def _why(problem: BaseException) -> str:
    if isinstance(problem, KeyError):
        return f"there is no {problem}"
    return f"{type(problem).__name__}: {problem}"


def _short(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} …"
