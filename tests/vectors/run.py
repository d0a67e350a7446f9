"""One file of golden vectors through the code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.vectors import agreement, causes, contests, labels, people, ranks, rules, training_sets
from tests.vectors.compare import Compared

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
    "label_plan": labels.plan,
    "m3t2i_brute_force": rules.m3t2i,
    "mtme_grouping": agreement.grouping,
    "mtme_kendall_variants": agreement.kendall_variants,
    "mtme_permutation": agreement.permutations,
    "mtme_sampled": agreement.sampled,
    "mtme_tie_calibration": agreement.tie_calibration,
    "paired_preferences": contests.fits,
    "revise": rules.revise,
    "severity_fixed_effects": people.severity,
    "soft_pairwise": ranks.soft_pairwise,
    "tifa_benchmark": rules.tifa_benchmark,
    "tifa_filter": rules.tifa_filter,
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


@dataclass(frozen=True)
class Outcome:
    name: str
    agree: int
    total: int
    miss: str = ""

    @property
    def agrees(self) -> bool:
        return 0 < self.total == self.agree

    def as_line(self) -> str:
        line = f"{self.name}: {self.agree} of {self.total} agree"
        return f"{line}\n  {self.miss}" if self.miss else line


def run(file: Path) -> Outcome:
    check = CHECKS.get(file.stem)
    if check is None:
        known = ", ".join(sorted(CHECKS))
        return Outcome(file.stem, 0, 0, f"no function is known for this name; known: {known}")
    bundle = json.loads(file.read_text(encoding="utf-8"))
    cases = _cases(file.stem, bundle)
    agree, miss = 0, ""
    for number, case in enumerate(cases):
        wrong = next((c for c in check(case, bundle) if not c.agrees), None)
        if wrong is None:
            agree += 1
        elif not miss:
            miss = f"{case.get('id', number) if isinstance(case, dict) else number}: {wrong}"
    return Outcome(file.stem, agree, len(cases), miss)


def _cases(name: str, bundle: dict[str, Any]) -> list[Any]:
    if name == "genai_image_eval":
        return [bundle]
    return [*bundle["cases"], *bundle.get(MORE.get(name, ""), ())]
