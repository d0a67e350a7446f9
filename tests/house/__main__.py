"""`make house`: the house in one table, with its longest files, functions and classes."""

from __future__ import annotations

import ast
import os
from collections import Counter

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.house import names, rooms, tables  # noqa: E402
from tests.house.ways import WAYS, database  # noqa: E402

LONGEST = 10


def lengths(*kinds: type[ast.AST]) -> list[tuple[int, str]]:
    found = [
        (node.end_lineno - node.lineno + 1, f"{rooms.short_name(path)}:{node.lineno} {node.name}")
        for path in rooms.product_files()
        for node in ast.walk(rooms.tree_of(path))
        if isinstance(node, kinds)
    ]
    return sorted(found, reverse=True)[:LONGEST]


def print_longest() -> None:
    files = sorted(
        ((rooms.count_lines(p), rooms.short_name(p)) for p in rooms.product_files()), reverse=True
    )
    functions = lengths(ast.FunctionDef, ast.AsyncFunctionDef)
    for title, found in (
        ("files", files[:LONGEST]),
        ("functions", functions),
        ("classes", lengths(ast.ClassDef)),
    ):
        print(f"\nlongest {title}")
        for lines, name in found:
            print(f"{lines:6} {name}")


def main() -> None:
    files = rooms.product_files()
    trunk = sum(rooms.count_lines(path) for path in files if not rooms.is_leaf(path))
    same = Counter(path.name for path in files)
    answers, jobs = tables.answer_tables(), tables.job_tables()
    rows: list[tuple[str, object]] = [
        ("lines of product Python, without migrations", sum(map(rooms.count_lines, files))),
        ("  of these the trunk", trunk),
        ("tables of stored answers", f"{len(answers)}: {', '.join(answers)}"),
        ("tables of jobs", f"{len(jobs)}: {', '.join(jobs)}"),
        (
            "files called leaderboard.py, reader.py",
            f"{same['leaderboard.py']}, {same['reader.py']}",
        ),
        ("named by a participle or preposition alone", sum(1 for _ in names.bare_names())),
        ("told, said, asked in 1,000 words of comments", f"{names.talk_in_a_thousand_words():.2f}"),
    ]
    for name, way in WAYS.items():
        with database():
            walk = way()
        rows.append((f"{name}: stops, returns", f"{len(walk.stops)}, {walk.returns}"))
    for name, value in rows:
        print(f"{name:48} {value}")
    print_longest()


main()
