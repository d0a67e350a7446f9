"""Which format a file or folder is in: found out by reading its beginning."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from jurybox_formats import registry
from jurybox_formats.registry import FORMATS, Source
from jurybox_formats.sets import dsg, edits, hugging_face
from jurybox_formats.sets.edit_sets.items import SETS as EDIT_SETS
from jurybox_formats.sets.prompt_sets.items import SETS
from jurybox_formats.sets.prompt_sets.reader import OnlyResults
from jurybox_formats.sources import picture_folder, tidy_tables
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.mapped_table import SUFFIXES, open_table
from jurybox_formats.sources.records import NOTES, PromptRecord, Rejected, Unreadable
from jurybox_formats.sources.tidy_tables import TABLES

# What a file holds: everything, or labels or scores for images that are there already.
KINDS = ("study", "labels", "scores")
BEGINNING = 30
# Lies in a study that went out as a folder, and says what it is.
ABOUT = "README.json"
OWN = ("edits", "tidy", "table", "pictures", "hf")


def guess(path: Path) -> tuple[str, str]:
    """(format, kind); Unreadable where nothing in it can be imported."""
    root, files = picture_folder.list_files(path)
    if hugging_face.is_known(path):
        return "hf", "study"
    if edits.is_known(path):
        return "edits", "study"
    tables = [f for f in files if f.lower().endswith(SUFFIXES) and f != ABOUT]
    kind = _tidy(path, root, tables)
    if kind:
        return "tidy", kind
    others = [file for file in files if not picture_folder.is_picture(file)]
    numbered = any("/samples/" in f"/{file}" for file in files)
    if tables or numbered or (others and len(others) == len(files)):
        # T2I-CompBench's files are plain lines of text: it would read anything.
        tried = [n for n in FORMATS if n not in OWN and not (n == "t2i_compbench" and tables)]
        # A set is known by the names of its columns; other readers take more.
        tried.sort(key=lambda name: name not in EDIT_SETS and name not in SETS)
        for name in tried:
            if kind := _kind_in(name, path):
                return name, kind
    if tables:
        return "table", "study"
    if len(others) < len(files):
        return "pictures", "study"
    shown = ", ".join(others[:3]) or path.name
    raise Unreadable(
        f"There is no picture and no table in what came ({shown}). Send pictures (.png, .jpg, .webp), "
        "a table (.csv, .tsv, .jsonl, .json, .parquet), or both."
    )


def _tidy(path: Path, root: Path, tables: list[str]) -> str:
    """The kind of tidy tables; empty if they are something else."""
    if path.is_file():
        header = _header(path)
        for part in ("images", "labels", "scores"):
            if header.issuperset(TABLES[part][0]):
                return {"images": "study"}.get(part, part)
        return ""
    named = {name: tidy_tables.part(root, name) for name in TABLES}
    there = {name: file for name, file in named.items() if file is not None}
    if len(there) == len(tables) and "images" in there or set(there) == {"prompts"}:
        return "study" if all(_header(f).issuperset(TABLES[n][0]) for n, f in there.items()) else ""
    return ""


def _header(path: Path) -> set[str]:
    if not path.name.lower().endswith(SUFFIXES) or path.suffix.lower() == ".parquet":
        return set()
    try:
        return set(open_table(path)[0])
    except Unreadable:
        return set()


def _kind_in(name: str, path: Path) -> str:
    """What a benchmark's reader finds, if it takes all of the beginning; else empty."""
    try:
        start = list(islice(registry.records(name, Source(path)), BEGINNING))
    except OnlyResults:
        return "scores"
    except (Unreadable, Unfit, OSError):
        return ""
    taken = [record for record in start if type(record) not in NOTES]
    if name == "dpg" and any(dsg.is_numbered(r.key) for r in taken if isinstance(r, PromptRecord)):
        return ""  # DSG's table has the same columns.
    is_sound = bool(taken) and not any(type(record) is Rejected for record in start)
    return "study" if is_sound else ""
