"""Grades of edits in the files that the sets' own scripts write, from one judge's scores.

A judge that filled in the set's form has a grade for each of its points in what it kept; so has one whose
grades came with the set's own files. What else stood in these goes out with them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from judges.models import Score
from jurybox_formats.sets.edit_sets.grades import COLUMNS, KRIS_GRADES, RISE_GRADES
from jurybox_formats.sets.edit_sets.points import (
    FREE,
    POINTS,
    RISE_CATEGORIES,
    semantic_consistency,
)
from jurybox_formats.sets.prompt_sets.files import as_table

Files = dict[str, str]


def grades_of(name: str, evidence: Mapping[str, Any]) -> dict[str, float]:
    """By the points of the set, whichever form the answers are from."""
    read = {one["name"]: one["score"] for one in evidence.get("answers") or ()}
    told = {point: float(value) for point, value in read.items() if value is not None}
    if name == "gedit" and {"success", "no_over_editing"} <= told.keys():
        told["semantic_consistency"] = semantic_consistency(told)
    # The form asks for what is kept before what looks right.
    renamed = {"detail": "second", "realism": "third"} if name == "imgedit" else {}
    told = {renamed.get(point, point): value for point, value in told.items()}
    points = POINTS[name].names
    return {point: value for point in points if (value := told.get(point)) is not None}


def _graded(name: str, scores: Sequence[Score]) -> list[tuple[Score, dict[str, float]]]:
    """Those that have a score; the scripts leave out the others."""
    found = [
        (score, grades_of(name, score.evidence)) for score in scores if score.value is not None
    ]
    return [(score, grades) for score, grades in found if grades]


def _write_gedit(generator: str, judge: str, scores: Sequence[Score]) -> Files:
    tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for score, grades in _graded("gedit", scores):
        prompt = score.image.prompt
        language, _, key = prompt.key.partition("/")
        kind = prompt.tags[0]
        row = {
            "key": key,
            "edited_image": f"{generator}/fullset/{kind}/{language}/{key}.png",
            "instruction": prompt.text,
            "sementics_score": f"{grades['semantic_consistency']:g}",
            "quality_score": f"{grades['perceptual_quality']:g}",
            "intersection_exist": prompt.metadata.get("intersection", ""),
            "instruction_language": language,
        }
        tables[kind].append(row | score.evidence.get(COLUMNS, {}))
    return {
        f"{generator}/{generator}_{kind}_all_vie_score_{judge}.csv": as_table(rows)
        for kind, rows in tables.items()
    }


def _write_imgedit(generator: str, judge: str, scores: Sequence[Score]) -> Files:
    replies = {}
    for score, grades in _graded("imgedit", scores):
        kept = score.evidence.get(COLUMNS, {}).get("reply")
        lines = "\n".join(f"{point.capitalize()}: {value:g}" for point, value in grades.items())
        replies[score.image.prompt.key] = kept if isinstance(kept, str) else lines
    return _as_json(f"{generator}/result_{judge}.json", replies)


def _write_kris(generator: str, judge: str, scores: Sequence[Score]) -> Files:
    files: Files = {}
    categories: dict[str, dict[str, Any]] = defaultdict(dict)
    for score, grades in _graded("kris", scores):
        category, _, id = score.image.prompt.key.partition("/")
        told = {
            name: _whole(grades[point]) for point, name in KRIS_GRADES.items() if point in grades
        }
        instruction = {"instruction": score.image.prompt.text}
        categories[category][id] = instruction | score.evidence.get(COLUMNS, {}) | told
    for category, rows in categories.items():
        files |= _as_json(f"{generator}/{category}/metrics_{judge}.json", rows)
    return files


def _write_rise(generator: str, judge: str, scores: Sequence[Score]) -> Files:
    rows = []
    for score, grades in _graded("rise", scores):
        prompt = score.image.prompt
        told = {
            name: f"{grades[point]:g}" if point in grades else ""
            for point, name in RISE_GRADES.items()
        }
        kept = score.evidence.get(COLUMNS, {})
        rows.append(
            {
                "index": prompt.key,
                "category": next((tag for tag in prompt.tags if tag in RISE_CATEGORIES), ""),
                "instruction": prompt.text,
                **({FREE: prompt.metadata[FREE]} if FREE in prompt.metadata else {}),
                **kept,
                **told,
                "score": f"{score.value:.10g}",
                "complete": int(is_complete(prompt.tags, prompt.metadata, grades)),
            }
        )
    return {f"{generator}/{generator}_judge_{judge}.csv": as_table(rows)} if rows else {}


def is_complete(
    tags: Collection[str], metadata: Mapping[str, Any], grades: Mapping[str, float]
) -> bool:
    """Whether every point that the edit is graded by has the best grade."""
    points = POINTS["rise"]
    wanted = points.wanted(tags, bool(metadata.get(FREE)))
    return all(grades.get(point) == points.most for point in wanted)


def _as_json(name: str, content: Mapping[str, Any]) -> Files:
    text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    return {name: text} if content else {}


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else value


WRITERS = {
    "gedit": _write_gedit,
    "imgedit": _write_imgedit,
    "kris": _write_kris,
    "rise": _write_rise,
}
