"""The keys of `report --json`, from a report that was really made."""

from __future__ import annotations

from typing import Any

from audit.statistic_names import STATISTICS

HEAD = """# The keys of a report

Given by `jurybox report STUDY --json`, `jurybox audit … --out report.json` and the API's `studies/STUDY/report/`.
Read off a report that was made while this page was. **Estimate** means
`{"value", "low", "high", "n"}`, or `{"undefined": "the reason", "n"}` where there is no number. Where there is a
number and nothing honest to say of how sure it is, its ends are null and `no_interval` is the reason. NAME stands
for a judge, a generator, a tag and the like; `[]` for each row of a list.
"""
# What lies below these goes by names of the study's own.
OWN_NAMES = {
    *("judges", "by_generator", "by_tag", "by_atomicity", "by_variant", "by_atom_kind"),
    *("each_rater", "judge_facts", "scores", "assumed", "pairs_of_raters"),
}


def markdown(body: dict[str, Any]) -> str:
    rows: dict[str, tuple[str, str]] = {}
    _walk(body, "", rows)
    lines = [HEAD, "| key | what it is | |", "|---|---|---|"]
    lines += [f"| `{key}` | {kind} | {words} |" for key, (kind, words) in rows.items()]
    return "\n".join([*lines, ""])


def _walk(value: Any, path: str, rows: dict[str, tuple[str, str]]) -> None:
    key = path.rpartition(".")[2].removesuffix("[]")
    known = STATISTICS.get(key)
    words = known.name.replace("|", "\\|") if known else ""
    if isinstance(value, dict) and _is_estimate(value):
        more = sorted(value.keys() - {"value", "low", "high", "n", "undefined", "no_interval"})
        beside = f", with {', '.join(f'`{name}`' for name in more)}" if more else ""
        if path not in rows or "with" not in rows[path][0]:
            rows[path] = (f"estimate{beside}", words)
    elif isinstance(value, dict):
        if not value:
            rows.setdefault(path, ("object", ""))
        for name, inner in value.items():
            step = "NAME" if key in OWN_NAMES else str(name)
            _walk(inner, f"{path}.{step}" if path else step, rows)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for inner in value:
            _walk(inner, f"{path}[]", rows)
    else:
        rows.setdefault(path, (_kind(value), ""))


def _is_estimate(value: dict[str, Any]) -> bool:
    return {"value", "low", "high", "n"} <= value.keys() or "undefined" in value


def _kind(value: Any) -> str:
    kinds = {bool: "true or false", int: "number", float: "number", str: "text", list: "list"}
    return kinds.get(type(value), "nothing, or a value")
