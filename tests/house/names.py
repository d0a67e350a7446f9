"""Functions and classes that are named by a participle or a preposition alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.house.rooms import product_files, short_name, tree_of

# A function is a verb with its object, a query a noun, a class what the field calls it.
BARE = frozenset(
    [
        "about",
        "above",
        "alike",
        "alone",
        "among",
        "answered",
        "apart",
        "asked",
        "at",
        "before",
        "behind",
        "beside",
        "between",
        "beyond",
        "by",
        "called",
        "changed",
        "checked",
        "chosen",
        "compared",
        "counted",
        "done",
        "drawn",
        "filled",
        "for",
        "found",
        "from",
        "given",
        "held",
        "inside",
        "into",
        "judged",
        "kept",
        "known",
        "left",
        "listed",
        "made",
        "met",
        "named",
        "of",
        "on",
        "opened",
        "others",
        "planned",
        "read_",
        "said",
        "seen",
        "sent",
        "shown",
        "stored",
        "taken",
        "there",
        "to",
        "told",
        "under",
        "used",
        "wanted",
        "when",
        "who",
        "why",
        "with",
        "within",
        "without",
        "words",
        "written",
    ]
)
# `report.by("generator", …)` in a notebook: other people's code has it.
IN_NOTEBOOKS = ("jurybox/report.py", "by")
# What stands in comments and docstrings where the code says more than it does.
TALK = re.compile(r"\b(told|said|asked)\b", re.IGNORECASE)
PROSE = re.compile(r"#\s?(.*)$", re.MULTILINE)
DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def bare_names() -> Iterator[tuple[str, int, str]]:
    """File, line and name."""
    for path in product_files():
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, DEFINED) or node.name.strip("_").lower() not in BARE:
                continue
            if (short_name(path), node.name) != IN_NOTEBOOKS:
                yield short_name(path), node.lineno, node.name


def talk_in_a_thousand_words() -> float:
    """Of comments and docstrings."""
    talk = words = 0
    for path in product_files():
        text = " ".join(_prose(path.read_text(encoding="utf-8"), tree_of(path)))
        talk += len(TALK.findall(text))
        words += len(text.split())
    return 1000 * talk / words


def _prose(source: str, tree: ast.Module) -> Iterator[str]:
    yield from PROSE.findall(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, *DEFINED)):
            yield ast.get_docstring(node) or ""
