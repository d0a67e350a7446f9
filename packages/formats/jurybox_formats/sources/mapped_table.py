"""Any table: its columns are guessed or given, and its rows become the neutral records.

A folder may hold several tables and the pictures that they name. Rows that name the same picture
are about the same image, so labels and scores may stand in a table of their own, or beside it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import Any

from jurybox_formats.sources import (
    columns,
    parquet_rows,
    picture_folder,
    picture_names,
    tidy_tables,
)
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.columns import SeenColumn
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.json_values import left_out
from jurybox_formats.sources.parquet_rows import Embedded
from jurybox_formats.sources.picture_names import UNKNOWN
from jurybox_formats.sources.records import (
    PLACES,
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    PromptPictureRecord,
    PromptRecord,
    Record,
    Rejected,
    Remark,
    ScoreRecord,
    Unreadable,
)
from jurybox_formats.sources.rows import Images, Line, records
from jurybox_formats.sources.text_files import (
    check_repeated,
    csv_table,
    delimiter_of,
    json_rows,
    objects,
    opening,
    restored,
    rows_by_name,
)

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", parquet_rows.SUFFIX)
# So many rows are looked at before the columns are guessed.
LOOKED_AT = 20_000
SHOWN = 5
MOST_COLUMNS = 200
IMPORTED = "imported"
Cells = dict[str, Any]
Content = Path | Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table as it was found: its columns, what they seem to be, and its first rows."""

    name: str
    columns: tuple[str, ...]
    roles: dict[str, str]
    first: tuple[Cells, ...]
    rows: int
    # Columns in which nothing stands.
    empty: frozenset[str] = frozenset()

    @property
    def by_role(self) -> dict[str, str]:
        """Role -> its column, of the roles that one column has."""
        return {role: name for name, role in self.roles.items() if role not in columns.MANY}

    @property
    def labels(self) -> dict[str, str]:
        """Column -> what its labels are."""
        return {n: r.partition(":")[2] for n, r in self.roles.items() if r in columns.LABELS}

    @property
    def dropped(self) -> list[str]:
        """Columns with values that are not imported."""
        return [name for name in self.columns_of("ignore") if name not in self.empty]

    def columns_of(self, role: str) -> list[str]:
        return [name for name, given in self.roles.items() if given == role]


class Pictures:
    """The pictures beside the tables, found by path, by name or by name without its ending."""

    def __init__(self, root: Path, files: list[str]) -> None:
        self.root = root
        self.files = [file for file in files if picture_folder.is_picture(file)]
        self.paths = set(self.files)
        self.others = {PurePosixPath(file).name for file in files} - {
            PurePosixPath(file).name for file in self.files
        }
        self.by_name: dict[str, str] = {}
        for file in reversed(self.files):
            pure = PurePosixPath(file)
            self.by_name[pure.name] = self.by_name[pure.stem] = file
        names = Counter(PurePosixPath(file).name for file in self.files)
        self.ambiguous = {name for name, count in names.items() if count > 1}
        self.ambiguous |= {PurePosixPath(name).stem for name in self.ambiguous}

    def find(self, value: str, table: str) -> str:
        """Its path below the folder; empty if there is none."""
        value = value.strip().replace("\\", "/").removeprefix("./")
        if parquet_rows.INSIDE in value:
            # It lies in the table itself.
            return value
        for path in (value, str(PurePosixPath(table).parent / value)):
            if path in self.paths:
                return path
        name = PurePosixPath(value).name
        return "" if name in self.ambiguous else self.by_name.get(name, "")

    def has_other(self, value: str) -> bool:
        """Whether a file of this name is there, of a kind that is not taken."""
        return PurePosixPath(value.strip().replace("\\", "/")).name in self.others

    def why_none(self, value: str) -> str:
        if self.has_other(value):
            return f"{value.strip()} is not a PNG, JPEG or WebP picture."
        return "There is no such picture."


def read(source: Source) -> Iterator[Record]:
    path = source.path
    root, there, plans = plan_tables(path, source.images, source.columns)
    tables = [plan.name for plan in plans]
    _check_plans(plans, there)
    reader = _Reader(there, source.generator, source.judge)
    # What says most of an image comes first; labels and scores alone follow.
    for table in sorted(plans, key=lambda plan: "prompt" not in plan.roles.values()):
        yield Remark(in_words(table))
        file = root / table.name
        _, rows = open_table(file, name=table.name, pictures=source.pictures)
        yield from records(rows, reader.read_table(table), table.name, reader.seen)
    yield from left_out(set(there.files) - reader.used, "no row names them")
    beside = [] if path.is_file() else picture_folder.list_files(root)[1]
    others = (f for f in beside if f not in tables and not picture_folder.is_picture(f))
    yield from left_out(others, "neither a picture nor a table")


def plan_tables(
    path: Path, images: Path | None = None, roles: Mapping[str, str] | None = None
) -> tuple[Path, Pictures, list[FoundTable]]:
    """The tables, each column with the role that it was given or else guessed."""
    root, pictures, tables = find_tables(path, images)
    given = dict(roles or {})
    found = [look(root / name, name, pictures) for name in tables]
    check_known(given, found)
    plans = [plan_table(table, given) for table in found]
    return root, pictures, plans


def label_kinds(
    path: Path, images: Path | None = None, roles: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What each label column contains."""
    plans = plan_tables(path, images, roles)[2]
    return {name: kind for plan in plans for name, kind in plan.labels.items()}


def find_tables(path: Path, images: Path | None = None) -> tuple[Path, Pictures, list[str]]:
    """The folder, its pictures and its tables."""
    root, files = picture_folder.list_files(path)
    tables = [file for file in files if file.lower().endswith(SUFFIXES)]
    if path.is_file():
        tables = [path.name]
        # A table alone: the pictures that it names lie beside it.
        images = images or path.parent
    if images is not None:
        pictures = Pictures(images, picture_folder.list_files(images)[1])
    else:
        pictures = Pictures(root, files)
    if not tables:
        raise Unreadable(f"{path.name} holds no table (.csv, .tsv, .jsonl, .json, .parquet).")
    return root, pictures, tables


def look(path: Path, name: str, pictures: Pictures, holds: str = "") -> FoundTable:
    """Columns, guesses and first rows. `holds`: what the table is of, where that is known."""
    header, rows = open_table(path, name=name)

    def is_picture(text: str) -> bool:
        return bool(pictures.find(text, name))

    seen = {column: SeenColumn(column) for column in header}
    first: list[Cells] = []
    count = 0
    for row in rows:
        if not isinstance(row, Line):
            continue
        count += 1
        if len(first) < SHOWN:
            first.append({name: _text(value) for name, value in row.value.items()})
        if count <= LOOKED_AT:
            for column, value in row.value.items():
                if column in seen:
                    seen[column].see(value, is_picture)
    if not count:
        raise Unreadable(f"{name} has a header and no rows; there is nothing to import.")
    guessed = columns.guess(list(seen.values()), holds)
    _tell_judge_from_generator(guessed, path, name)
    empty = frozenset(column.name for column in seen.values() if not column.cells)
    return FoundTable(name, tuple(header), guessed, tuple(first), count, empty)


def _tell_judge_from_generator(roles: dict[str, str], path: Path, table: str) -> None:
    """ "model" is who drew the image, or who scored it: then one image stands in several rows."""
    of = {role: name for name, role in roles.items()}
    scores = [name for name, role in roles.items() if role == "score"]
    image = of.get("image_id") or of.get("picture")
    if len(scores) != 1 or not image or "generator" not in of or "judge" in of:
        return
    if columns.SCORE_NAMES.search(scores[0].lower()):
        return
    first: dict[str, str] = {}
    for row in open_table(path, name=table)[1]:
        if isinstance(row, Line):
            models = _text(row.value.get(of["generator"]))
            if first.setdefault(_text(row.value.get(image)), models) != models:
                roles[of["generator"]] = "judge"
                return


def open_table(
    path: Path, *, name: str = "", pictures: bool = False
) -> tuple[list[str], Iterator[Line[Cells] | Rejected]]:
    """The names of the columns, and the rows as cells by column. `pictures`: with the bytes of those
    that lie in the table."""
    if path.name.lower().endswith(parquet_rows.SUFFIX):
        there, inside = parquet_rows.as_table(path, name or path.name, pictures=pictures)
        _check_header(there, path)
        return [column for column in there if column], _as_text(inside)
    start = opening(path, 65_536)
    if start.lstrip()[:1] in (b"[", b"{"):
        items = json_rows(path)
        some = list(islice(items, 1000))
        header = _keys([row.value for row in some if isinstance(row, Line)], path)
        return header, _as_text(objects(chain(some, items), path.name))
    header, rows = csv_table(path, delimiter_of(start, path))
    _check_header(header, path)
    return [name for name in header if name], rows_by_name(header, rows)


def in_words(table: FoundTable, begins: str = "") -> str:
    said = [f"{name} = {role}" for name, role in table.roles.items() if role != "ignore"]
    dropped = table.dropped
    counted = f"{len(dropped)} of {len(table.columns)} columns not used"
    return f"{table.name}: {begins}{', '.join(said)}" + (
        f"; {counted}: {', '.join(dropped[:20])}." if dropped else "."
    )


def roles_of(table: FoundTable, given: Mapping[str, str]) -> dict[str, str]:
    """What a person stated counts: a guess that is in its way gives way."""
    said = columns.check_roles(given, table.columns, table.name)
    for name, role in said.items():
        if role == "label":
            said[name] = table.roles[name] if table.roles[name] in columns.LABELS else "label:text"
    roles = table.roles | said
    for name, role in table.roles.items():
        if name not in said and role not in columns.MANY and role in said.values():
            roles[name] = "ignore"
    return roles


def plan_table(table: FoundTable, given: Mapping[str, str]) -> FoundTable:
    """The table with the roles that a person stated; Unreadable where they contradict each other."""
    roles = roles_of(table, given)
    plan = replace(table, roles=roles)
    double = columns.twice(roles)
    if double:
        role, names = double
        words = " and ".join(f"“{name}”" for name in names)
        raise Unreadable(f"{table.name}: {words} are both “{columns.ROLES[role]}”; choose one.")
    scores = plan.columns_of("score")
    if "judge" in roles.values() and len(scores) > 1:
        words = " and ".join(f"“{name}”" for name in scores)
        raise Unreadable(
            f"{table.name}: a column names the judges, and {words} could each be the score; choose one "
            "(--column NAME=ignore)."
        )
    return plan


def check_known(given: Mapping[str, str], tables: Iterable[FoundTable]) -> None:
    """What a person stated is of columns that are there, and something that a column can be."""
    names = {table.name: sorted(table.columns) for table in tables}
    there = sorted(chain.from_iterable(names.values()))
    known = {*there, *(f"{table}:{name}" for table, inside in names.items() for name in inside)}
    for name, role in sorted(given.items()):
        if name not in known:
            words = f"There is no column “{name[:80]}”; there are: {', '.join(there[:20])}."
            raise Unreadable(words)
        if role not in ("label", *columns.ROLES):
            all_roles = ", ".join(["label", *columns.ROLES])
            raise Unreadable(f"“{role[:40]}” is nothing that a column can be: {all_roles}.")


def _check_plans(plans: list[FoundTable], pictures: Pictures) -> None:
    for plan in plans:
        roles = set(plan.roles.values())
        if roles & {"picture", "image_id"}:
            continue
        if pictures.files or roles & {*columns.LABELS, "score", "value"}:
            raise Unreadable(
                f"None of the {len(plan.columns)} columns of {plan.name} names the pictures. Choose "
                "the column with their file names, or add one."
            )
        if "prompt" not in roles:
            raise Unreadable(
                f"None of the {len(plan.columns)} columns of {plan.name} is a picture or a prompt. "
                "Choose what its columns are."
            )


class _MappedRow:
    """A row by the roles of its columns."""

    __slots__ = ("cells", "names")

    def __init__(self, names: Mapping[str, str], cells: Cells) -> None:
        self.names, self.cells = names, cells

    def text(self, role: str) -> str:
        # A table may have a column without a name; that is no role's.
        name = self.names.get(role)
        return "" if name is None else restored(_text(self.cells.get(name, ""))).strip()


class _Reader:
    """Rows to records; remembers across tables which images and prompts were sent."""

    def __init__(self, pictures: Pictures, generator: str, judge: str) -> None:
        self.pictures, self.generator, self.judge = pictures, generator, judge
        self.levels = picture_names.guess(pictures.files) if pictures.files else None
        self.strip = picture_names.common_folders(pictures.files)
        self.seen = Images()
        self.used: set[str] = set()
        self.keys: dict[str, str] = {}
        # Their texts and families.
        self.prompts: dict[str, tuple[str, str]] = {}
        self.metadata: dict[str, dict[str, Any]] = {}
        self.of_prompt: dict[str, Any] = {}
        # The pictures that the row has for its prompt, by place: which they are, and their bytes.
        self.prompt_pictures: dict[str, tuple[str, Content]] = {}
        self.shown: dict[tuple[str, str], str] = {}
        # Of each image: the prompt and the generator that its first row named.
        self.images: dict[str, tuple[str, str]] = {}
        self.raters: Counter[tuple[str, str]] = Counter()

    def read_table(self, table: FoundTable) -> Callable[[Line[Cells]], Iterator[Record]]:
        names, labels = table.by_role, table.labels
        scores, kept = table.columns_of("score"), table.columns_of("metadata")

        def read(line: Line[Cells]) -> Iterator[Record]:
            row, cells = _MappedRow(names, line.value), line.value
            self.of_prompt = {
                name: cells[name] for name in kept if cells.get(name, "") not in ("", None)
            }
            self.prompt_pictures = self._pictures_of_prompt(row, table.name)
            if not {"picture", "image_id"} & names.keys():
                yield from self._prompt(row)
                return
            key, file = self._key(row, table.name)
            about = bool({"prompt", "generator"} & names.keys())
            if about or (file and key not in self.images):
                content = self._content(file, cells.get(names.get("picture", "")))
                yield from self._image(key, file, content, row)
            yield from self._labels(key, row, labels)
            yield from self._scores(key, row, scores)

        return read

    def _key(self, row: _MappedRow, table: str) -> tuple[str, str]:
        """The image's key, and its file below the folder."""
        names, said = row.names, row.text("picture")
        file = self.pictures.find(said, table) if said else ""
        if said and not file and (self.pictures.files or self.pictures.has_other(said)):
            raise Unfit(names["picture"], said, self.pictures.why_none(said))
        name = (file or said).replace(parquet_rows.INSIDE, "/")
        key = row.text("image_id") or (picture_names.image_key(name) if said else "")
        if not key:
            field = names.get("picture") or names["image_id"]
            raise Unfit(field, "", f"“{field}” is empty.")
        if file:
            self.used.add(file)
            # A table that knows the file only means the image that another table called by an id.
            key = self.keys.setdefault(file, key) if "image_id" not in names else key
            self.keys[file] = key
        return key, file

    def _pictures_of_prompt(self, row: _MappedRow, table: str) -> dict[str, tuple[str, Content]]:
        found: dict[str, tuple[str, Content]] = {}
        for place in PLACES:
            if place not in row.names:
                continue
            value = row.cells.get(row.names[place])
            name = _text(value).strip()
            if not name:
                continue
            file = self.pictures.find(name, table)
            content = self._content(file, value)
            if content is None and isinstance(value, Embedded):
                continue  # Only labels are looked at now.
            if content is None:
                raise Unfit(row.names[place], name, self.pictures.why_none(name))
            self.used.add(file)
            # The same picture lies again in each row of a table that holds its pictures itself.
            found[place] = (_digest(content()) if callable(content) else file, content)
        return found

    def _prompt_key(self, row: _MappedRow, text: str) -> str:
        """Two edits may have the same words: then their sources tell them apart."""
        said = row.text("prompt_id")
        source, _ = self.prompt_pictures.get("source", ("", None))
        if said or not source:
            return said or picture_names.prompt_key(text)
        return picture_names.prompt_key(f"{PurePosixPath(source).stem} {text}")

    def _content(self, file: str, value: Any) -> Content | None:
        """Where the picture is: in the table itself, beside it, or nowhere."""
        if isinstance(value, Embedded):
            return value.embedded_file()
        return self.pictures.root / file if file else None

    def _image(
        self, key: str, file: str, content: Content | None, row: _MappedRow
    ) -> Iterator[Record]:
        names, cell = row.names, row.text
        named = (
            picture_names.read(file, self.levels, strip=self.strip)
            if file in self.pictures.paths and self.levels is not None
            else None
        )
        text = cell("prompt") or (named.prompt if named and "prompt" not in names else "")
        if not text:
            field = names.get("prompt", names.get("picture", "prompt"))
            raise Unfit(field, "", "The prompt is empty.")
        generator = cell("generator") or self.generator
        if not generator and named and "generator" not in names:
            generator = named.generator
        generator = generator or UNKNOWN
        prompt = self._prompt_key(row, text)
        known = self.images.get(key)
        if known is not None:
            if known != (prompt, generator):
                role, what = ("prompt", text) if known[0] != prompt else ("generator", generator)
                words = f"“{key}” stood with another {role} further up."
                raise Unfit(names.get(role, role), what, words)
            return
        released = cell("release_date")
        yield from self._new_prompt(prompt, text, row)
        if generator not in self.seen.generators:
            self.seen.generators.add(generator)
            day = tidy_tables.day(names["release_date"], released) if released else None
            yield GeneratorRecord(generator, day)
        sample = tidy_tables.whole(names["sample"], cell("sample")) if cell("sample") else 0
        self.images[key] = (prompt, generator)
        yield ImageRecord(key, prompt, generator, content, sample=sample)

    def _prompt(self, row: _MappedRow) -> Iterator[Record]:
        text = row.text("prompt")
        if not text:
            raise Unfit(row.names["prompt"], "", "The prompt is empty.")
        yield from self._new_prompt(self._prompt_key(row, text), text, row)

    def _new_prompt(self, key: str, text: str, row: _MappedRow) -> Iterator[Record]:
        names, tags, family = row.names, row.text("tags"), row.text("family")
        parts = tuple(part.strip() for part in tags.replace(",", ";").split(";") if part.strip())
        known = self.prompts.get(key)
        if known is None:
            self.prompts[key] = (text, family)
            self.metadata[key] = self.of_prompt
            yield PromptRecord(key, text, parts, metadata=self.of_prompt, family=family)
        elif known[0] != text:
            field = names.get("prompt", "prompt")
            raise Unfit(field, text, f"“{key}” stood for another prompt further up.")
        elif family not in ("", known[1]):
            reason = f"“{key}” stood with another family further up."
            raise Unfit(names["family"], family, reason)
        else:
            for name, value in self.of_prompt.items():
                if self.metadata[key].get(name, value) != value:
                    raise Unfit(name, value, f"“{key}” had another “{name}” further up.")
        for place, (which, content) in self.prompt_pictures.items():
            if (key, place) not in self.shown:
                self.shown[key, place] = which
                yield PromptPictureRecord(key, place, content)
            elif self.shown[key, place] != which:
                words = f"“{key}” had another {place} picture further up."
                raise Unfit(names[place], which, words)

    def _labels(self, key: str, row: _MappedRow, labels: dict[str, str]) -> Iterator[Record]:
        if "value" in row.names and "question" in row.names:
            value = row.text("value")
            if value:
                question, rater = row.text("question"), row.text("rater") or IMPORTED
                number = columns.as_number(value)
                answer = value if number is None else number
                yield LabelRecord(key, rater, question, answer)
            return
        for name, kind in labels.items():
            text = restored(_text(row.cells.get(name, ""))).strip()
            if not text:
                continue
            rater = row.text("rater")
            if not rater:
                # Without names, the second row about an image is a second person's.
                self.raters[key, name] += 1
                count = self.raters[key, name]
                rater = IMPORTED if count == 1 else f"{IMPORTED} {count}"
            value_read = value_of(name, text, kind)
            yield LabelRecord(key, rater, name, value_read)

    def _scores(self, key: str, row: _MappedRow, scores: list[str]) -> Iterator[Record]:
        for name in scores:
            text = _text(row.cells.get(name, "")).strip()
            if text:
                judge = row.text("judge") or (self.judge if len(scores) == 1 else "") or name
                score = tidy_tables.number(name, text)
                yield ScoreRecord(key, judge, score)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def value_of(name: str, text: str, kind: str) -> float | str:
    """A cell of a label column as its kind wants it."""
    if kind in ("text", "choice"):
        return text
    if kind == "yes/no":
        answer = columns.YES_NO.get(text.lower())
        if answer is None:
            raise Unfit(name, text, f"“{name}” takes yes or no (1 or 0).")
        return answer
    number = tidy_tables.number(name, text)
    if kind == "1-5" and number not in (1, 2, 3, 4, 5):
        raise Unfit(name, text, f"“{name}” takes a whole number from 1 to 5.")
    if kind == "0-1" and not 0 <= number <= 1:
        raise Unfit(name, text, f"“{name}” takes a number from 0 to 1.")
    return number


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return ";".join(value)
    if isinstance(value, Embedded):
        return value.name
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _keys(items: list[Any], path: Path) -> list[str]:
    keys = dict.fromkeys(key for item in items if isinstance(item, dict) for key in item)
    if not keys:
        raise Unreadable(f"{path.name} is no list of objects: each row must be an object.")
    _check_header(list(keys), path)
    return [key for key in keys if key]


def _as_text(rows: Iterable[Line[Cells] | Rejected]) -> Iterator[Line[Cells] | Rejected]:
    for row in rows:
        if isinstance(row, Line):
            cells = {
                name: value if isinstance(value, Embedded) else _text(value)
                for name, value in row.value.items()
            }
            yield Line(row.line, cells)
        else:
            yield row


def _check_header(header: list[str], path: Path) -> None:
    if len(header) > MOST_COLUMNS:
        raise Unreadable(f"{path.name} has more than {MOST_COLUMNS} columns.")
    check_repeated(path, header)
    if not any(header):
        raise Unreadable(f"{path.name} has no header row that can be read.")


FORMATS = {
    "table": Format(
        "any table (CSV, TSV, JSONL, JSON, Parquet), its columns guessed",
        read,
        is_free=True,
        order=130,
    )
}
