"""What has repairing images gained? Or, between two generators, what has training gained?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import Question
from annotations.stored_answers.question import is_small as is_small_study
from audit.models import Finding
from audit.repairs.before_after import before_after
from audit.repairs.gains import NONE, findings_by_state, gains
from audit.reports.options import sign


@dataclass(frozen=True, slots=True)
class Parameters:
    """Two generators, the one of before training and the one of after; none for the gains of repairs."""

    before: str = ""
    after: str = ""

    def __post_init__(self) -> None:
        if bool(self.before) != bool(self.after):
            raise Refused("Give --before and --after together.")


def compute_gains(study: Study, parameters: Parameters) -> dict[str, Any]:
    if parameters.before:
        return before_after(study, parameters.before, parameters.after)
    return gains(study)


def _compute(study: Study, parameters: Parameters) -> dict[str, Any]:
    if parameters.before or _is_confirmed(study):
        return compute_gains(study, parameters)
    return _nothing(study)


def _is_confirmed(study: Study) -> bool:
    return Finding.objects.filter(study=study, state=Finding.State.REAL).exists()


def _nothing(study: Study) -> dict[str, Any]:
    """Without a real finding nothing is read."""
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "repaired": 0,
        "first": [],
        "rows": [],
        "real": {"undefined": NONE, "n": 0},
        "signature": {**sign("", ""), "judges": {}},
    }


def _states(study: Study, parameters: Parameters) -> str:
    """Change when somebody says whether a finding is real."""
    counts = findings_by_state(study)
    return f"{counts[Finding.State.REAL]} {counts[Finding.State.WRONG]}"


GAINS = Question(
    name="gains",
    compute=_compute,
    parameters=Parameters,
    facts=_states,
    is_small=lambda study: is_small_study(study) or not _is_confirmed(study),
    stores_small=False,
)
QUESTIONS = (GAINS,)
