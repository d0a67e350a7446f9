"""Which published layout a file of votes has, by its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jurybox_formats.forms.definition import Form
from jurybox_formats.forms.papers import edits as edit_forms
from jurybox_formats.forms.papers import geneval_audit
from jurybox_formats.pair_files import edits, genai_arena, hpdv2, pick_a_pic, rapidata
from jurybox_formats.pair_files.place import Place
from jurybox_formats.pair_files.rows import columns_of, rows_of
from jurybox_formats.sources.records import Record, Unreadable
from jurybox_formats.sources.rows import records as rows_as_records

# Columns of votes in tidy rows.
NEEDED = ("pair_id", "prompt_id", "first", "second", "rater", "question", "value")
Reader = Callable[[dict[str, Any], Place], Iterator[Record]]


@dataclass(frozen=True, slots=True)
class Layout:
    """`one_of`: a file without any of these is of another layout. `form`: what a new study asks."""

    title: str
    required: Sequence[str]
    optional: Sequence[str]
    read: Reader
    one_of: Sequence[str] = ()
    form: Form = geneval_audit.FORM

    def has(self, columns: Sequence[str]) -> bool:
        enough = set(self.required) <= set(columns)
        return enough and (not self.one_of or bool(set(self.one_of) & set(columns)))


LAYOUTS = {
    "pick-a-pic": Layout(
        "Pick-a-Pic v2", pick_a_pic.REQUIRED, pick_a_pic.OPTIONAL, pick_a_pic.read
    ),
    "hpdv2": Layout(
        "HPDv2", hpdv2.REQUIRED, hpdv2.OPTIONAL, hpdv2.read, (*hpdv2.PATHS, *hpdv2.RANKINGS)
    ),
    "genai-arena": Layout(
        "GenAI-Arena", genai_arena.REQUIRED, genai_arena.OPTIONAL, genai_arena.read
    ),
    "rapidata": Layout(
        "Rapidata, comparison", rapidata.REQUIRED, rapidata.OPTIONAL, rapidata.read, rapidata.ONE_OF
    ),
    "genai-bench-edits": Layout(
        "GenAI-Bench, image edition",
        edits.GENAI_BENCH,
        edits.GENAI_BENCH_MORE,
        edits.read_genai_bench,
        form=edit_forms.FORM,
    ),
    "editreward-bench": Layout(
        "EditReward-Bench",
        edits.EDITREWARD,
        edits.EDITREWARD_MORE,
        edits.read_editreward,
        form=edit_forms.FORM,
    ),
    "mmrb2-edits": Layout(
        "Multimodal RewardBench 2, editing",
        edits.MMRB2,
        edits.MMRB2_MORE,
        edits.read_mmrb2,
        form=edit_forms.FORM,
    ),
}
TIDY, AUTO = "tidy", "auto"
FORMATS = (AUTO, TIDY, *LAYOUTS)


def format_of(path: Path) -> str:
    """“tidy” or a key of LAYOUTS."""
    columns = columns_of(path)
    if set(NEEDED) <= set(columns):
        return TIDY
    for name, layout in LAYOUTS.items():
        if layout.has(columns):
            return name
    known = "; ".join(f"{one.title}: {', '.join(one.required)}" for one in LAYOUTS.values())
    there = ", ".join(name[:40] for name in columns[:20]) or "none"
    raise Unreadable(
        f"{path.name} has none of the known layouts. Its columns: {there}. Wanted: tidy: "
        f"{', '.join(NEEDED)}; {known}."
    )


def records(path: Path, layout: Layout, place: Place) -> Iterator[Record]:
    """All that the rows say, with what is wrong of a row in its place."""
    rows = rows_of(path, required=layout.required, optional=layout.optional)
    # All of a row, or none of it.
    yield from rows_as_records(rows, lambda row: list(layout.read(row.value, place)), place.source)
    yield from place.remarks()
