"""What do the labels so far tell somebody who plans how many more are needed?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotations.models import Study
from annotations.stored_answers.question import Question
from audit.next_labels.pilots import pilots


@dataclass(frozen=True, slots=True)
class Parameters:
    """`judge`: whose help is counted on; empty for all."""

    question: str
    judge: str


def compute(study: Study, parameters: Parameters) -> dict[str, Any]:
    return pilots(study, parameters.question, (parameters.judge,) if parameters.judge else ())


PLAN = Question(name="plan", compute=compute, parameters=Parameters, stores_small=False)
QUESTIONS = (PLAN,)
