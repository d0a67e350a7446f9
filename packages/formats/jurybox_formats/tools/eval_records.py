"""Records of Every Eval Ever 0.3 as results: a line for each sample, found through the record or handed in alone.

The record names its lines with their number and SHA-256; they are looked for beside it, under their own name and
nowhere else. The evaluated model is the generator, a result of the record is a judge.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from jurybox_formats.sources import tidy_tables
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.json_values import take, take_text
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.sources.shapes import misfit
from jurybox_formats.sources.text_files import LARGEST_DOCUMENT, document, opening

VERSION = "0.3."
DETAILS = "detailed_evaluation_results"


class Sample(NamedTuple):
    """`image`: where the answer is called as the sample is, it is the picture's own name; else empty."""

    judge: str
    generator: str
    sample: str
    prompt: str
    image: str
    score: float | None
    correct: bool | None
    error: str


def is_record(path: Path) -> bool:
    if path.suffix.lower() != ".json" or path.stat().st_size > LARGEST_DOCUMENT:
        return False
    record = document(path)
    return isinstance(record, dict) and {"schema_version", "evaluation_results"} <= record.keys()


def lines_file(path: Path) -> Path:
    """The lines themselves: this file, or the one that the record in it names."""
    if path.suffix.lower() == ".jsonl" or not opening(path).lstrip().startswith(b"{"):
        return path
    if path.stat().st_size > LARGEST_DOCUMENT:
        return path
    record = document(path)
    if not isinstance(record, dict) or "evaluation_results" not in record:
        return path
    _check_version(record.get("schema_version"), path.name)
    if misfit(record, {DETAILS: {"file_path": lambda named: isinstance(named, str) and named}}):
        raise Unreadable(
            f"{path.name} names no file of single samples ({DETAILS}): means alone are no scores of images."
        )
    details: dict[str, Any] = record[DETAILS]
    lines = path.parent / PurePosixPath(details["file_path"].replace("\\", "/")).name
    # Unlike `Path.is_file`, it takes a name of any length.
    if not os.path.isfile(lines) or lines.is_symlink():
        raise Unreadable(f"{path.name}: its samples, {lines.name[:120]}, do not lie beside it.")
    _check_lines(lines, details, path.name)
    return lines


def _check_version(version: object, name: str) -> None:
    if not isinstance(version, str) or not version.startswith(VERSION):
        raise Unreadable(f"{name} is no record of Every Eval Ever {VERSION}x: {str(version)[:40]}.")


def _check_lines(lines: Path, details: dict[str, Any], name: str) -> None:
    told = details.get("checksum")
    if details.get("hash_algorithm") == "sha256" and isinstance(told, str):
        with lines.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != told.lower():
                raise Unreadable(f"{lines.name} is not the file that {name} was written with.")


def sample(item: dict[str, Any]) -> Sample:
    version = item.get("schema_version")
    if not isinstance(version, str) or not version.startswith(VERSION):
        raise Unfit("schema_version", str(version)[:40], f"A line of Every Eval Ever {VERSION}x.")
    told = take(item, "evaluation", dict, "an object")
    score, correct, error = told.get("score"), told.get("is_correct"), item.get("error")
    if not error and not isinstance(score, int | float):
        raise Unfit("evaluation.score", str(score)[:40], "A score is a number.")
    name, generator = take_text(item, "sample_id"), take_text(item, "model_id")
    judge = item.get("evaluation_result_id") or take_text(item, "evaluation_name")
    if not isinstance(judge, str):
        raise Unfit("evaluation_result_id", str(judge)[:40], "A text is wanted.")
    given, answer = item.get("input"), item.get("output")
    prompt = given.get("raw") if isinstance(given, dict) else None
    answers = answer.get("raw") if isinstance(answer, dict) else None
    return Sample(
        judge=judge,
        generator=generator,
        sample=name,
        prompt=prompt if isinstance(prompt, str) else "",
        image=name if answers == [name] else "",
        score=None if error else tidy_tables.number("evaluation.score", score),
        correct=correct if isinstance(correct, bool) and not error else None,
        # What its writer could not score is no 0.
        error=str(error)[:2000] if error else "",
    )
