"""How far are the pairs of a study, and how evenly do sides, generators and slices come up in them?"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict
from typing import Any

from django.db.models import Count, F, Max

from annotations.models import Pair, PairVote, Study
from annotations.pairs import progress
from annotations.pairs.assign import plan_of
from annotations.pairs.draws import EVERYWHERE, Graph
from annotations.pairs.votes import MATCH
from annotations.stored_answers.question import NoParameters, Question

SLICES_SHOWN = 50


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


def balance(study: Study) -> dict[str, Any]:
    votes = PairVote.objects.filter(study=study, current=True).order_by()
    questions = votes.values("question").annotate(
        votes=Count("pk"), people=Count("annotator", distinct=True)
    )
    sides = (
        votes.filter(question=MATCH)
        .exclude(left="")
        .annotate(one=F("pair__first__generator__name"), other=F("pair__second__generator__name"))
        .values_list("one", "other", "left")
        .annotate(Count("pk"))
    )
    left, sided = Counter[str](), Counter[str]()
    for first, second, stood, count in sides:
        left[first if stood == "first" else second] += count
        sided.update({first: count})
        sided.update({second: count})
    pairs, slices = _count_pairs(study)
    plan = plan_of(study)
    return {
        **asdict(progress.study_progress(study)),
        "asks_quality": bool(plan and plan.asks_quality),
        "questions": sorted(questions, key=lambda row: row["question"]),
        "generators": [
            {"name": name, "pairs": count, "left": left[name], "sided": sided[name]}
            for name, count in sorted(pairs.items())
        ],
        "slices": slices,
    }


def _count_pairs(study: Study) -> tuple[Counter[str], list[dict[str, Any]]]:
    """The pairs of each generator, and of each slice: how many, of whom, connected or not."""
    names = dict(study.generators.values_list("pk", "name"))
    rows = (
        Pair.objects.filter(study=study)
        .order_by()
        .values_list("prompt__tags", "first__generator", "second__generator")
        .annotate(Count("pk"))
    )
    pairs: dict[str, int] = Counter()
    of: dict[str, Counter[int]] = defaultdict(Counter)
    graphs: dict[str, Graph] = defaultdict(Graph)
    for tags, one, other, count in rows:
        for name in dict.fromkeys((EVERYWHERE, *map(str, tags))):
            pairs[name] += count
            of[name].update({one: count})
            of[name].update({other: count} if other != one else {})
            graphs[name].join(one, other)
    order = sorted(of, key=lambda name: (name != EVERYWHERE, -pairs[name], name))
    return Counter({names[pk]: count for pk, count in of[EVERYWHERE].items()}), [
        {
            "tag": name,
            "pairs": pairs[name],
            "generators": len(of[name]),
            "least": min(of[name].values()),
            "most": max(of[name].values()),
            "apart": [sorted(names[pk] for pk in part) for part in graphs[name].parts()]
            if len(graphs[name].parts()) > 1
            else [],
        }
        for name in order[:SLICES_SHOWN]
    ]
