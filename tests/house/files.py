"""The product's own Python files, each read once: what the figures count."""

from __future__ import annotations

import ast
import gc
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
APPS = ("annotations", "judges", "audit")
TO_CHANGE_THE_APP = (*APPS, "jurybox")
PRODUCT = (*TO_CHANGE_THE_APP, "packages", "apps")
# Written from the API's schema by `make client`.
GENERATED = {"jurybox/client.py"}
QUESTIONS = "audit/questions"
DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Where a node keeps its name.
NAMED = {ast.Name: "id", ast.Attribute: "attr", ast.arg: "arg", ast.keyword: "arg"}
NAMED |= dict.fromkeys(DEFINED, "name")
UNNAMED = {ast.Load, ast.Store, ast.Del, ast.Constant}
COMMENT = re.compile(r"#\s?(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Definition:
    name: str
    line: int
    lines: int
    is_class: bool


@dataclass(frozen=True, slots=True)
class File:
    name: str  # audit/charts/heat.py
    lines: int
    imports: frozenset[tuple[str, str]]  # module, and what is taken of it or ""
    definitions: tuple[Definition, ...]
    identifiers: Counter[str]
    prose: str  # comments and docstrings

    @property
    def folder(self) -> str:
        folder = self.name.rpartition("/")[0]
        # Questions are leaves, a folder each: nobody has to know another one's.
        return QUESTIONS if folder.startswith(f"{QUESTIONS}/") else folder

    @property
    def module(self) -> str:
        parts = self.name.removesuffix(".py").removesuffix("/__init__").split("/")
        return ".".join(parts[2:] if parts[0] == "packages" else parts)


class House:
    def __init__(self, root: Path = ROOT) -> None:
        self.root = root

    @cached_property
    def files(self) -> list[File]:
        # Trees hold no cycles, and the collector would walk each of them: four times the work.
        gc.disable()
        try:
            return [self._read(path) for path in self._paths(*PRODUCT)]
        finally:
            gc.enable()

    @cached_property
    def arrows(self) -> set[tuple[str, str]]:
        """A folder, and another one that its modules import from."""
        folders = {file.module: file.folder for file in self.files}
        found = set()
        for file in self.files:
            for module, taken in file.imports:
                full = f"{module}.{taken}"
                other = folders.get(full if full in folders else module, file.folder)
                if other != file.folder:
                    found.add((file.folder, other))
        return found

    def count_test_lines(self) -> int:
        paths = (path for folder in ("tests", *PRODUCT) for path in self._python(folder))
        return sum(count_lines(path) for path in paths if "tests" in self._parts(path))

    def templates(self) -> Iterator[tuple[str, str]]:
        """Name and text."""
        for folder in (self.root / "templates", *self.root.glob("apps/*/templates")):
            for path in sorted(folder.rglob("*.html")):
                yield path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")

    def texts(self, folder: str) -> Iterator[str]:
        return (path.read_text(encoding="utf-8") for path in self._paths(folder))

    def _paths(self, *folders: str) -> Iterator[Path]:
        for path in (path for folder in folders for path in self._python(folder)):
            parts = self._parts(path)
            if not {"migrations", "tests"} & set(parts) and "/".join(parts) not in GENERATED:
                yield path

    def _python(self, folder: str) -> list[Path]:
        return sorted((self.root / folder).rglob("*.py"))

    def _parts(self, path: Path) -> tuple[str, ...]:
        return path.relative_to(self.root).parts

    def _read(self, path: Path) -> File:
        source = path.read_text(encoding="utf-8")
        imports: set[tuple[str, str]] = set()
        definitions = []
        identifiers: Counter[str] = Counter()
        prose = COMMENT.findall(source)
        for node in walk(ast.parse(source)):
            kind = type(node)
            if kind in NAMED:
                identifiers[getattr(node, NAMED[kind])] += 1
            if kind is ast.Import:
                imports |= {(alias.name, "") for alias in node.names}
            elif kind is ast.ImportFrom:
                imports |= {(node.module or "", alias.name) for alias in node.names}
            elif kind in DEFINED:
                lines = node.end_lineno - node.lineno + 1
                definitions.append(Definition(node.name, node.lineno, lines, kind is ast.ClassDef))
            if kind is ast.Module or kind in DEFINED:
                prose.append(ast.get_docstring(node, clean=False) or "")
        return File(
            name="/".join(self._parts(path)),
            lines=count_lines(path),
            imports=frozenset(imports),
            definitions=tuple(definitions),
            identifiers=identifiers,
            prose=" ".join(prose),
        )


def walk(tree: ast.Module) -> Iterator[ast.AST]:
    """As `ast.walk`, without the leaves that make half of a tree and name nothing."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for field in node._fields:
            value = getattr(node, field, None)
            if type(value) is list:
                waiting += [part for part in value if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST) and type(value) not in UNNAMED:
                waiting.append(value)


def count_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")
