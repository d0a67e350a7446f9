"""What was read in the pictures of LongText, CVTG and OneIG, in the files that their scripts write."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from annotations.models import Prompt
from judges.models import Score
from jurybox_formats.sets.prompt_sets import word_counts
from jurybox_formats.sets.prompt_sets.files import as_table
from jurybox_formats.sets.prompt_sets.items import ONEIG_FOLDERS
from jurybox_formats.sets.prompt_sets.result_places import COLUMNS
from jurybox_judging.methods import word_scores

Files = dict[str, str]


def has_one_picture(score: Score) -> bool:
    return score.image.key == f"{score.image.generator.name}/{score.image.prompt.key}"


def write_longtext(generator: str, judge: str, scores: Sequence[Score]) -> Files:
    lines: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for score in scores:
        evidence, prompt = score.evidence, score.image.prompt
        if score.value is None or "read" not in evidence:
            continue
        language, _, number = prompt.key.partition("/")
        name = number if has_one_picture(score) else f"{number}_{score.image.sample}"
        lines[language].append(
            {
                "image": f"{generator}/{language}/{name}.png",
                "prompt": prompt.text,
                "ocr_gt": prompt.metadata["text"],
                "ocr_results": evidence["read"],
                **evidence.get(COLUMNS, {}),
            }
        )
    return {
        f"{generator}/{language}/results_{judge}.jsonl": _as_lines(rows)
        for language, rows in lines.items()
    }


def _as_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


# --- CVTG: a line for each picture, and the script's own file of sums


def write_cvtg(generator: str, judge: str, scores: Sequence[Score]) -> Files:
    rows: list[dict[str, Any]] = []
    by_area: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for score in scores:
        counted = _count_of_words(score.evidence)
        if score.value is None or counted is None:
            continue
        key = score.image.prompt.key
        name = key if has_one_picture(score) else f"{key}_{score.image.sample}"
        kept = score.evidence.get(COLUMNS, {})
        row = {"image": f"{generator}/{name}.png", "prompt": score.image.prompt.text}
        rows.append({**row, **counted, **kept})
        subset, area, _ = ("", *key.split("/"))[-3:]
        by_area[subset, area].append(counted)
    if not rows:
        return {}
    sums = {
        "overall_results": _sum_up(rows),
        "area_results": [
            {"benchmark_type": subset, "area": area, **_sum_up(some)}
            for (subset, area), some in by_area.items()
        ],
    }
    return {
        f"{generator}/results_{judge}.jsonl": _as_lines(rows),
        f"{generator}/results_{judge}.json": json.dumps(sums, ensure_ascii=False, indent=2) + "\n",
    }


def _count_of_words(evidence: Mapping[str, Any]) -> dict[str, Any] | None:
    if "total_words" in evidence:
        names = ("correct_words", "total_words", "ned_word_data")
        return {name: evidence[name] for name in names if name in evidence}
    if "read" not in evidence:
        return None
    expected, read = evidence["expected"], evidence["read"]
    language = word_counts.language_of(expected)
    found, wanted = word_counts.count_words(expected, read, language, as_written=False)
    return {"correct_words": found, "total_words": wanted}


def _sum_up(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Over all words, as the script has them."""
    found, wanted = (sum(row[name] for row in rows) for name in ("correct_words", "total_words"))
    distances = [one for row in rows for one in row.get("ned_word_data") or ()]
    told = {"word_accuracy": found / wanted if wanted else None}
    told |= {"ned": fmean(distances)} if distances else {}
    return {**told, "total_images": len(rows), "total_words": wanted, "correct_words": found}


# --- OneIG: a table for each of its scripts, a row for each prompt, one number for all of its pictures


def write_oneig(generator: str, judge: str, scores: Sequence[Score]) -> Files:
    by_prompt: dict[Prompt, list[Score]] = defaultdict(list)
    for score in scores:
        by_prompt[score.image.prompt].append(score)
    kind = next((one for one in ("style", "reasoning") if judge.endswith(f"-{one}")), "alignment")
    tables: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for prompt, some in by_prompt.items():
        *language, category, id = prompt.key.split("/")
        mode = "ZH" if language else "EN"
        read = [one for one in map(_read_numbers, some) if one is not None]
        values = [score.value for score in some if score.value is not None]
        if read:
            cell = json.dumps([fmean(numbers) for numbers in zip(*read, strict=True)])
            tables["text", mode].append({"": id, generator: cell})
        elif kind == "alignment":
            name = f"{ONEIG_FOLDERS.get(category, category)}_{id}"
            tables[kind, mode].append({"": name, generator: fmean(values) if values else ""})
        else:
            tables[kind, mode].append({"": id, generator: fmean(values) if values else ""})
    return {
        f"{generator}/{kind}_prompt_score_{mode}_{judge}.csv": as_table(rows)
        for (kind, mode), rows in tables.items()
    }


def _read_numbers(score: Score) -> tuple[float, float, float] | None:
    """Edits, whether there are none, and the share of words."""
    evidence = score.evidence
    if "WAC" in evidence:
        return evidence["ED"], evidence["CR"], evidence["WAC"]
    if score.value is None or "read" not in evidence:
        return None
    expected = evidence["expected"]
    language = word_counts.language_of(expected)
    told = word_scores.one_ig_text([(expected, evidence["read"])], language)
    return told.mean_distance, told.flawless, told.words


WRITERS = {"longtext": write_longtext, "cvtg": write_cvtg, "oneig": write_oneig}
