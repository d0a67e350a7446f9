"""Files from outside, line by line: what cannot be read is named with its place, in constant memory.

No Django here: readers of benchmark files stand on this.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice, repeat
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from jurybox_formats.sources.records import Rejected, Remark, Unreadable
from jurybox_formats.sources.rows import Line

# Longer than any honest row; a file without line ends must not fill the memory.
LONGEST_LINE = 4 * 2**20
# Characters that are read at once. Rows of a CSV that are read at once: more begin only within so many parts.
PART, ROWS, FEW_ROWS, FEW_PARTS = 2**13, 250, 25, 32
LARGEST_DOCUMENT = 256 * 2**20
# A value takes some hundred bytes of memory, and `{},` three of a file.
MOST_VALUES = 10_000_000
LONGEST_FIELD = 131_072
# What a spreadsheet would run as a formula when it stands first in a cell. Exports put an
# apostrophe before it (`defused`), `restored` takes it away again.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

# A key whose value is an object.
KEY = re.compile(r'"([^"]+)"\s*:\s*\{')

csv.field_size_limit(LONGEST_FIELD)


def table(
    path: Path, *, required: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[Line[Sequence[Any]] | Rejected | Remark]:
    """Rows of a CSV, JSONL or JSON file, their values in the order of `required` + `optional`.

    What a row does not have is "". Columns may stand in any order; unknown ones are reported.
    """
    if not is_csv(path):
        return _from_objects(path, required, optional)
    return _from_csv(path, required, optional)


def is_csv(path: Path) -> bool:
    return opening(path).lstrip()[:1] not in (b"[", b"{")


def opening(path: Path, size: int = 4096) -> bytes:
    """The first bytes of a file that can be text; anything else is refused here."""
    if path.is_dir():
        raise Unreadable(f"{path.name} is a folder; a file is wanted here.")
    try:
        with path.open("rb") as file:
            start = file.read(size)
    except OSError as error:
        raise Unreadable(f"{path.name} cannot be read: {error.strerror}.") from error
    start = start.removeprefix(b"\xef\xbb\xbf")
    if not start.strip():
        raise Unreadable(f"{path.name} is empty.")
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable(f"{path.name} is written in UTF-16; save it as UTF-8.")
    if start.startswith((b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf")):
        raise Unreadable(f"{path.name} is an archive, not a text; unpack it, or upload it as one.")
    if start.startswith((b"\x89PNG", b"\xff\xd8\xff", b"RIFF", b"%PDF", b"PAR1", b"SQLite")):
        raise Unreadable(f"{path.name} is not a text file.")
    return start


def document(path: Path, constant: Callable[[str], Any] | None = None) -> Any:
    """A whole JSON file. Keys that stand twice in an object are refused: one of them would be lost.

    `constant`: as in `parsed`."""
    opening(path)
    if path.stat().st_size > LARGEST_DOCUMENT:
        raise Unreadable(
            f"{path.name} is larger than {LARGEST_DOCUMENT // 2**20} MB; use JSONL for a set this size."
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
        if sum(map(text.count, ",[{")) > MOST_VALUES:
            raise Unreadable(
                f"{path.name} holds more than {MOST_VALUES:,} values; use JSONL for a set this size."
            )
        return parsed(text, constant)
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path.name} is not UTF-8 at byte {error.start}.") from error
    except json.JSONDecodeError as error:
        raise Unreadable(
            f"{path.name} is not sound JSON: {error.msg} at line {error.lineno}, "
            f"column {error.colno}."
        ) from error
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{path.name} is not sound JSON: {_error_reason(error)}.") from error


def json_lines(path: Path) -> Iterator[Line[Any] | Rejected]:
    """The value on each line of a JSONL file."""
    opening(path)
    lines = Lines(path)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if number in lines.bad:
            lines.bad.remove(number)
            yield _undecodable(path, number)
            continue
        try:
            yield Line(number, parsed(line))
        except json.JSONDecodeError as error:
            yield Rejected(
                "line",
                line[:80].rstrip(),
                f"Not sound JSON: {error.msg} at column {error.colno}.",
                number,
                path.name,
            )
        except (ValueError, RecursionError) as error:
            yield Rejected(
                "line", line[:80], f"Not sound JSON: {_error_reason(error)}.", number, path.name
            )


def text_lines(path: Path) -> Iterator[Line[str] | Rejected]:
    """The text of each line that is not blank, whatever the line ends."""
    opening(path)
    lines = Lines(path, newline=None)
    for number, line in enumerate(lines, 1):
        if number in lines.bad:
            lines.bad.remove(number)
            yield _undecodable(path, number)
        elif line.strip():
            yield Line(number, line.strip())


def parsed(text: str, constant: Callable[[str], Any] | None = None) -> Any:
    """`constant`: what NaN and Infinity become; without it they are refused."""
    value = json.loads(
        text, object_pairs_hook=_without_repeated_keys, parse_constant=constant or _no_constant
    )
    if "\\u0000" in text or "\0" in text:
        raise ValueError("it holds a NUL character")
    return value


def lines_of_keys(path: Path) -> dict[str, int]:
    """On which line each key of a pretty-printed object stands first; only used to name places."""
    lines: dict[str, int] = {}
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, 1):
            for key in KEY.findall(line[:10_000]):
                lines.setdefault(key, number)
    return lines


def entries(path: Path, items: Mapping[str, Any], line: int = 1) -> Iterator[Line[tuple[str, Any]]]:
    """What stands in an object of this file, each with its key, on the line of the key, or on `line`."""
    lines = lines_of_keys(path)
    return (Line(lines.get(key, line), (key, item)) for key, item in items.items())


def restored(value: str) -> str:
    """The text as it was before an apostrophe was put before it against spreadsheets."""
    if value[:1] == "'" and value.lstrip("'")[:1] in FORMULA and value.lstrip("'"):
        return value[1:]
    return value


def delimiter_of(start: bytes, path: Path) -> str:
    """`start`: the file's beginning. Spreadsheets of many countries save with semicolons."""
    line = start.lstrip().partition(b"\n")[0]
    if b"\t" in line or path.suffix.lower() == ".tsv":
        return "\t"
    return ";" if line.count(b";") > line.count(b",") else ","


class CsvBlock(NamedTuple):
    """Some rows that follow one another, and on which line each begins."""

    lines: Sequence[int]
    rows: Sequence[list[str]]


def csv_blocks(path: Path, delimiter: str = ",") -> Iterator[CsvBlock | Rejected]:
    """The cells of every row, the header first; rows that cannot be read are rejected.

    Rows come by the million, so many are read at once; of long ones fewer.
    """
    lines = Lines(path)
    reader = csv.reader(lines, delimiter=delimiter)
    # Of each row where it ends, without a step of Python.
    rows = zip(reader, map(attrgetter("line_num"), repeat(reader)), strict=False)
    before, is_over = 0, False
    while not is_over:
        found: list[tuple[list[str], int]] = []
        parts, error = lines.parts, None
        try:
            while not is_over and len(found) < ROWS and lines.parts < parts + FEW_PARTS:
                count = len(found)
                # What was read before an error is kept.
                found.extend(islice(rows, FEW_ROWS))
                is_over = len(found) < count + FEW_ROWS
        except csv.Error as broken:
            error = broken
        if found:
            yield from _sound_rows(found, before, lines.bad, path)
            before = found[-1][1]
        if error is not None:
            line, before = before + 1, reader.line_num
            lines.bad.difference_update(range(line, before + 1))
            yield Rejected("row", "", _csv_words(error), line, path.name)


def _sound_rows(
    found: list[tuple[list[str], int]], before: int, bad: set[int], path: Path
) -> Iterator[CsvBlock | Rejected]:
    """`before`: where the row before the first of them ends."""
    rows, ends = zip(*found, strict=True)
    starts = [before + 1, *(end + 1 for end in ends[:-1])]
    if not bad and [] not in rows and [""] not in rows:
        yield CsvBlock(starts, rows)
        return
    read: list[Line[list[str]] | Rejected] = []
    for line, end, row in zip(starts, ends, rows, strict=True):
        of_row = range(line, end + 1)
        if not bad.isdisjoint(of_row):
            bad.difference_update(of_row)
            read.append(_undecodable(path, line))
        elif row and row != [""]:
            read.append(Line(line, row))
    yield from _in_blocks(read)


def _in_blocks(read: Iterable[Any]) -> Iterator[CsvBlock | Rejected]:
    for of_type, found in groupby(read, type):
        if of_type is Line:
            yield CsvBlock(*zip(*found, strict=True))
        else:
            yield from found


def csv_rows(path: Path, delimiter: str = ",") -> Iterator[Line[list[str]] | Rejected]:
    """The same, row by row."""
    return rows_of(csv_blocks(path, delimiter))


def rows_of(blocks: Iterable[CsvBlock | Rejected]) -> Iterator[Line[list[str]] | Rejected]:
    for block in blocks:
        if isinstance(block, Rejected):
            yield block
        else:
            yield from map(Line, block.lines, block.rows)


def csv_table(
    path: Path, delimiter: str = ",", source: str = ""
) -> tuple[list[str], Iterator[Line[list[str]] | Rejected]]:
    """The names in the header, and the rows that are as wide as it. `source`: as a refusal names the
    file."""
    header, blocks = _csv_table(path, delimiter, source)
    return header, rows_of(blocks)


def _csv_table(
    path: Path, delimiter: str, source: str
) -> tuple[list[str], Iterator[CsvBlock | Rejected]]:
    blocks = csv_blocks(path, delimiter)
    first = next(blocks, None)
    if not isinstance(first, CsvBlock):
        raise Unreadable(f"{path.name} has no header row that can be read.")
    header = [name.strip().removeprefix("\ufeff") for name in first.rows[0]]
    rest = CsvBlock(first.lines[1:], first.rows[1:])
    return header, _as_wide(chain([rest], blocks), len(header), source or path.name)


def _as_wide(
    blocks: Iterable[CsvBlock | Rejected], width: int, source: str
) -> Iterator[CsvBlock | Rejected]:
    for block in blocks:
        if isinstance(block, Rejected) or {width}.issuperset(map(len, block.rows)):
            yield block
            continue
        rows = map(Line, block.lines, block.rows)
        yield from _in_blocks(
            row if len(row.value) == width else wrong_width(row, width, source) for row in rows
        )


def rows_by_name(
    header: Sequence[str], rows: Iterator[Line[list[str]] | Rejected]
) -> Iterator[Line[dict[str, str]] | Rejected]:
    for row in rows:
        if isinstance(row, Rejected):
            yield row
        else:
            yield Line(row.line, dict(zip(header, row.value, strict=True)))


def table_rows(path: Path, source: str) -> Iterator[Line[dict[str, str]] | Rejected]:
    """A table as its header names the cells; `source`: as a refusal names the file."""
    return rows_by_name(*csv_table(path, delimiter_of(opening(path), path), source))


def _from_csv(
    path: Path, required: Sequence[str], optional: Sequence[str]
) -> Iterator[Line[Sequence[Any]] | Rejected | Remark]:
    for block in table_blocks(path, required=required, optional=optional):
        if isinstance(block, TableBlock):
            yield from map(Line, block.lines, zip(*block.columns, strict=True))
        else:
            yield block


class TableBlock(NamedTuple):
    """Some rows of a table, column by column."""

    lines: Sequence[int]
    columns: Sequence[Sequence[str]]


def table_blocks(
    path: Path, *, required: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[TableBlock | Rejected | Remark]:
    """As `table`, of a CSV, for tables with millions of rows."""
    header, blocks = _csv_table(path, ",", "")
    _check_header(path, header, required)
    yield from _unknown(path, [name for name in header if name], required, optional)
    places = [header.index(n) if n in header else None for n in (*required, *optional)]
    for block in blocks:
        if isinstance(block, Rejected):
            yield block
        elif block.rows:
            given = list(zip(*block.rows, strict=True))
            absent = ("",) * len(block.rows)
            columns = [absent if place is None else given[place] for place in places]
            yield TableBlock(block.lines, columns)


def wrong_width(row: Line[list[str]], width: int, source: str) -> Rejected:
    words = f"The row has {len(row.value)} cells, the header has {width}."
    return Rejected("row", ",".join(row.value)[:80], words, row.line, source)


def json_rows(path: Path) -> Iterator[Line[Any] | Rejected]:
    """The values of a JSON list, or of the lines of a JSONL file."""
    if opening(path).lstrip()[:1] != b"[":
        return json_lines(path)
    return numbered(document(path))


def numbered(items: Iterable[Any]) -> Iterator[Line[Any]]:
    return (Line(place, item) for place, item in enumerate(items, 1))


def objects(
    rows: Iterable[Line[Any] | Rejected], source: str
) -> Iterator[Line[dict[str, Any]] | Rejected]:
    """The rows that are objects; the others are rejected."""
    for row in rows:
        if isinstance(row, Line) and not isinstance(row.value, dict):
            words = "An object is wanted here."
            yield Rejected("line", str(row.value)[:80], words, row.line, source)
        else:
            yield row


def _from_objects(
    path: Path, required: Sequence[str], optional: Sequence[str]
) -> Iterator[Line[Sequence[Any]] | Rejected | Remark]:
    wanted = [*required, *optional]
    known = set(wanted)
    reported: set[str] = set()
    for row in objects(json_rows(path), path.name):
        if isinstance(row, Rejected):
            yield row
            continue
        line, item = row
        absent = [name for name in required if item.get(name) is None]
        if absent and not (absent == ["score"] and item.get("error")):
            yield Rejected(absent[0], None, f"“{absent[0]}” is missing.", line, path.name)
            continue
        unknown = set(item) - known - reported
        if unknown:
            reported |= unknown
            yield from _unknown(path, sorted(unknown), required, optional)
        values = ["" if (value := item.get(name)) is None else value for name in wanted]
        yield Line(line, values)


class Lines:
    """The lines of a text, which is read a part at a time. `bad`: numbers of those that are not UTF-8, hold
    a NUL, or never end; they stand there before their turn comes."""

    def __init__(self, path: Path, newline: str | None = "") -> None:
        self.path, self.newline = path, newline
        self.bad: set[int] = set()
        # Parts of the file that were read.
        self.parts = 0

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._parts())

    def _parts(self) -> Iterator[list[str]]:
        # Bytes that are no UTF-8 become lone surrogates, which no sound text holds.
        with self.path.open(
            encoding="utf-8-sig", errors="surrogateescape", newline=self.newline
        ) as file:
            number, rest = 0, ""
            # Of a long line as much again: so none is copied more than a few times.
            while part := file.read(max(PART, len(rest))):
                text = rest + part
                lines = io.StringIO(text, newline="").readlines()
                # The last line may go on in the next part, and so may its end, of two characters.
                rest = lines.pop()
                yield self._check_lines(lines, text, number)
                number += len(lines)
                self.parts += 1
                if len(rest) > LONGEST_LINE:
                    # Of a line without end no more is kept than tells that it is one.
                    rest = rest[:LONGEST_LINE] + (rest[-1] if rest[-1] in "\r\n" else "")
            if rest:
                yield self._check_lines([rest], rest, number)

    def _check_lines(self, lines: list[str], text: str, number: int) -> list[str]:
        """The same lines; those of no use are cut. `text`: all of them, `number`: of the line before."""
        if _is_readable(text) and len(text) < LONGEST_LINE:
            return lines
        for place, line in enumerate(lines):
            is_endless = len(line) >= LONGEST_LINE
            if is_endless or not _is_readable(line):
                self.bad.add(number + place + 1)
            if is_endless:
                lines[place] = line[:80] + "\n"
        return lines


def _is_readable(text: str) -> bool:
    return (text.isascii() or _encodes(text)) and "\0" not in text


def _encodes(line: str) -> bool:
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True


def _undecodable(path: Path, line: int) -> Rejected:
    words = (
        "The line is not sound text: it must be UTF-8, without NUL characters, and not endlessly "
        "long."
    )
    return Rejected("line", "", words, line, path.name)


def _check_header(path: Path, header: list[str], required: Sequence[str]) -> None:
    absent = [name for name in required if name not in header]
    if absent:
        there = ", ".join(name[:40] for name in header[:20]) or "nothing"
        words = ", ".join(f"“{name}”" for name in absent)
        raise Unreadable(f"{path.name} has no column {words}; its header has: {there}.")
    check_repeated(path, header)


def check_repeated(path: Path, header: Sequence[str]) -> None:
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise Unreadable(f"{path.name} has the column “{twice[0][:80]}” more than once.")


def _unknown(
    path: Path, names: Sequence[str], required: Sequence[str], optional: Sequence[str]
) -> Iterator[Remark]:
    unknown = [name[:40] for name in names if name not in required and name not in optional]
    if unknown:
        yield Remark(f"{path.name}: unknown columns were left out: {', '.join(unknown)}.")


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key “{twice[:80]}” stands twice in one object")
    return values


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _csv_words(error: csv.Error) -> str:
    if "field larger" in str(error):
        return (
            f"A cell is longer than {LONGEST_FIELD:,} characters; perhaps a quotation mark is "
            "never closed."
        )
    return f"The row cannot be read: {error}."


def _error_reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
