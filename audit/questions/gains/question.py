"""What has repairing images gained?"""

from __future__ import annotations

from annotations.models import Study
from annotations.stored_answers.question import NoParameters, Question
from audit.models import Finding
from audit.repairs.gains import findings_by_state, gains_of_a_page


def _confirmed(study: Study, parameters: NoParameters) -> str:
    """Changes when somebody says whether a finding is real."""
    counts = findings_by_state(study)
    return f"{counts[Finding.State.REAL]} {counts[Finding.State.WRONG]}"


GAINS = Question(
    name="gains",
    compute=lambda study, parameters: gains_of_a_page(study),
    facts=_confirmed,
    stores_small=False,
)
QUESTIONS = (GAINS,)
