"""Scores of today's benchmarks: DPG-Bench, LongText, OneIG's text, WISE in both editions."""

from __future__ import annotations

from collections.abc import Iterator

from jurybox_judging.methods import dpg, wise, word_scores
from tests.vectors.compare import Compared, near, same


def scores(case: dict, bundle: dict) -> Iterator[Compared]:
    yield from KINDS[case["kind"]](case["inputs"], case["expected"])


def _long_text(inputs: dict, expected: dict) -> Iterator[Compared]:
    shares, pooled = word_scores.long_text(_rows(inputs), inputs["mode"])
    yield near("by row", shares, expected["by_row"])
    yield near("text score", pooled, expected["text_score"])


def _one_ig_text(inputs: dict, expected: dict) -> Iterator[Compared]:
    ours = word_scores.one_ig_text(_rows(inputs), inputs["mode"])
    yield near("edit distance", ours.distances, expected["edit_distance"])
    yield near("word accuracy", ours.shares, expected["word_accuracy"])
    yield near("ED", ours.mean_distance, expected["ED"])
    yield near("CR", ours.flawless, expected["CR"])
    yield near("WAC", ours.words, expected["WAC"])
    yield near("text score", ours.score, expected["text_score"])


def _rows(inputs: dict) -> list[tuple[str, str]]:
    return [
        (text if isinstance(text := row["text"], str) else "\n".join(text), row["read"])
        for row in inputs["rows"]
    ]


def _dpg(inputs: dict, expected: dict) -> Iterator[Compared]:
    questions = [
        dpg.DpgQuestion(row["proposition_id"], tuple(row["dependency"]), row["category"])
        for row in inputs["questions"]
    ]
    yield near("score", dpg.dpg_score(questions, inputs["answers"]), expected["official_score"])
    by_category = expected["official_by_category_last_crop_unzeroed"]
    yield from _means(dpg.official_categories(questions, inputs["answers"]), by_category)


def _wise_legacy(inputs: dict, expected: dict) -> Iterator[Compared]:
    names = ("consistency", "realism", "aesthetic_quality")
    rows = [
        (row["prompt_id"], wise.legacy_grade(*(row[name] for name in names)))
        for row in inputs["rows"]
    ]
    yield from _wise(rows, wise.LEGACY, expected)


def _wise_verified(inputs: dict, expected: dict) -> Iterator[Compared]:
    rows = [(row["prompt_id"], row["score"]) for row in inputs["rows"]]
    yield from _wise(rows, wise.VERIFIED, expected)


def _wise(rows: list, edition: wise.WiseEdition, expected: dict) -> Iterator[Compared]:
    means = wise.wise_categories(rows, edition)
    yield from _means(means, expected["by_category"])
    yield near("overall", wise.wise_overall(means, edition), expected["overall"])


def _means(ours, expected: dict) -> Iterator[Compared]:
    yield same("categories", sorted(ours), sorted(expected))
    for name in expected.keys() & ours.keys():
        yield near(name, ours[name], expected[name])


KINDS = {
    "longtext": _long_text,
    "oneig_text": _one_ig_text,
    "dpg": _dpg,
    "wise_legacy": _wise_legacy,
    "wise_verified": _wise_verified,
}
