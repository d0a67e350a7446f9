"""`make house`: the house in one table, with its longest files, functions and classes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.house import figures, names  # noqa: E402
from tests.house.files import House  # noqa: E402
from tests.house.ways import WAYS, database  # noqa: E402

LONGEST = 10


def print_longest(house: House) -> None:
    defined = [
        (defined.lines, f"{file.name}:{defined.line} {defined.name}", defined.is_class)
        for file in house.files
        for defined in file.definitions
    ]
    print_first("files", ((file.lines, file.name) for file in house.files))
    print_first("functions", ((lines, name) for lines, name, of_class in defined if not of_class))
    print_first("classes", ((lines, name) for lines, name, of_class in defined if of_class))


def print_first(title: str, found: Iterable[tuple[int, str]]) -> None:
    print(f"\nlongest {title}")
    for lines, name in sorted(found, reverse=True)[:LONGEST]:
        print(f"{lines:6} {name}")


def main(write: bool) -> int:
    house = House()
    measured = figures.measure(house)
    for name, way in WAYS.items():
        with database():
            measured[name] = way().returns
    if write:
        text = figures.LIMITS.read_text(encoding="utf-8")
        figures.LIMITS.write_text(figures.lower_limits(text, measured), encoding="utf-8")
    limits = figures.read_limits()
    print(f"{'':46}{'now':>10}{'limit':>10}{'goal':>10}")
    for name, figure in measured.items():
        row = [figure, *(limits.get(name, {}).get(key) for key in ("limit", "goal"))]
        print(f"{name:46}" + "".join(f"{'' if n is None else f'{n:,}':>10}" for n in row))
    print_longest(house)
    print("\nnamed by a participle", *sorted(names.bare_names(house)), sep="\n")
    passed = list(figures.passed_limits(measured, limits))
    print("", *passed, sep="\n")
    return bool(passed)


raise SystemExit(main(write="WRITE" in sys.argv[1:]))
