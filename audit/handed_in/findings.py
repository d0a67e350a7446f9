"""The question and the findings, a paragraph each. With many judges the paragraph counts them
and tells of those that drift; the tables have every one."""

from __future__ import annotations

from typing import Any

from django.utils import translation

from audit.view import by_urgency
from audit.words import drift_state, page_sentences
from audit.words import report as report_words
from audit.words.numbers import count_words, join_names
from audit.words.report import title

# With more judges, those that hold are counted and named in one sentence.
EACH = 3


def question_name(body: dict[str, Any]) -> str:
    people, judges = body["people"], len(body["judges"])
    images = sum(generator["images"] for generator in body["generators"])
    generators = len(body["generators"])
    work = (
        f"{count_words(people['raters'], 'person', 'people')} gave {count_words(people['annotations'], 'answer')} "
        f"about {_some_of(people['images'], images)} by {count_words(generators, 'generator')}, to "
        f"the question “{body['question']}”"
    )
    if not judges:
        return f"{work}. No judge has scored these images yet."
    doubt = (
        "Does the judge agree with people, and does it still"
        if judges == 1
        else "Do the judges agree with people, and do they still"
    )
    return (
        f"{work}; {count_words(judges, 'automated judge')} scored the same images. {doubt} on generators "
        "that are newer?"
    )


def _some_of(labelled: int, images: int) -> str:
    return (
        f"all {count_words(images, 'image')}"
        if labelled == images
        else f"{labelled} of {count_words(images, 'image')}"
    )


def findings(body: dict[str, Any]) -> str:
    if lacking := report_words.what_is_lacking(body):
        return lacking
    of_best = page_sentences.of_judges(body)
    if len(body["judges"]) <= EACH:
        return " ".join([*report_words.sentences(body), *of_best])
    ceiling = of_best[-1:] if len(of_best) > 1 else []
    behind = page_sentences.all_behind(body["comparison"]["judges"])
    return " ".join([*_of_many(body), of_best[0], *behind, *ceiling])


def _of_many(body: dict[str, Any]) -> list[str]:
    drifting = {
        name: body["judges"][name]
        for name in by_urgency(body["judges"])
        if drift_state.state_of(body["judges"][name]) == drift_state.DRIFTS
    }
    shown = list(drifting)[:EACH]
    # Where somebody hands it in, it is read in English.
    with translation.override("en"):
        counts = report_words.tally(body["judges"])
    lines = [
        counts,
        *(drift_state.sentence(title(name), drifting[name]) for name in shown),
    ]
    if more := list(drifting)[EACH:]:
        lines.append(
            f"So {'does' if len(more) == 1 else 'do'} {join_names([title(name) for name in more])}."
        )
    return lines
