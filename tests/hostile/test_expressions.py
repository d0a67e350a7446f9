"""Every regular expression of the code against strings made to keep it busy.

The strings follow from the expression itself: its beginning as it wants to be, then one of its
parts, or two in turn, over and over, and an end that fits nothing. What needs time by the square
of the length would take seconds here.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import processor_seconds

# The parts of an expression are known to the standard library's own parser alone.
from re import _constants as kinds  # isort: skip
from re import _parser as parser  # isort: skip

# An expression and what the code does with it.
Used = tuple[re.Pattern, frozenset[str]]
VERBS = frozenset({"match", "fullmatch", "search", "finditer", "findall", "sub", "split"})
ROOT = Path(__file__).resolve().parents[2]
# Texts that come from outside are not longer; nor is a line that an expression meets.
LENGTH = 20_000
# What never meets more: the name of a file or a folder, a question's name in a form.
SHORT = {
    "jurybox_formats.sets.imagenhub.NAME": 255,
    "jurybox_formats.sets.t2i_compbench.SPLIT": 255,
    "jurybox_formats.sets.t2i_compbench.SAMPLE": 255,
}
# Processor seconds; a linear one takes a thousandth.
MOST = 0.3
CLASSES = {
    kinds.CATEGORY_SPACE: " ",
    kinds.CATEGORY_DIGIT: "1",
    kinds.CATEGORY_WORD: "a",
    kinds.CATEGORY_NOT_SPACE: "a",
    kinds.CATEGORY_NOT_DIGIT: "a",
    kinds.CATEGORY_NOT_WORD: " ",
}


def modules() -> Iterator[tuple[str, Path]]:
    for base in (ROOT, *sorted((ROOT / "packages").iterdir())):
        for folder in ("annotations", "judges", "audit", f"jurybox_{base.name}"):
            for path in sorted((base / folder).rglob("*.py")):
                if "migrations" not in path.parts:
                    yield ".".join(path.relative_to(base).with_suffix("").parts), path


def named() -> dict[str, Used]:
    """Those that a module holds by name, as they were compiled, with the verbs they are used by."""
    found = {}
    for module, path in modules():
        text = path.read_text(encoding="utf-8")
        if "re.compile" in text:
            for name, value in vars(importlib.import_module(module)).items():
                if isinstance(value, re.Pattern):
                    verbs = set(re.findall(rf"\b{name}\.(\w+)\(", text)) & VERBS
                    found[f"{module}.{name}"] = (value, frozenset(verbs or VERBS))
    return found


def written() -> dict[str, Used]:
    """Those that stand where they are used: `re.sub(r"…", …)`."""
    found = {}
    for module, path in modules():
        text = path.read_text(encoding="utf-8")
        if not re.search(r"\bre\s*\.", text):
            continue
        for node in ast.walk(ast.parse(text)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and node.func.attr != "compile"
            ):
                pattern = re.compile(node.args[0].value)
                verbs = frozenset({node.func.attr}) & VERBS or VERBS
                found[f"{module}:{node.lineno} {node.func.attr}"] = (pattern, verbs)
    return found


def parts(parsed) -> Iterator[str]:
    """One string for each part, in order: what stands there, or something that could."""
    for kind, value in parsed:
        if kind is kinds.LITERAL:
            yield chr(value)
        elif kind is kinds.NOT_LITERAL:
            yield "a" if value != ord("a") else "b"
        elif kind is kinds.ANY:
            yield "a"
        elif kind is kinds.IN:
            yield one_of(value)
        elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            yield from parts(value[2])
        elif kind is kinds.SUBPATTERN:
            yield from parts(value[3])
        elif kind is kinds.BRANCH:
            # A word out of many is one part.
            yield "".join(parts(value[1][-1]))


def one_of(choices) -> str:
    if choices[0][0] is kinds.NEGATE:
        return next(letter for letter in "a1 -" if not any(has(c, letter) for c in choices[1:]))
    kind, value = choices[0]
    if kind is kinds.LITERAL:
        return chr(value)
    return chr(value[0]) if kind is kinds.RANGE else CLASSES[value]


def has(choice, letter: str) -> bool:
    kind, value = choice
    if kind is kinds.LITERAL:
        return value == ord(letter)
    if kind is kinds.RANGE:
        return value[0] <= ord(letter) <= value[1]
    return CLASSES[value] == letter


def attacks(pattern: re.Pattern, length: int) -> Iterator[str]:
    source = pattern.pattern
    if isinstance(source, bytes):
        source = source.decode("latin-1")
    pieces = list(parts(parser.parse(source)))
    words = sorted({*pieces, "".join(pieces), " ", "a"})[:16]
    for start in range(len(pieces)):
        for word in {pieces[start], " ", "a", "1"}:
            yield "".join(pieces[:start]) + word * (length // len(word)) + "\0"
    for one, other in itertools.product(words, repeat=2):
        yield (one + other) * (length // len(one + other)) + "\0"


def what_keeps_busy(pattern: re.Pattern, verbs: frozenset[str], length: int) -> str | None:
    for text in attacks(pattern, length):
        given = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
        try:
            with processor_seconds(MOST):
                for verb in verbs & {"match", "fullmatch", "search"}:
                    getattr(pattern, verb)(given)
                if verbs & {"finditer", "findall", "sub", "split"}:
                    pattern.findall(given)
        except TimeoutError:
            return f"{text[:40]!r} … {text[-20:]!r}"
    return None


ALL = {**named(), **written()}


@pytest.mark.parametrize("name", ALL)
def test_no_string_keeps_an_expression_busy(name):
    pattern, verbs = ALL[name]
    text = what_keeps_busy(pattern, verbs, SHORT.get(name, LENGTH))
    assert text is None, f"{pattern.pattern!r} takes the square of the length of {text}"


@pytest.mark.parametrize(
    ("slow", "verb", "length"),
    [
        (r"(a+)+b", "match", 25),
        (r"\s*x", "search", 2 * LENGTH),
        (r"\xff+[\x01-\x0f]", "search", LENGTH),
    ],
)
def test_the_strings_find_out_what_is_slow(slow, verb, length):
    assert what_keeps_busy(re.compile(slow), frozenset({verb}), length)


def test_every_short_one_is_still_there():
    assert set(SHORT) <= set(ALL)
    assert len(ALL) > 40
