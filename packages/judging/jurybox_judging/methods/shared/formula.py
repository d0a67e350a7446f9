"""A small arithmetic over named numbers: `sqrt(min(sc1, sc2) * min(pq1, pq2))`.

Names, numbers, + - * /, brackets, and min, max, mean and sqrt; nothing else can be written. The text is
parsed by `ast` and walked here; it is never run. A name may stand for several numbers (`points`); then
it may only be given to min, max and mean.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any

LONGEST = 500
DEEPEST = 40
Value = float | Sequence[float]

_BETWEEN: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_OVER_MANY: dict[str, Callable[[Sequence[float]], float]] = {"min": min, "max": max, "mean": fmean}
FUNCTIONS = (*_OVER_MANY, "sqrt")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")


class NoValue(ValueError):
    """The formula has no value for these numbers; the message says why."""


@dataclass(frozen=True, slots=True)
class Formula:
    text: str
    tree: Any
    names: tuple[str, ...]

    def value(self, numbers: Mapping[str, Value]) -> float:
        """NoValue where it divides by 0 or takes the root of a negative number."""
        try:
            found = _number(self.tree, numbers)
        except ZeroDivisionError:
            raise NoValue(f"“{self.text}” divides by 0.") from None
        except OverflowError:
            found = math.inf
        if not math.isfinite(found):
            raise NoValue(f"“{self.text}” becomes too large.")
        return found


@lru_cache(maxsize=64)
def parse(text: str) -> Formula:
    """A ValueError with a sentence for what is no formula."""
    if len(text) > LONGEST:
        raise ValueError(f"A formula has at most {LONGEST} characters.")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"“{text[:60]}” is no formula.") from None
    names: dict[str, None] = {}
    _check(tree, names, 0)
    return Formula(text, tree, tuple(names))


def _check(node: ast.AST, names: dict[str, None], depth: int) -> None:
    if depth > DEEPEST:
        raise ValueError("A formula is nested less deeply.")
    if isinstance(node, ast.BinOp) and type(node.op) in _BETWEEN:
        below: Sequence[ast.AST] = (node.left, node.right)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        below = (node.operand,)
    elif isinstance(node, ast.Call):
        below = _arguments(node)
    elif isinstance(node, ast.Name) and NAME.fullmatch(node.id) and node.id not in FUNCTIONS:
        names[node.id] = None
        below = ()
    elif isinstance(node, ast.Constant) and _is_number(node.value):
        below = ()
    else:
        raise ValueError(
            f"A formula holds names, numbers, + - * / and {', '.join(FUNCTIONS)}, not "
            f"“{_node_text(node)}”."
        )
    for one in below:
        _check(one, names, depth + 1)


def _arguments(node: ast.Call) -> Sequence[ast.AST]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in FUNCTIONS:
        raise ValueError(f"A formula knows {', '.join(FUNCTIONS)}, not “{_node_text(node.func)}”.")
    if node.keywords or not node.args or (name == "sqrt" and len(node.args) != 1):
        raise ValueError(f"“{_node_text(node)}” does not give {name} what it needs.")
    return node.args


def _number(node: Any, numbers: Mapping[str, Value]) -> float:
    kind = type(node)
    if kind is ast.BinOp:
        return _BETWEEN[type(node.op)](_number(node.left, numbers), _number(node.right, numbers))
    if kind is ast.UnaryOp:
        value = _number(node.operand, numbers)
        return -value if isinstance(node.op, ast.USub) else value
    if kind is ast.Constant:
        return float(node.value)
    if kind is ast.Name:
        held = numbers[node.id]
        if isinstance(held, Sequence):
            raise NoValue(f"“{node.id}” stands for several numbers: give it to min, max or mean.")
        return held
    if node.func.id == "sqrt":
        value = _number(node.args[0], numbers)
        if value < 0:
            raise NoValue(f"the root of {value:g} is no number.")
        return math.sqrt(value)
    many = [number for one in node.args for number in _numbers(one, numbers)]
    if not many:
        raise NoValue(f"there is nothing to take the {node.func.id} of.")
    return _OVER_MANY[node.func.id](many)


def _numbers(node: Any, numbers: Mapping[str, Value]) -> Sequence[float]:
    value = numbers[node.id] if isinstance(node, ast.Name) else _number(node, numbers)
    return value if isinstance(value, Sequence) else (value,)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _node_text(node: ast.AST) -> str:
    try:
        return ast.unparse(node)[:60]
    except (ValueError, RecursionError):
        return "this"
