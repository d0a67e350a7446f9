"""The body of a report -> the document to hand in. Every word and number follows from the body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.utils import translation

from audit.exhibits import Table
from audit.handed_in import tables
from audit.handed_in.document import Document, Figure, Section
from audit.handed_in.figures import figures
from audit.statistic_names import BAND
from audit.view import by_urgency
from audit.words import drift_state, page_sentences, titles
from audit.words import report as report_words
from audit.words.numbers import count_words, join_names
from audit.words.report import title

# With more judges, those that hold are counted and named in one sentence.
EACH = 3


TERMS = (
    (
        "net deviation",
        "People’s score less the judge’s, in points: above 0 the judge is too strict. Within "
        f"±{BAND:g} points a judge is in line with people.",
    ),
    (
        "AUROC",
        "How often the judge scores an image that people call right above one that they call wrong; "
        "0.5 is chance.",
    ),
    ("κ", "Cohen’s kappa of verdicts: agreement beyond chance; 0 is chance, 1 is complete."),
    ("agreement", "Share of images on which the judge’s verdict is that of people."),
    ("τ-b", "Kendall’s rank correlation with people’s mean, corrected for ties."),
    (
        "pairwise",
        "Share of pairs of images that the judge puts in people’s order. Its ties are equal scores (as they "
        "are), or scores nearer than the best ε (calibrated).",
    ),
    (
        "drift",
        "A judge drifts when it reads newer generators otherwise than older ones, or tells good from bad "
        "less; the rule stands below under “drift”.",
    ),
)


def compose(body: dict[str, Any], *, title: str = "", made: str = "") -> Document:
    """`title` is the study's own, `made` the day of the report; neither is part of the body."""
    titles.remember(body)
    return Document(
        title="How far automated judges agree with people"
        if body["judges"]
        else "What people say of generated images",
        study=title or body["study"],
        simulated=body["simulated"],
        made=made,
        asked=question_name(body),
        findings=findings(body),
        sections=tuple(_numbered(_sections(body))),
        signature=tuple(report_words.signature(body)),
        signed=signed(body),
        terms=TERMS if body["judges"] else (),
    )


def signed(body: dict[str, Any]) -> str:
    """What a table that is cut out of the document must carry along."""
    known = body["signature"]
    judges = ", ".join(f"{name} {fingerprint}" for name, fingerprint in known["judges"].items())
    parts = [
        f"Jurybox {known['version']}",
        f"study {body['study']}{' (simulated)' if body['simulated'] else ''}",
        f"question {body['question']}",
        f"{known['resamples']} resamples, seed {known['seed']}",
        f"data {known['data'][:12]}",
        *([f"judges {judges}"] if judges else []),
    ]
    return "; ".join(parts) + "."


def _sections(body: dict[str, Any]) -> list[Section]:
    drawn, listed = [], []
    lacking: list[str] = []
    if not report_words.what_is_lacking(body):
        drawn = figures(body)
        listed.append(tables.overall(body))
        for statistic in tables.BY_GENERATOR:
            made = tables.by_generator(body, statistic)
            listed += made
            if not made:
                lacking.append(tables.why_not(body, statistic))
        if (to_the_best := tables.differences(body)) is not None:
            listed.append(to_the_best)
    over_time = [figure for figure in drawn if figure.over_time]
    sections = [Section("The study", blocks=(tables.generators(body),))]
    if over_time:
        sections.append(
            Section("Judges over the release dates of generators", blocks=(*over_time,))
        )
    if listed:
        at_once = [figure for figure in drawn if not figure.over_time]
        sections.append(
            Section("Judges compared with people", tuple(lacking), blocks=(*at_once, *listed))
        )
    missing = report_words.missing(body)
    sections.append(
        Section("What is missing", points=(*missing, *missing_images(body)))
        if missing
        else Section(
            "What is missing", ("Nothing: every image has labels and every judge’s score.",)
        )
    )
    return sections


def _numbered(sections: Iterable[Section]) -> Iterable[Section]:
    """Figures and tables are counted apart, through the whole document."""
    seen = {Figure: 0, Table: 0}
    for section in sections:
        blocks = []
        for block in section.blocks:
            seen[type(block)] += 1
            blocks.append(replace(block, number=seen[type(block)]))
        yield replace(section, blocks=tuple(blocks))


def missing_images(body: dict[str, Any]) -> list[str]:
    """The missing images that the report names."""
    listed = body["missing"].get("named", {})
    lines = []
    if listed.get("labels"):
        lines.append(f"No label: {_some(listed['labels'], body['missing']['labels'])}.")
    for judge, lacking in listed.get("scores", {}).items():
        counts = body["missing"]["scores"][judge]
        for kind, words in (("absent", "not scored"), ("failed", "could not be scored")):
            if lacking[kind]:
                shown = _some(lacking[kind], counts[kind])
                lines.append(f"{report_words.title(judge)}, {words}: {shown}.")
    return lines


def _some(names: list[str], total: int) -> str:
    more = total - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


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
