"""A draft of the parts of all prompts of a study: made in one go, corrected by people, thrown away or
frozen. Prompts that have atoms already begin with those; the others with what a reader finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from annotations import event_log
from annotations.models import Prompt, Study
from judges.draft_questions import FORMS
from judges.looks.drafts import draft
from judges.models import PartsVersion, PromptParts
from judges.parts.check import hints
from judges.parts.part import YES, Part, of_atoms, of_prompt, without_parts
from jurybox_formats.prompt_grammar.parse import parse, read
from jurybox_formats.prompt_grammar.words import plural
from jurybox_formats.sources.checks import KEY_LENGTH, TEXT_LENGTH, is_sound
from jurybox_judging.engines.openai_server import OpenAIServer
from jurybox_judging.errors import JudgeRefused

GRAMMAR = "the built-in grammar"
MOST_PARTS = 50
LONGEST_QUESTION, LONGEST_ANSWER, MOST_CHOICES = 500, 200, 12
# In one go on a page; the command has no limit.
MOST_PROMPTS = 5_000
OWN = "own"  # the kind of a part that a person has written
# Verbs of prompts that stand without “is”, and what follows “does”.
FINITE = {
    "sits": "sit",
    "stands": "stand",
    "lies": "lie",
    "runs": "run",
    "flies": "fly",
    "jumps": "jump",
    "plays": "play",
    "holds": "hold",
    "wears": "wear",
    "rides": "ride",
    "eats": "eat",
    "drinks": "drink",
    "looks": "look",
    "watches": "watch",
    "chases": "chase",
    "carries": "carry",
    "walks": "walk",
    "swims": "swim",
    "sleeps": "sleep",
}

Find = Callable[[Prompt], Sequence[Part]]


def by_grammar(prompt: Prompt) -> list[Part]:
    found = of_atoms(parse(prompt.text))
    return [_with_does(part, found) if part.kind == "verb" else part for part in found]


def _with_does(part: Part, parts: Sequence[Part]) -> Part:
    """ "Is the dog chases the cat?" is no English; "Does the dog chase the cat?" is."""
    asked, _, rest = part.question.partition(" the ")
    things, _, words = rest.partition(" ")
    named = parts[part.parents[0]].text if part.parents else ""
    for called in (named, plural(named)):
        if rest.startswith(f"{called} "):
            things, words = called, rest.removeprefix(f"{called} ")
    verb, _, after = words.rstrip("?").partition(" ")
    if verb not in FINITE or asked not in ("Is", "Are"):
        return part
    does = "Does" if asked == "Is" else "Do"
    question = " ".join(word for word in (does, "the", things, FINITE[verb], after) if word)
    return replace(part, question=f"{question}?")


def draft_of(study: Study) -> PartsVersion | None:
    return PartsVersion.objects.filter(study=study, frozen_at=None).first()


def frozen_of(study: Study) -> PartsVersion | None:
    """The newest."""
    return PartsVersion.objects.filter(study=study).exclude(frozen_at=None).last()


@transaction.atomic
def make_draft(
    *, study: Study, by: Any = None, find: Find = by_grammar, source: str = GRAMMAR
) -> PartsVersion:
    """A second click makes no second draft."""
    held = draft_of(study)
    if held is not None:
        return held
    prompts = list(study.prompts.order_by("pk").prefetch_related("atoms"))
    if not prompts:
        raise JudgeRefused("This study has no prompts yet. Import images with theirs first.")
    last = PartsVersion.objects.filter(study=study).aggregate(last=Max("number"))["last"] or 0
    try:
        with transaction.atomic():
            version = PartsVersion.objects.create(
                study=study, number=last + 1, source=source[:200], by=by
            )
    except IntegrityError:
        raise JudgeRefused("Somebody has just made a draft of these parts.") from None
    PromptParts.objects.bulk_create(
        (_row(version, prompt, find) for prompt in prompts), batch_size=500
    )
    event_log.note(study, "parts drafted", f"drafted the parts of {len(prompts)} prompts")
    return version


@transaction.atomic
def throw_away(*, study: Study) -> None:
    version = draft_of(study)
    if version is not None:
        version.delete()
        event_log.note(study, "parts thrown away", "threw a draft of the prompts' parts away")


@transaction.atomic
def save_parts(*, row: PromptParts, parts: Sequence[Part]) -> None:
    """What a person has corrected; with it the prompt counts as checked."""
    for number, part in enumerate(parts, 1):
        _check(number, part)
    if len(parts) > MOST_PARTS:
        raise JudgeRefused(f"A prompt has at most {MOST_PARTS} parts.")
    # Whoever freezes it meanwhile has read this row, or waits until it is written.
    open_version = PartsVersion.objects.select_for_update(of=("self",)).filter(
        pk=row.version_id, frozen_at=None
    )
    if open_version.first() is None:
        raise JudgeRefused("This version is frozen. Draft a new one to change its parts.")
    row.parts = [part.as_json for part in parts]
    row.hints = len(hints(row.prompt.text, parts))
    row.is_checked = True
    row.save(update_fields=["parts", "hints", "is_checked"])


def corrected(parts: Sequence[Part], typed: Mapping[str, str]) -> list[Part]:
    """`question-N`, `expected-N` and `choices-N` as a person typed them; an emptied question takes its
    part away. `question-new` adds one."""
    changed, removed = [], set[int]()
    for place, part in enumerate(parts):
        question = typed.get(f"question-{place}", part.question).strip()
        if not question:
            removed.add(place)
        changed.append(
            Part(
                part.kind,
                part.text,
                question,
                typed.get(f"expected-{place}", part.expected).strip() or YES,
                part.parents,
                _choices(typed.get(f"choices-{place}", ", ".join(part.choices))),
            )
        )
    kept = without_parts(changed, removed)
    added = typed.get("question-new", "").strip()
    if added:
        expected = typed.get("expected-new", "").strip() or YES
        kept.append(Part(OWN, "", added, expected, (), _choices(typed.get("choices-new", ""))))
    return kept


def _choices(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for part in text.split(",") if (word := part.strip())))


def _row(version: PartsVersion, prompt: Prompt, find: Find) -> PromptParts:
    parts = of_prompt(prompt) or list(find(prompt))
    return PromptParts(
        version=version,
        prompt=prompt,
        parts=[part.as_json for part in parts],
        hints=len(hints(prompt.text, parts)),
    )


def _check(number: int, part: Part) -> None:
    long_choices = any(len(choice) > KEY_LENGTH for choice in part.choices)
    texts: Iterable[str] = (part.question, part.expected, part.text, *part.choices)
    if not all(is_sound(text) and len(text) <= TEXT_LENGTH for text in texts) or long_choices:
        raise JudgeRefused(f"Part {number} holds characters that cannot be stored.")
    if len(part.question) > LONGEST_QUESTION:
        raise JudgeRefused(f"Part {number}: a question has at most {LONGEST_QUESTION} characters.")
    if len(part.expected) > LONGEST_ANSWER:
        raise JudgeRefused(f"Part {number}: an answer has at most {LONGEST_ANSWER} characters.")
    if len(part.choices) > MOST_CHOICES:
        raise JudgeRefused(f"Part {number} has more than {MOST_CHOICES} choices.")


class ServerDraft:
    def __init__(self, engine: OpenAIServer) -> None:
        self.engine = engine
        self.parts: dict[str, list[Part]] = {}
        self.left_out: dict[str, str] = {}  # why, by the prompt's text

    def read(self, prompts: Sequence[Prompt]) -> None:
        texts = {prompt.key: prompt.text for prompt in prompts}

        def leave_out(key: str, why: str) -> None:
            self.left_out[texts[key]] = why

        rows = draft(FORMS["dsg"], self.engine, list(texts.items()), leave_out)
        for row in rows:
            parents = [int(place) - 1 for place in row["dependency"].split(",") if int(place)]
            question = row["question_natural_language"]
            kind, text = _entity_name(row["category_broad"], row["tuple"], question)
            part = Part(kind, text, question, YES, tuple(parents))
            self.parts.setdefault(row["item_id"], []).append(part)

    def find(self, prompt: Prompt) -> list[Part]:
        return self.parts.get(prompt.key) or by_grammar(prompt)


def _entity_name(kind: str, text: str, question: str) -> tuple[str, str]:
    """An entity whose question names one thing is an object of that name, which a detector looks for."""
    if kind == "entity":
        things, _ = read(question.rstrip("? "))
        if len(things) == 1:
            return "object", things[0].noun
    return kind, text
