"""The numbers that each set's script prints, from a judge's answers about a generator's images.

What a script does by a slip is done only where the slip is named.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from audit.set_scores.edit_figures import NOTHING_STAYS, edit_figures, imagenhub_figures
from audit.set_scores.figure import Figure, ScoredImage, make_figure
from jurybox_formats.sets.edit_sets.points import (
    POINTS,
)
from jurybox_formats.sets.prompt_sets import word_counts
from jurybox_formats.sets.prompt_sets.items import corebench_task
from jurybox_judging.methods import dpg, wise, word_scores
from jurybox_stats.series import Floats

# DPG-Bench's script takes categories from the last picture alone, before anything is zeroed; and it skips the
# first row of its table.
LAST_CROP, FIRST_ROW = "last-crop", "first-row"
SLIPS = {"dpg": (LAST_CROP, FIRST_ROW), "rise": (NOTHING_STAYS,)}
EDITIONS = {"wise": ("verified", "legacy")}


def figures(
    set_name: str, rows: Sequence[ScoredImage], slips: Sequence[str] = (), edition: str = "verified"
) -> list[Figure]:
    if set_name == "dpg":
        return _dpg(rows, slips)
    if set_name == "wise":
        return _wise(rows, edition)
    if set_name == "unigenbench":
        return _unigenbench(rows)
    if set_name == "imagenhub":
        return imagenhub_figures(rows)
    if set_name in POINTS:
        return edit_figures(set_name, rows, slips)
    if set_name == "cvtg" and (counted := [row for row in rows if "total_words" in row.evidence]):
        return [*_counted_words(counted), *_by_area(counted, _counted_words)]
    if set_name == "oneig" and (graded := [row for row in rows if "WAC" in row.evidence]):
        return _one_ig_grids(graded)
    read = [row for row in rows if "read" in row.evidence]
    if read and set_name == "longtext":
        return _long_text(read)
    if read and set_name == "cvtg":
        return [*_long_text(read), *_by_area(read, _long_text)]
    if read and set_name == "oneig":
        return _one_ig_text(read)
    return _means(set_name, rows)


# --- DPG-Bench


def _dpg(rows: Sequence[ScoredImage], slips: Sequence[str]) -> list[Figure]:
    if FIRST_ROW in slips:
        rows = [kept for row in rows if (kept := _without_first_row(row)) is not None]
    crops = Counter(row.prompt for row in rows)
    # The mean over prompts of the mean over their pictures.
    shares = [(row.score / crops[row.prompt], 1 / crops[row.prompt]) for row in rows]
    told = [row for row in rows if row.answers is not None and _questions(row)]
    as_coded = LAST_CROP in slips
    last: dict[str, int] = {}
    for row in rows:
        last[row.prompt] = max(row.sample, last.get(row.prompt, row.sample))
    counted = [
        {} if as_coded and row.sample != last[row.prompt] else _by_category(row, as_coded)
        for row in told
    ]
    names = dict.fromkeys(name for one in counted for name in one)
    return [
        make_figure("DPG-Bench score", rows, shares),
        *(make_figure(name, told, [one.get(name, (0, 0)) for one in counted]) for name in names),
    ]


def _by_category(row: ScoredImage, as_coded: bool) -> Mapping[str, tuple[float, float]]:
    """The sum of its questions' scores, and how many there are."""
    questions, answers = _questions(row), row.answers or ()
    counts = Counter(question.category.partition(" - ")[0] for question in questions)
    if as_coded:
        means = dpg.official_categories(questions, [answers])
        return {name: (means[name] * count, count) for name, count in counts.items()}
    scores = dpg.zeroed(questions, answers)
    sums = dict.fromkeys(counts, 0.0)
    for question in questions:
        sums[question.category.partition(" - ")[0]] += scores[question.number]
    return {name: (sums[name], count) for name, count in counts.items()}


def _questions(row: ScoredImage) -> list[dpg.DpgQuestion]:
    return [
        dpg.DpgQuestion(
            int(one["row"]["proposition_id"]),
            tuple(int(part) for part in one["row"]["dependency"].split(",")),
            one["row"]["tuple"].partition("(")[0].strip(),
        )
        for one in _table(row)
    ]


def _table(row: ScoredImage) -> list[Mapping[str, Any]]:
    return [one for one in row.metadata.get("rows", ()) if one["form"] == "table"]


def _without_first_row(row: ScoredImage) -> ScoredImage | None:
    """As if the first question did not exist. Where others rest on it the script fails, and leaves
    the picture out."""
    table = _table(row)
    if not table or table[0]["place"] != 0:
        return row
    if row.answers is None:
        return None
    questions, answers = _questions(row)[1:], row.answers[1:]
    try:
        score = dpg.dpg_score(questions, [answers])
    except ValueError:
        return None
    metadata = {**row.metadata, "rows": table[1:]}
    return replace(row, metadata=metadata, score=score, answers=answers)


# --- WISE


def _wise(rows: Sequence[ScoredImage], edition: str) -> list[Figure]:
    chosen = {"verified": wise.VERIFIED, "legacy": wise.LEGACY}[edition]
    categories = [wise.category_of(int(row.metadata["number"]), chosen) for row in rows]

    def share(name: str) -> list[tuple[float, float]]:
        pairs = zip(rows, categories, strict=True)
        return [(row.score, 1) if category == name else (0, 0) for row, category in pairs]

    def overall(means: Floats) -> float:
        if np.isnan(means).any():
            return float("nan")
        return wise.wise_overall(dict(zip(wise.CATEGORIES, map(float, means), strict=True)), chosen)

    shares = {name: share(name) for name in wise.CATEGORIES}
    there = [name for name in wise.CATEGORIES if name in categories]
    return [
        make_figure("WiScore", rows, *shares.values(), combine=overall),
        *(make_figure(name, rows, shares[name]) for name in there),
    ]


# --- UniGenBench: over the test points of all images, by the part before the dash, then by all of it


def _unigenbench(rows: Sequence[ScoredImage]) -> list[Figure]:
    def share(name: str) -> list[tuple[float, float]]:
        told: list[tuple[float, float]] = []
        for row in rows:
            values = [
                value
                for place, point in enumerate(row.metadata["test_points"])
                if name in ("", point, _before_dash(point))
                and (value := row.points.get(place)) is not None
            ]
            told.append((sum(values), len(values)))
        return told

    points = dict.fromkeys(point for row in rows for point in row.metadata["test_points"])
    names = dict.fromkeys([*map(_before_dash, points), *points])
    return [
        make_figure("all test points", rows, share("")),
        *(make_figure(name, rows, share(name)) for name in names),
    ]


def _before_dash(point: str) -> str:
    return point.partition("-")[0].strip()


# --- texts


def _long_text(rows: Sequence[ScoredImage]) -> list[Figure]:
    """Words are counted over all images; edits are a mean of images, as CVTG has them."""
    counts, edits = [], []
    for row in rows:
        expected, read = row.evidence["expected"], row.evidence["read"]
        language = word_counts.language_of(expected)
        counts.append(word_counts.count_words(expected, read, language, as_written=False))
        edits.append((word_scores.edit_share(expected, read), 1.0))
    return [make_figure("word accuracy", rows, counts), make_figure("edit similarity", rows, edits)]


def _one_ig_text(rows: Sequence[ScoredImage]) -> list[Figure]:
    language = word_counts.language_of(rows[0].evidence["expected"])
    told = [
        word_scores.one_ig_text([(row.evidence["expected"], row.evidence["read"])], language)
        for row in rows
    ]
    words = [
        word_counts.count_words(
            row.evidence["expected"], row.evidence["read"], language, as_written=True
        )
        for row in rows
    ]
    edits, flawless = (
        [(one.mean_distance, 1.0) for one in told],
        [(one.flawless, 1) for one in told],
    )

    return _one_ig_figures(rows, edits, flawless, words, language)


def _one_ig_figures(
    rows: Sequence[ScoredImage],
    edits: Sequence[tuple[float, float]],
    flawless: Sequence[tuple[float, float]],
    words: Sequence[tuple[float, float]],
    language: str,
) -> list[Figure]:
    def score(shares: Floats) -> float:
        distance, whole, found = map(float, shares)
        return word_counts.one_ig_score(distance, whole, found, language)

    return [
        make_figure("text score", rows, edits, flawless, words, combine=score),
        make_figure("ED", rows, edits),
        make_figure("CR", rows, flawless),
        make_figure("WAC", rows, words),
    ]


def _counted_words(rows: Sequence[ScoredImage]) -> list[Figure]:
    """CVTG's own counts; distances are a mean over all words."""
    counts = [(row.evidence["correct_words"], row.evidence["total_words"]) for row in rows]
    distances = [row.evidence.get("ned_word_data") or () for row in rows]
    return [
        make_figure("word accuracy", rows, counts),
        make_figure("NED", rows, [(sum(one), len(one)) for one in distances]),
    ]


def _by_area(
    rows: Sequence[ScoredImage], read: Callable[[Sequence[ScoredImage]], list[Figure]]
) -> list[Figure]:
    """The same for each file of CVTG's prompts, which is called after the number of its texts; nothing where
    there is one file."""
    areas: dict[str, list[ScoredImage]] = defaultdict(list)
    for row in rows:
        areas["/".join(row.prompt.split("/")[:-1])].append(row)
    if len(areas) < 2:
        return []
    return [
        replace(figure, name=f"{figure.name}, {area}")
        for area, some in sorted(areas.items())
        for figure in read(some)
    ]


def _one_ig_grids(rows: Sequence[ScoredImage]) -> list[Figure]:
    """From one row of numbers for each grid; shares of words weigh by how many words there are."""
    texts = [str(row.metadata["text"]) for row in rows]
    language = word_counts.language_of(texts[0])
    sizes = [len(word_counts.words_of(text, language)) for text in texts]
    edits = [(row.evidence["ED"], 1.0) for row in rows]
    flawless = [(row.evidence["CR"], 1.0) for row in rows]
    words = [
        (row.evidence["WAC"] * size, float(size)) for row, size in zip(rows, sizes, strict=True)
    ]
    return _one_ig_figures(rows, edits, flawless, words, language)


# --- the others: means of images, by the set's classes


def _means(set_name: str, rows: Sequence[ScoredImage]) -> list[Figure]:
    def group(row: ScoredImage) -> str:
        if set_name == "corebench":
            return corebench_task(row.prompt)
        # OneIG's Chinese prompts stand under “zh/” and their category.
        if set_name == "oneig":
            return row.prompt.rpartition("/")[0]
        return row.prompt.partition("/")[0] if "/" in row.prompt else ""

    names = dict.fromkeys(filter(None, map(group, rows)))
    return [
        make_figure("all images", rows, [(row.score, 1) for row in rows]),
        *(
            make_figure(
                name, rows, [(row.score, 1) if group(row) == name else (0, 0) for row in rows]
            )
            for name in names
        ),
    ]
