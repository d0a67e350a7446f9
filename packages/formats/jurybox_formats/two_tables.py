"""Two tables of labels and scores, whatever their columns are called, as the tidy tables of a study.

A tidy table goes through as it is. Of any other the columns are guessed by the code that guesses for the
page of imports, and what was guessed is noted. Pictures are not opened; of their paths, folders name generators.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from jurybox_formats.sources import (
    columns,
    mapped_table,
    picture_folder,
    picture_names,
    tidy_tables,
)
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.mapped_table import Cells, FoundTable, Pictures
from jurybox_formats.sources.picture_names import UNKNOWN, prompt_key
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.sources.rows import Line

REQUIRED = {part: set(required) for part, (required, _) in tidy_tables.TABLES.items()}
# Nobody looks at pictures here.
WANTED = {
    part: [name for name in (*required, *optional) if name != "file"]
    for part, (required, optional) in tidy_tables.TABLES.items()
}
# What the label and score tables may say of an image, where no table of images does.
OF_IMAGES = ("prompt_id", "prompt", "generator", "tags", "family")


@dataclass(slots=True)
class ReadingNotes:
    """What a person has to know of how the tables were read."""

    words: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def as_tidy(
    files: Mapping[str, Path], folder: Path, *, given: Mapping[str, str] | None = None
) -> ReadingNotes:
    """`files`: labels, scores, and where there are any images and generators. The tidy tables are
    written into `folder`; `given` says what columns are where the guess is wrong."""
    told = ReadingNotes()
    roles = dict(given or {})
    found = {
        part: mapped_table.look(path, path.name, Pictures(path.parent, []), part)
        for part, path in files.items()
    }
    mapped_table.check_known(roles, found.values())
    tables = {part: _plan_part(part, table, roles) for part, table in found.items()}
    told.words += [_in_words(part, table) for part, table in tables.items()]
    facts: dict[str, dict[str, str]] = defaultdict(dict)
    named: dict[str, dict[str, None]] = {}
    for part, path in files.items():
        if part == "images":
            facts.clear()
            _learn_all(facts, path, tables[part])
            told.words += _name_by_paths(facts)
        rows = _rows(path, part, tables[part], facts, told, named.setdefault(part, {}))
        _write(folder / f"{part}.csv", WANTED[part], rows)
    _check_common(named, files)
    if "images" not in files:
        told.words += _name_by_paths(facts) + _without_images(facts)
        _write(
            folder / "images.csv", tidy_tables.IMAGES + ("tags", "prompt_family"), _of_facts(facts)
        )
    if "generators" not in files:
        _release_dates(files, tables, folder)
    return told


def _plan_part(part: str, found: FoundTable, given: Mapping[str, str]) -> FoundTable:
    roles = dict(found.roles)
    for name in found.columns:
        # A tidy name means what it means; a picture's name is its id.
        if name in WANTED[part] and name in columns.ROLES:
            roles = {n: "ignore" if r == name else r for n, r in roles.items()} | {name: name}
    table = mapped_table.plan_table(replace(found, roles=roles), given)
    if REQUIRED[part] <= set(table.columns):
        return table
    _name_images(table, part)
    there = set(table.roles.values())
    if part == "labels" and not ({"question", "value"} <= there or there & set(columns.LABELS)):
        raise _no_column(table, "is an answer", "label:yes/no (or label:1-5, label:number)")
    if part == "scores" and "score" not in there:
        raise _no_column(table, "is a score", "score")
    return table


def _check_common(named: Mapping[str, Mapping[str, None]], files: Mapping[str, Path]) -> None:
    """Tables of other images would give a report that says only what is missing."""
    labelled, scored = named.get("labels", {}), named.get("scores", {})
    if labelled and scored and not labelled.keys() & scored.keys():
        raise Unreadable(
            f"No image has both a label and a score: {files['labels'].name} names images like "
            f"“{next(iter(labelled))[:60]}”, {files['scores'].name} like “{next(iter(scored))[:60]}”."
        )


def _name_images(table: FoundTable, part: str) -> None:
    roles = table.roles
    if part == "generators" or "image_id" in roles.values():
        return
    pictures = table.columns_of("picture")
    if not pictures:
        raise _no_column(table, "names the images", "image_id")
    roles[pictures[0]] = "image_id"


def _no_column(table: FoundTable, words: str, role: str) -> Unreadable:
    return Unreadable(
        f"None of the columns of {table.name} {words}. There are: {', '.join(table.columns[:20])}. "
        f"Say which one it is with --column NAME={role}."
    )


def _good(path: Path) -> Iterator[Line[Cells]]:
    return (row for row in mapped_table.open_table(path)[1] if isinstance(row, Line))


def _rows(
    path: Path,
    part: str,
    table: FoundTable,
    facts: dict[str, dict[str, str]],
    told: ReadingNotes,
    named: dict[str, None],
) -> Iterator[dict[str, str]]:
    names, labels, scores = table.by_role, table.labels, table.columns_of("score")
    is_tidy = REQUIRED[part] <= set(table.columns)
    raters: Counter[tuple[str, str]] = Counter()
    for row in mapped_table.open_table(path)[1]:
        if not isinstance(row, Line):
            told.refused.append(f"{table.name} line {row.line}: {row.reason}")
            continue
        cells = row.value
        image = cells.get(names.get("image_id", ""), "").strip()
        if part in ("labels", "scores") and image:
            _learn(facts[image], names, cells)
            named[image] = None
        kept = {name: cells[name] for name in WANTED[part] if name in cells}
        if is_tidy:
            yield kept
        elif part == "labels":
            yield from _labels(kept, image, names, labels, row, table, raters, told)
        elif part == "scores":
            for name in scores:
                judge = cells.get(names.get("judge", ""), "").strip() or name
                if cells.get(name, "").strip() or kept.get("error"):
                    yield {**kept, "image_id": image, "judge": judge, "score": cells[name]}
        elif part == "images":
            yield {**kept, **_image(image, facts[image])}


def _labels(
    kept: dict[str, str],
    image: str,
    names: Mapping[str, str],
    labels: Mapping[str, str],
    row: Line[Cells],
    table: FoundTable,
    raters: Counter[tuple[str, str]],
    told: ReadingNotes,
) -> Iterator[dict[str, str]]:
    cells = row.value
    rater = cells.get(names.get("rater", ""), "").strip()
    answers = (
        {cells.get(names["question"], ""): (cells.get(names["value"], ""), "")}
        if {"question", "value"} <= names.keys()
        else {name: (cells.get(name, ""), kind) for name, kind in labels.items()}
    )
    for question, (value, kind) in answers.items():
        text = value.strip()
        if not text:
            continue
        raters[image, question] += 1
        who = rater or f"rater {raters[image, question]}"
        try:
            read = mapped_table.value_of(question, text, kind) if kind else text
        except Unfit as unfit:
            told.refused.append(f"{table.name} line {row.line}: {unfit.reason}")
            continue
        said = f"{read:g}" if isinstance(read, float) and kind == "yes/no" else text
        yield {**kept, "image_id": image, "rater": who, "question": question, "value": said}


def _learn(known: dict[str, str], names: Mapping[str, str], cells: Cells) -> None:
    for role in OF_IMAGES:
        value = cells.get(names.get(role, ""), "").strip()
        if value:
            known.setdefault(role, value)


def _learn_all(facts: dict[str, dict[str, str]], path: Path, table: FoundTable) -> None:
    """What a table of images says of them, unless it is tidy."""
    if not REQUIRED["images"] <= set(table.columns):
        names = table.by_role
        for row in _good(path):
            _learn(facts[row.value.get(names["image_id"], "").strip()], names, row.value)


def _name_by_paths(facts: Mapping[str, dict[str, str]]) -> list[str]:
    """Where no column names generators, the folders of the pictures' paths do, as on the page of imports."""
    levels = picture_names.guess(facts)
    if levels.folder == "nothing" or any("generator" in known for known in facts.values()):
        return []
    strip = picture_names.common_folders(facts)
    has_prompts = any({"prompt", "prompt_id"} & known.keys() for known in facts.values())
    for image, known in facts.items():
        named = picture_names.read(image, levels, strip=strip)
        known |= {"generator": named.generator} if named.generator else {}
        known |= {"prompt": named.prompt} if named.prompt and not has_prompts else {}
    return [f"Of the paths of the images: {picture_folder.in_words(levels)}"]


def _image(image: str, known: Mapping[str, str]) -> dict[str, str]:
    prompt = known.get("prompt") or known.get("prompt_id") or image
    return {
        "image_id": image,
        "prompt_id": known.get("prompt_id") or prompt_key(prompt),
        "prompt": prompt,
        "generator": known.get("generator", UNKNOWN),
        "tags": known.get("tags", ""),
        "prompt_family": known.get("family", ""),
    }


def _of_facts(facts: Mapping[str, Mapping[str, str]]) -> Iterator[dict[str, str]]:
    words: dict[str, str] = {}
    for image, known in facts.items():
        row = _image(image, known)
        # One row may lack the words that another row of the same prompt has.
        row["prompt"] = words.setdefault(row["prompt_id"], row["prompt"])
        yield row


def _without_images(facts: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What it means that no column names which prompt and which generator an image is of."""
    words = []
    if not any({"prompt", "prompt_id"} & known.keys() for known in facts.values()):
        words.append(
            "No column says which prompt an image was made for, so each image counts as a prompt of "
            "its own. Where several images share a prompt, intervals are too narrow. --images helps."
        )
    if not any("generator" in known for known in facts.values()):
        words.append(
            "No column says which generator made an image, so all count as made by one, and nothing "
            "can be said about drift. --images helps."
        )
    return words


def _release_dates(
    files: Mapping[str, Path], tables: Mapping[str, FoundTable], folder: Path
) -> None:
    """Some tables say of each image when its generator was released."""
    dates: dict[str, str] = {}
    for part, table in tables.items():
        by_role = {role: name for name, role in table.roles.items()}
        if {"generator", "release_date"} <= by_role.keys():
            for row in _good(files[part]):
                released = row.value.get(by_role["release_date"], "").strip()
                if released:
                    dates.setdefault(row.value.get(by_role["generator"], "").strip(), released)
    if dates:
        rows = ({"generator": name, "release_date": day} for name, day in dates.items() if name)
        _write(folder / "generators.csv", ("generator", "release_date"), rows)


def _write(path: Path, names: Iterable[str], rows: Iterable[Mapping[str, str]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, tuple(names), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _in_words(part: str, table: FoundTable) -> str:
    if REQUIRED[part] <= set(table.columns):
        ignored = [name for name in table.columns if name not in (*WANTED[part], "file")]
        used = [name for name in ignored if table.roles[name] in OF_IMAGES]
        said = f"{table.name}: {part}, {table.rows:,} rows, columns as they should be"
        return said + (f"; also used: {', '.join(used)}." if used else ".")
    return mapped_table.in_words(table, f"{part}, {table.rows:,} rows; guessed: ")
