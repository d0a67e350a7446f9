"""How far are the pairs of a study, and how evenly do sides, generators and slices come up in them?"""

from __future__ import annotations

from django.db.models import Max

from annotations.models import Pair, Study
from annotations.pairs.assign import plan_of
from annotations.pairs.balance import balance
from annotations.stored_answers.question import NoParameters, Question

AT_ONCE = 300  # pairs


def _is_small(study: Study) -> bool:
    return not Pair.objects.filter(study=study).order_by()[AT_ONCE:].exists()


def _draw_label(study: Study, parameters: NoParameters) -> str:
    newest = study.pair_draws.aggregate(newest=Max("pk"))["newest"]
    plan = plan_of(study)
    return f"{newest} {plan and (plan.overlap, plan.asks_quality)}"


PAIRS = Question(
    name="pairs",
    compute=lambda study, parameters: balance(study),
    reads_votes=True,
    facts=_draw_label,
    is_small=_is_small,
    stores_small=False,
)
QUESTIONS = (PAIRS,)
