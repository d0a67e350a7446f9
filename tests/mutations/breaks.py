"""Small changes to a line that a test should notice: where they can be made in a file, and which."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

# Of each sign: the kind of break, how it is written, and what it becomes.
SIGNS: dict[type[ast.AST], tuple[str, bytes, bytes]] = {
    ast.Lt: ("order", rb"<", b"<="),
    ast.LtE: ("order", rb"<=", b"<"),
    ast.Gt: ("order", rb">", b">="),
    ast.GtE: ("order", rb">=", b">"),
    ast.Eq: ("equality", rb"==", b"!="),
    ast.NotEq: ("equality", rb"!=", b"=="),
    ast.Is: ("equality", rb"\bis\b", b"is not"),
    ast.IsNot: ("equality", rb"\bis\s+not\b", b"is"),
    ast.In: ("membership", rb"\bin\b", b"not in"),
    ast.NotIn: ("membership", rb"\bnot\s+in\b", b"in"),
    ast.And: ("and or", rb"\band\b", b"or"),
    ast.Or: ("and or", rb"\bor\b", b"and"),
    ast.Add: ("sum", rb"\+", b"-"),
    ast.Sub: ("sum", rb"-", b"+"),
}
# What nobody reads a result from: help, and checks that a dataclass or zip makes of itself.
UNREAD = {"help", "help_text", "verbose_name", "strict", "frozen", "slots"}


@dataclass(frozen=True, slots=True)
class Break:
    """The bytes from `begin` to `end` become `after`."""

    line: int
    kind: str
    operator: str
    begin: int
    end: int
    after: bytes

    def applied(self, source: bytes) -> bytes:
        return source[: self.begin] + self.after + source[self.end :]

    def words(self, source: bytes) -> tuple[str, str]:
        """The line before and after."""
        first = source.rfind(b"\n", 0, self.begin) + 1
        last = source.find(b"\n", self.end)
        before = source[first:last]
        after = source[first : self.begin] + self.after + source[self.end : last]
        return " ".join(before.decode().split()), " ".join(after.decode().split())


def breaks_of(source: bytes) -> list[Break]:
    return list(_Finder(source).of_body(ast.parse(source).body, in_function=False))


class _Finder:
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def of_body(self, body: list[ast.stmt], *, in_function: bool) -> Iterator[Break]:
        for statement in body:
            yield from self.of_statement(statement, in_function=in_function)

    def of_statement(self, node: ast.stmt, *, in_function: bool) -> Iterator[Break]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for default in (*node.args.defaults, *node.args.kw_defaults):
                yield from self.of_value(default)
            yield from self.of_body(node.body, in_function=True)
            return
        if isinstance(node, ast.ClassDef):
            # Options of tables: migrations, and a check of their own, look after them.
            if node.name != "Meta":
                yield from self.of_body(node.body, in_function=False)
            return
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_unread(node):
            return
        if in_function and _can_go(node):
            yield self._whole(node, "statement deleted", b"pass")
        if isinstance(node, ast.Return) and not _is_none(node.value):
            yield self._whole(node.value, "returns None", b"None")
        for name, value in ast.iter_fields(node):
            if name == "annotation":
                continue
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.stmt):
                    yield from self.of_statement(part, in_function=in_function)
                elif isinstance(part, ast.ExceptHandler | ast.match_case):
                    yield from self.of_body(part.body, in_function=in_function)
                else:
                    yield from self.of_value(part)

    def of_value(self, node: object) -> Iterator[Break]:
        # The places of what is inside an f-string are not known before Python 3.12.
        if not isinstance(node, ast.AST) or isinstance(node, ast.JoinedStr):
            return
        if isinstance(node, ast.Call) and _is_column(node):
            return
        if isinstance(node, ast.keyword) and node.arg in UNREAD:
            return
        if isinstance(node, ast.Compare):
            ends = [node.left, *node.comparators]
            for left, operator, right in zip(ends, node.ops, ends[1:], strict=False):
                yield from self._between(left, right, operator)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from self._between(left, right, node.op)
        elif isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
            # Texts cannot be subtracted, which is seen at once.
            if not (_is_text(node.left) or _is_text(node.right)):
                yield from self._between(node.left, node.right, node.op)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            begin, end = self._place(node)[0], self._place(node.operand)[0]
            # A bracket that opens between the two stays.
            opened = self.source[begin + 3 : end].strip()
            yield Break(node.lineno, "not", "not removed", begin, end, opened)
        elif isinstance(node, ast.Constant):
            yield from self._constant(node)
        for child in ast.iter_child_nodes(node):
            yield from self.of_value(child)

    def _constant(self, node: ast.Constant) -> Iterator[Break]:
        if isinstance(node.value, bool):
            yield self._whole(node, "True ↔ False", str(not node.value).encode())
        elif isinstance(node.value, int | float):
            yield self._whole(node, "constant", repr(node.value + 1).encode(), " + 1")
            if node.value:
                yield self._whole(node, "constant", repr(node.value - 1).encode(), " - 1")

    def _between(self, left: ast.AST, right: ast.AST, operator: ast.AST) -> Iterator[Break]:
        kind, sign, other = SIGNS[type(operator)]
        begin, end = self._place(left)[1], self._place(right)[0]
        found = re.search(sign, self.source[begin:end])
        if found is None:
            return
        at = begin + found.start()
        line = self.source.count(b"\n", 0, at) + 1
        old = b" ".join(found.group().split()).decode()
        yield Break(line, kind, f"{old} → {other.decode()}", at, begin + found.end(), other)

    def _whole(self, node: ast.AST, kind: str, after: bytes, how: str = "") -> Break:
        begin, end = self._place(node)
        return Break(node.lineno, kind, kind + how, begin, end, after)  # type: ignore[attr-defined]

    def _place(self, node: ast.AST) -> tuple[int, int]:
        begin = self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return begin, self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]


def _can_go(node: ast.stmt) -> bool:
    """Without most assignments a name is missing, which is seen at once."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    return isinstance(node, ast.AugAssign | ast.Raise | ast.Continue | ast.Delete)


def _is_none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _is_unread(node: ast.stmt) -> bool:
    """Log lines, the output of a progress bar, and what only a type checker runs."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    return ast.unparse(node.value.func).startswith(("logger.", "logging."))


def _is_column(node: ast.Call) -> bool:
    name = ast.unparse(node.func)
    return name.startswith("models.") and name.endswith(("Field", "Key", "Constraint", "Index"))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )
