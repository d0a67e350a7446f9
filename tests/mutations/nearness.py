"""Which tests look at a module first: those that mirror it, then those that reach it by fewer imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

APPS = ("annotations", "judges", "audit", "jurybox", "packages")
# They need a browser or many minutes.
ELSEWHERE = {"browser", "chaos", "bench", "mutations"}
STEPS = 4
FEW = 8


class Nearness:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = {
            _module(file.relative_to(root)): file
            for folder in (*APPS, "tests")
            for file in (root / folder).rglob("*.py")
        }
        self.tests = [
            file.relative_to(root)
            for file in sorted((root / "tests").rglob("test_*.py"))
            if file.relative_to(root).parts[1] not in ELSEWHERE
        ]

    def batches(self, broken: Path) -> list[list[str]]:
        """Files of tests: the one of the module, a few others that are near, those that may reach it, and
        all others. The first by itself, since tests with a database go first within a run."""
        word = re.compile(rf"\b{re.escape(_name(broken))}\b")
        mirror = _mirror(broken)
        steps = self._steps_to(_module(broken))
        found = []
        for test in self.tests:
            mentions = len(word.findall(self._text(test)))
            away = steps.get(_module(test), STEPS)
            if test == mirror / f"test_{broken.stem}.py":
                near = 0
            elif test.parent == mirror:
                near = 1
            elif away == 1 or mirror in test.parents or (mentions and _same_app(test, mirror)):
                near = 2
            else:
                near = min(away, STEPS) + 1 - bool(mentions)
            found.append((near, away - mentions / 1000, str(test)))
        found.sort()
        names = [test for _, _, test in found]
        own = sum(near == 0 for near, _, _ in found)
        reach = sum(near < STEPS for near, _, _ in found)
        few = max(min(FEW, reach), sum(near < 2 for near, _, _ in found))
        return [names[:own], names[own:few], names[few:reach], names[reach:]]

    def _steps_to(self, module: str) -> dict[str, int]:
        steps, edge = {module: 0}, [module]
        for step in range(1, STEPS):
            edge = [
                name
                for name in self.files
                if name not in steps and not self._imports(name).isdisjoint(edge)
            ]
            steps |= dict.fromkeys(edge, step)
        return steps

    @cache  # noqa: B019
    def _imports(self, module: str) -> frozenset[str]:
        return frozenset(_imported(ast.parse(self.files[module].read_bytes())) & self.files.keys())

    @cache  # noqa: B019
    def _text(self, test: Path) -> str:
        return (self.root / test).read_text()


def _imported(tree: ast.AST) -> set[str]:
    return set(_names(tree))


def _names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _module(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(parts[2:] if parts[0] == "packages" else parts).removesuffix(".__init__")


def _mirror(file: Path) -> Path:
    parts = file.parent.parts
    return Path("tests", *((parts[1], *parts[3:]) if parts[0] == "packages" else parts))


def _name(file: Path) -> str:
    return file.parent.name if file.stem in {"__init__", "__main__"} else file.stem


def _same_app(test: Path, mirror: Path) -> bool:
    return len(test.parts) < 3 or test.parts[1] in {mirror.parts[1], "hostile"}
