"""Does a judge favour the generators of its own family?"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from annotations.models import Study
from audit.questions.card.rows import FAMILY, SCORE, not_measured, row
from audit.reports.pairing import pair, questions_of
from judges.models import Judge
from jurybox_stats.cards.family import favour
from jurybox_stats.instrument.moments import mid_ranks

# Who made it, by what names of weights and of generators begin with or hold.
FAMILIES = {
    "Alibaba": ("qwen", "wan", "z-image", "tongyi"),
    "Black Forest Labs": ("flux", "kontext"),
    "ByteDance": ("seed", "doubao", "bagel", "seedream"),
    "DeepSeek": ("deepseek", "janus"),
    "Google": ("gemini", "gemma", "imagen", "nano", "paligemma", "siglip"),
    "OpenAI": ("gpt", "dall", "dalle", "chatgpt", "o3", "o4"),
    "Salesforce": ("blip", "blip2", "instructblip"),
    "Shanghai AI Lab": ("internvl", "internlm"),
    "Tencent": ("hunyuan", "hunyuanimage"),
    "xAI": ("grok", "aurora"),
    "Zhipu": ("glm", "cogview", "cogvlm"),
}
NO_FAMILY = "no family is known by the name of its weights: name one with family="
NO_ANSWERS = "nobody has answered a question about a whole image"
NO_GENERATOR = "no generator of its family ({}) is in this study"


def family_of(*names: str) -> str:
    """Of the first name that tells one; empty where none does."""
    for name in names:
        parts = re.split(r"[^a-z0-9]+", name.lower())
        for family, words in FAMILIES.items():
            if any(
                re.fullmatch(rf"{word}[0-9.]*(?:vl|omni)?", part)
                for word in words
                for part in parts
            ):
                return family
    return ""


def rows_of_family(study: Study, name: str, judge: Judge, named: str) -> list[dict[str, Any]]:
    """`named`: a family, or generators of it with a comma between, as a person says."""
    family = named or family_of(judge.checkpoint, judge.name)
    if not family:
        return [not_measured(FAMILY, NO_FAMILY)]
    questions = questions_of(study)
    if not questions:
        return [not_measured(FAMILY, NO_ANSWERS)]
    paired = pair(study=study, question=questions[0])
    people = paired.people
    listed = {one.strip().lower() for one in family.split(",")}
    own = np.array(
        [g.lower() in listed or family_of(g).lower() in listed for g in people.generator_names]
    )
    if not own.any():
        return [not_measured(FAMILY, NO_GENERATOR.format(family))]
    scores = next(one.scores for one in paired.judges if one.name == name)
    there = ~np.isnan(scores) & (people.answers.count > 0)
    used = np.unique(people.generators[there])
    score = scores[there]
    if not score.size:
        return [not_measured(FAMILY, NO_ANSWERS)]
    if score.min() < 0 or score.max() > 1:
        score = mid_ranks(score)
    found = favour(
        score,
        people.answers.answers_where(there),
        np.searchsorted(used, people.generators[there]),
        np.unique(people.prompts[there], return_inverse=True)[1],
        own[used],
    )
    what = gettext_noop(f"own family ({family}) scored higher than people’s answers let expect, by")
    return [row(FAMILY, what, SCORE, found, family=family)]
