"""Whether a model refused instead of answering, by the first words of its reply in English, German or Chinese.

“I cannot see a dog” is an answer. So a refusal names what the model will not do: help, comply, judge this
picture. JSON and quotations begin with other letters than a refusal does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import normalize

from jurybox_judging.protocols import THINKING_CLOSED, Talk

REFUSED = "The model refused: "
_LONGEST = 200  # characters of the model's own words

# Read in a text with single blanks and ASCII punctuation.
_ENGLISH = r"""
    (?:(?:(?:i\sam|i'm|we\sare|we're)\s)?(?:very\s|so\s|really\s)?sorry[,.!;:]?\s?|unfortunately,?\s|i\sapologi[sz]e[,.!;:]?\s?
    |as\san\sai(?:\s(?:language\s)?(?:model|assistant))?,?\s|but,?\s|however,?\s)*
    (?:i|we)(?:\s(?:can(?:'t|not|\snot)|could(?:n't|\snot)|won't|will\snot|(?:must\s|have\sto\s)?(?:decline|refuse))
    |(?:\sam|'m|\sare|'re)\s(?:not\sable|unable|not\sallowed))(?:\sto)?\s
    (?:(?:help(?!\sbut|\s\w+ing\b)|assist|comply|engage|fulfil)|(?:answer|respond|continue|proceed)\b[^.!?]*\b(?:that|this|request)\b
    |do\s(?:that|this)\b
    |(?:provide|give|offer|discuss|process|analy[sz]e|evaluate|rate|judge|assess|score|describe|comment\son|view|see|access)\s
    (?:(?:a|an|any|the|this|that|these|your|such)\s)*
    (?:images?|pictures?|photos?|requests?|content|ratings?|scores?|evaluations?|assessments?|judge?ments?|information)
    (?:[.,;!]|$))"""
_GERMAN = r"""
    (?:(?:es\s)?tut\smir\s(?:sehr\s)?leid[,.!;:]?\s?|entschuldigung[,.!;:]?\s?|leider\s|aber\s|als\ski(?:-\w+)?\s)*
    (?:(?:dabei|damit|das|hierbei|ich|diese\w*\s\w+)\s)?(?:kann|darf|möchte|werde)\s
    [^.!?{"„“]*\bnicht\s(?:(?:weiter)?helfen|behilflich|unterstützen|beantworten|nachkommen|erfüllen|bewerten|beurteilen
    |bearbeiten)\b"""
_CHINESE = r"""
    (?:[很非十][常分]?)?(?:(?:抱歉|对不起|不好意思|遗憾)[,。!]?\s?|作为(?:一[个名])?(?:ai|人工智能)[^,。]{0,12},?\s?|但是?)*
    我?(?:无法|不能|不可以|不便|拒绝|没有办法|没办法)(?:[为对给向][您你此]|继续|直接)*
    (?:(?:提供)?(?:协助|帮助|帮忙)|(?:回答|完成|处理)[这此该您你]|满足|遵从
    |(?:查看|评价|评估|评判|分析|描述|提供)(?:这张|该|此|您的|你的|任何|相关)*(?:图片|图像|照片|请求|内容|信息|评分)(?:[。.,!]|$))"""
_REFUSAL = re.compile(f"(?:{_ENGLISH}|{_GERMAN}|{_CHINESE})", re.IGNORECASE | re.VERBOSE)


def refusal_in(reply: str) -> str:
    """The reason why this reply is no answer; empty where it is one."""
    answer = " ".join(reply.rpartition(THINKING_CLOSED)[2].split())
    is_refusal = _REFUSAL.match(normalize("NFKC", answer).replace("’", "'"))
    return f"{REFUSED}{answer[:_LONGEST]}" if is_refusal else ""


def refusal_of(seen: Mapping[Any, Sequence[str]]) -> str:
    """The first refusal in a conversation that was refused each time, with whatever seed it was held."""
    held: dict[Any, list[str]] = {}
    for talk, replies in seen.items():
        if isinstance(talk, Talk):
            held.setdefault((talk.turns, talk.pictures), []).append(refusal_in_any(replies))
    return next((reasons[0] for reasons in held.values() if all(reasons)), "")


def refusal_in_any(replies: Sequence[str]) -> str:
    return next(filter(None, map(refusal_in, replies)), "")
