"""Logs that are one JSON object whose list holds the samples: Inspect's (`.json`), and lmms-eval's before 0.2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from jurybox_formats.sources.records import Unreadable
from jurybox_formats.sources.rows import Line
from jurybox_formats.sources.text_files import document, numbered, opening

# Tool -> the list of its samples, and what stands beside it.
TOOLS = {"inspect": ("samples", "eval"), "lmms_eval": ("logs", "model_configs")}
# What a scorer is called where an old log does not say.
UNNAMED = "inspect"
Item = dict[str, Any]


class WholeLog(NamedTuple):
    tool: str
    content: Item


def open_log(path: Path, tool: str = "") -> WholeLog | None:
    """None where it is something else, or a log of another tool than this."""
    if path.suffix.lower() != ".json" or not opening(path).lstrip().startswith(b"{"):
        return None
    try:
        # Both write NaN for what was not scored; that is no value.
        content = document(path, constant=lambda _: None)
    except Unreadable:
        return None
    if not isinstance(content, dict):
        return None
    found = next((t for t, (_, beside) in TOOLS.items() if beside in content), "")
    return WholeLog(found, content) if found and tool in ("", found) else None


def samples(log: WholeLog, path: Path) -> Iterator[Line[Any]]:
    name = TOOLS[log.tool][0]
    listed = log.content.get(name)
    if not isinstance(listed, list) or not listed:
        raise Unreadable(f"{path.name} is a log without a sample: it has no list “{name}”.")
    if log.tool == "inspect":
        listed = [_with_scores(one, _scorer(log.content)) for one in listed]
    return numbered(listed)


def _with_scores(sample: Any, scorer: str) -> Any:
    """Old logs have one score, which does not say whose it is."""
    if not isinstance(sample, dict) or "score" not in sample or sample.get("scores"):
        return sample
    score = sample["score"]
    return sample | {"scores": {} if score is None else {scorer: score}}


def _scorer(content: Item) -> str:
    results = content.get("results")
    scorer = results.get("scorer") if isinstance(results, dict) else None
    name = scorer.get("name") if isinstance(scorer, dict) else None
    return name if isinstance(name, str) and name.strip() else UNNAMED
