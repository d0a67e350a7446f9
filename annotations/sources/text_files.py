"""Files from outside, line by line: what cannot be read is named with its place, in constant memory.

No Django here: readers of benchmark files stand on this.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from annotations.sources.records import Rejected, Remark, Unreadable
from annotations.sources.rows import Row

# Longer than any honest row; a file without line ends must not fill the memory.
LONGEST_LINE = 4 * 2**20
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
) -> Iterator[Row[Sequence[Any]] | Rejected | Remark]:
    """Rows of a CSV, JSONL or JSON file, their values in the order of `required` + `optional`.

    What a row does not have is "". Columns may stand in any order; unknown ones are reported.
    """
    if opening(path).lstrip()[:1] in (b"[", b"{"):
        return _from_objects(path, required, optional)
    return _from_csv(path, required, optional)


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


def json_lines(path: Path) -> Iterator[Row[Any] | Rejected]:
    """The value on each line of a JSONL file."""
    opening(path)
    bad: set[int] = set()
    for number, line in enumerate(_lines(path, bad), 1):
        if not line.strip():
            continue
        if number in bad:
            bad.clear()
            yield _undecodable(path, number)
            continue
        try:
            yield Row(number, parsed(line))
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


def text_lines(path: Path) -> Iterator[Row[str] | Rejected]:
    """The text of each line that is not blank, whatever the line ends."""
    opening(path)
    bad: set[int] = set()
    for number, line in enumerate(_lines(path, bad, newline=None), 1):
        if number in bad:
            bad.clear()
            yield _undecodable(path, number)
        elif line.strip():
            yield Row(number, line.strip())


def parsed(text: str, constant: Callable[[str], Any] | None = None) -> Any:
    """`constant`: what NaN and Infinity become; without it they are refused."""
    value = json.loads(
        text,
        object_pairs_hook=_without_repeated_keys,
        parse_constant=constant or _no_constant,
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


def csv_rows(path: Path, delimiter: str = ",") -> Iterator[Row[list[str]] | Rejected]:
    """The cells of every row, the header first; rows that cannot be read are rejected."""
    bad: set[int] = set()
    reader = csv.reader(_lines(path, bad), delimiter=delimiter)
    before = 0
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            line, before = before + 1, reader.line_num
            bad.clear()
            yield Rejected("row", "", _csv_words(error), line, path.name)
            continue
        line, before = before + 1, reader.line_num
        if bad:
            # They are of this row: the reader looks no line ahead.
            bad.clear()
            yield _undecodable(path, line)
        elif row and row != [""]:
            yield Row(line, row)


def csv_table(
    path: Path, delimiter: str = ",", source: str = ""
) -> tuple[list[str], Iterator[Row[list[str]] | Rejected]]:
    """The names in the header, and the rows that are as wide as it. `source`: as a refusal names the
    file."""
    rows = csv_rows(path, delimiter)
    first = next(rows, None)
    if not isinstance(first, Row):
        raise Unreadable(f"{path.name} has no header row that can be read.")
    header = [name.strip().removeprefix("\ufeff") for name in first.value]
    width, source = len(header), source or path.name
    return header, (
        row
        if isinstance(row, Rejected) or len(row.value) == width
        else wrong_width(row, width, source)
        for row in rows
    )


def rows_by_name(
    header: Sequence[str], rows: Iterator[Row[list[str]] | Rejected]
) -> Iterator[Row[dict[str, str]] | Rejected]:
    for row in rows:
        if isinstance(row, Rejected):
            yield row
        else:
            yield Row(row.line, dict(zip(header, row.value, strict=True)))


def table_rows(path: Path, source: str) -> Iterator[Row[dict[str, str]] | Rejected]:
    """A table as its header names the cells; `source`: as a refusal names the file."""
    return rows_by_name(*csv_table(path, delimiter_of(opening(path), path), source))


def _from_csv(
    path: Path, required: Sequence[str], optional: Sequence[str]
) -> Iterator[Row[Sequence[Any]] | Rejected | Remark]:
    header, rows = csv_table(path)
    _check_header(path, header, required)
    yield from _unknown(path, [name for name in header if name], required, optional)
    wanted = [*required, *optional]
    width = len(header)
    # One cell more than the header has stands for every column that is not there.
    pick = itemgetter(*(header.index(n) if n in header else width for n in wanted))
    for row in rows:
        if isinstance(row, Rejected):
            yield row
        else:
            row.value.append("")
            yield Row(row.line, pick(row.value))


def wrong_width(row: Row[list[str]], width: int, source: str) -> Rejected:
    words = f"The row has {len(row.value)} cells, the header has {width}."
    return Rejected("row", ",".join(row.value)[:80], words, row.line, source)


def json_rows(path: Path) -> Iterator[Row[Any] | Rejected]:
    """The values of a JSON list, or of the lines of a JSONL file."""
    if opening(path).lstrip()[:1] != b"[":
        return json_lines(path)
    return numbered(document(path))


def numbered(items: Iterable[Any]) -> Iterator[Row[Any]]:
    return (Row(place, item) for place, item in enumerate(items, 1))


def objects(
    rows: Iterable[Row[Any] | Rejected], source: str
) -> Iterator[Row[dict[str, Any]] | Rejected]:
    """The rows that are objects; the others are rejected."""
    for row in rows:
        if isinstance(row, Row) and not isinstance(row.value, dict):
            words = "An object is wanted here."
            yield Rejected("line", str(row.value)[:80], words, row.line, source)
        else:
            yield row


def _from_objects(
    path: Path, required: Sequence[str], optional: Sequence[str]
) -> Iterator[Row[Sequence[Any]] | Rejected | Remark]:
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
        yield Row(line, values)


def _lines(path: Path, bad: set[int], newline: str | None = "") -> Iterator[str]:
    """Lines of text; the numbers of those that are not UTF-8 or hold a NUL go to `bad`."""
    # Bytes that are no UTF-8 become lone surrogates, which no sound text holds.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline=newline) as file:
        number = 0
        for line in iter(partial(file.readline, LONGEST_LINE), ""):
            number += 1
            if not line.isascii() and not _encodes(line) or "\0" in line:
                bad.add(number)
            if len(line) == LONGEST_LINE:
                # The rest would be read as lines of their own: it is skipped.
                bad.add(number)
                while len(rest := file.readline(LONGEST_LINE)) == LONGEST_LINE:
                    del rest
                yield line[:80] + "\n"
                continue
            yield line


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
