"""Reads a lake's study into the same series as the database gives, column by column, through DuckDB.

Only images that people have labelled come into memory. The others stay on the disk (`audit.series.lake_columns`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from annotations.database.bulk import return_arrays
from annotations.studies.queries import frequent_words
from audit.reports.pairing import (
    UNRATED,
    JudgeScores,
    Paired,
    People,
    by_date,
    in_order,
    scale_of,
)
from audit.series.lake_columns import (
    FAILED,
    OWN_PROMPTS,
    VERDICTS,
    Columns,
    Names,
    StoredPeople,
    StoredScores,
    left_out,
)
from audit.series.lake_files import (
    ADDED,
    COLUMNS,
    LakeRefused,
    checked_files,
    needs,
    schema,
    stamp_of,
)
from judges.lake.sources import reason_of
from jurybox_formats.forms import marks
from jurybox_formats.forms.scales import CANT_TELL
from jurybox_formats.sources.checks import LARGEST_NUMBER

ROWS = 200_000  # read at once
# What DuckDB holds beside them; what is more goes to the disk. Each thread wants a part of it.
MEMORY, THREADS = "400MB", 2
# The SQL below is put together from names of this file; what comes from outside goes beside it.
OF_IMAGES = "atom IS NULL AND value IS NOT NULL"
LISTS_OF_TAGS = """
CREATE TABLE lists_of_tags AS SELECT tags, row_number() OVER () - 1 AS code
FROM (SELECT DISTINCT coalesce(tags, []) AS tags FROM prompts)"""
NUMBERED_PROMPTS = """
CREATE TABLE numbered_prompts AS
SELECT prompt_id, row_number() OVER (ORDER BY prompt_id) - 1 AS prompt, code AS tags, atomicity, family
FROM prompts JOIN lists_of_tags ON lists_of_tags.tags = coalesce(prompts.tags, [])"""
# As `audit.reports.pairing.family_codes`.
FAMILIES = """
SELECT min(prompt) OVER (PARTITION BY family, CASE WHEN family = '' THEN prompt END)
FROM (SELECT prompt, coalesce(family, '') AS family FROM numbered_prompts)
WHERE EXISTS (SELECT 1 FROM prompts WHERE family <> '') ORDER BY prompt"""
# The ends spare DuckDB to look through all.
KEYS = """
SELECT place, image_id FROM places JOIN chosen USING (place) WHERE place BETWEEN ? AND ?"""
CODES = "prompts", "generators", "variants", "tags"
IMAGES = """
SELECT place, atomicity::DOUBLE, prompt, g.code, v.code, tags FROM places
JOIN numbered_prompts USING (prompt_id)
JOIN numbered_generators g ON g.name = generator JOIN numbered_variants v ON v.name = variant"""
SCORES = f"""
SELECT place, value, CASE WHEN value IS NULL OR isnan(value) THEN {FAILED} WHEN correct THEN 2
WHEN NOT correct THEN 1 ELSE 0 END, assumed FROM scored JOIN places USING (image_id)"""  # noqa: S608
# What most people say of an atom; without those on which they are even.
LABELLED_ATOMS = """
CREATE OR REPLACE TABLE labelled_atoms AS SELECT place, atom, any_value(value) AS label FROM (
    SELECT place, atom, value, count(*) AS n, max(n) OVER (PARTITION BY place, atom) AS most
    FROM answers JOIN places USING (image_id)
    WHERE question = 'atom' AND atom IS NOT NULL AND value IS NOT NULL GROUP BY place, atom, value
) WHERE n = most GROUP BY place, atom HAVING count(*) = 1"""
JUDGED_ATOMS = """
SELECT kind, place, value, label FROM judged JOIN places USING (image_id)
JOIN labelled_atoms USING (place, atom) ORDER BY place, atom"""


class LakeStudy:
    """A source of a report (`audit.reports.pairing.Source`). Opening it checks every file; whatever is
    read after that comes from these very files, or is refused."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest, self.stamps = checked_files(folder)
        told = self.manifest["study"]
        self.slug, self.simulated, self.asked = told["slug"], told["simulated"], told["questions"]
        if self.manifest["drawn_unequally"]:
            raise LakeRefused(
                "The labels of this study were drawn with unequal chances, which a lake does not "
                f"hold. Report on the study itself: manage.py report {self.slug}"
            )
        return_arrays()
        self.columns = Columns()
        # On the disk, too: keys of ten million images take a gigabyte.
        self.base = needs("duckdb").connect(
            self.columns.folder / "keys",
            config={
                "memory_limit": MEMORY,
                "threads": THREADS,
                "preserve_insertion_order": False,
                "temp_directory": str(self.columns.folder / "spilled"),
            },
        )
        for table in ("images", "prompts", "generators"):
            self._view(table, [f"{table}.parquet"])
        self._view("answers", self._named_columns("answers/"))
        with self._reading():
            self.base.execute(
                "CREATE TABLE places AS SELECT *, "
                "row_number() OVER (ORDER BY image_id) - 1 AS place FROM images"
            )
        ((self.images,),) = self._ask("SELECT count(*) FROM places")

    def keys_at(self, places: np.ndarray) -> np.ndarray:
        """Of the images at these places, which ascend."""
        keys = np.empty(places.size, dtype=object)
        self.base.register("chosen", needs("pyarrow").table({"place": places}))
        ends = [int(end) for end in places[[0, -1]]] if places.size else [0, 0]
        for found, some in self._columns(KEYS, *ends):
            keys[np.searchsorted(places, found)] = some
        return keys

    def questions(self) -> list[str]:
        rows = self._ask(f"SELECT DISTINCT question FROM answers WHERE {OF_IMAGES}")  # noqa: S608
        return in_order({question for (question,) in rows}, self.asked)

    def text_answers(self) -> dict[str, Any]:
        return {"cannot_tell": self._cannot_tell(), "in_words": self._in_words()}

    def languages(self, question: str) -> dict[str | None, int]:
        """How many answers in each; None where the file is older than this column."""
        rows = self._ask(
            "SELECT language, count(*) FROM answers WHERE question = ? GROUP BY language", question
        )
        return {language: n for language, n in rows}

    def pair(
        self, question: str, *, judges: Sequence[str] | None = None, decided: bool = False
    ) -> Paired:
        if decided:
            raise LakeRefused(
                "A lake holds what people answered, not what the owner decided: use another consensus."
            )
        names = self._names
        labelled, places = self._people(question)
        whole = StoredPeople(labelled, places, Keys(self), self.columns, names)
        # Before the judges are read: nothing else takes as much memory.
        people = replace(labelled, left_out=left_out(whole))
        with_atoms = self._number_of_labelled_atoms() > 0
        scored, everywhere = [], []
        for told in self.manifest["judges"]:
            if judges is None or told["facts"]["name"] in judges:
                judge = self._judge(told, places, whole if with_atoms else None)
                scored.append(judge)
                everywhere.append(StoredScores(judge, self.columns))
        return Paired(people, tuple(scored), Paired(whole, tuple(everywhere)))

    @cached_property
    def _generators(self) -> list[tuple[str, date | None]]:
        rows = self._ask("SELECT generator, release_date FROM generators")
        if not all(isinstance(day, date | None) for _, day in rows):
            self._refuse("has a generator that was released on a day of no calendar")
        return sorted(rows, key=lambda row: by_date(row[1], row[0]))

    @cached_property
    def _names(self) -> Names:
        """The columns of all images are written, as codes; this is what the codes stand for."""
        variants = [name for (name,) in self._ask("SELECT DISTINCT variant FROM images ORDER BY 1")]
        self._number("numbered_generators", [name for name, _ in self._generators])
        self._number("numbered_variants", variants)
        with self._reading():
            self.base.execute(LISTS_OF_TAGS)
            self.base.execute(NUMBERED_PROMPTS)
        codes = {name: np.zeros(self.images, dtype=np.int32) for name in CODES}
        atomicity = np.full(self.images, np.nan)
        found = 0
        for place, known, *columns in self._columns(IMAGES):
            atomicity[place] = known
            for name, column in zip(CODES, columns, strict=True):
                codes[name][place] = column
            found += place.size
        if found != self.images:
            self._refuse("has images of prompts or generators that it does not hold")
        if parts := [first for (first,) in self._columns(FAMILIES)]:
            own = codes["prompts"]
            codes |= {OWN_PROMPTS: own, "prompts": np.concatenate(parts)[own].astype(np.int32)}
        for name, values in {**codes, "atomicity": atomicity}.items():
            self.columns.write(name, values)
        lists = [
            tuple(tags) for (tags,) in self._ask("SELECT tags FROM lists_of_tags ORDER BY code")
        ]
        return Names(variants, lists, bool(parts))

    def _number(self, name: str, texts: Sequence[str]) -> None:
        """A table of these texts and of their places among them."""
        pyarrow = needs("pyarrow")
        columns = pyarrow.array(texts, pyarrow.string()), np.arange(len(texts))
        self.base.register(name, pyarrow.table(columns, names=["name", "code"]))

    def _people(self, question: str) -> tuple[People, np.ndarray]:
        """The images that people have labelled, and their places among all."""
        ratings, places, raters = self._ratings(question)
        given = f"FROM answers WHERE question = ? AND {OF_IMAGES}"
        forms = self._ask(f"SELECT DISTINCT form {given}", question)
        ((answers,),) = self._ask(f"SELECT count(*) {given}", question)
        read, names = self.columns.read, self._names
        people = People(
            study=self.slug,
            question=question,
            scale=scale_of(question, self.asked, ratings),
            images=Keys(self)[places],
            prompts=read("prompts")[places].astype(np.int64),
            generators=read("generators")[places].astype(np.int64),
            variants=names.variants[read("variants")[places]],
            tags=tuple(names.lists_of_tags[read("tags")[places]]),
            atomicity=read("atomicity")[places],
            generator_names=tuple(name for name, _ in self._generators),
            release_dates=tuple(released for _, released in self._generators),
            ratings=ratings,
            raters=raters,
            forms=frozenset(form for (form,) in forms),
            annotations=answers,
            simulated=bool(set(raters) & set(self.manifest["simulated_people"])),
            own_prompts=read(OWN_PROMPTS)[places].astype(np.int64) if names.families else None,
        )
        return people, places

    def _ratings(self, question: str) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
        """Raters × labelled images, the places of these images, and the raters by name."""
        given = f"question = ? AND {OF_IMAGES}"
        names = self._ask(
            f"SELECT DISTINCT rater FROM answers WHERE {given} ORDER BY rater",  # noqa: S608
            question,
        )
        raters = tuple(name for (name,) in names)
        self._number("raters", raters)
        with self._reading():
            self.base.execute(
                "CREATE OR REPLACE TABLE given AS SELECT code, place, value FROM answers "  # noqa: S608
                f"JOIN places USING (image_id) JOIN raters ON rater = name WHERE {given}",
                [question],
            )
        labelled = np.zeros(self.images, dtype=bool)
        for (place,) in self._columns("SELECT place FROM given"):
            labelled[place] = True
        places = np.flatnonzero(labelled)
        ratings = np.full((len(raters), places.size), UNRATED)
        for code, place, value in self._columns("SELECT code, place, value FROM given"):
            ratings[code, np.searchsorted(places, place)] = value
        return ratings, places, raters

    def _judge(self, told: dict[str, Any], places: np.ndarray, whole: People | None) -> JudgeScores:
        """On the images at these places; its scores of all are written. `whole`: all images, where people
        have labelled atoms."""
        number = told["facts"]["number"]
        scores, marks = np.full(self.images, np.nan), np.zeros(self.images, dtype=np.int8)
        assumed = 0
        self._view("scored", [f"scores/{number}.parquet"], "scores")
        for place, value, mark, zeros in self._columns(SCORES):
            scores[place] = value
            marks[place] = mark
            assumed += int(zeros.sum())
        self.columns.write(f"scores of {number}", scores)
        self.columns.write(f"marks of {number}", marks)
        released = told["release_date"]
        return JudgeScores(
            name=told["name"],
            fingerprint=told["fingerprint"],
            facts=told["facts"],
            release_date=date.fromisoformat(released) if released else None,
            scores=scores[places],
            verdicts=VERDICTS[marks[places]],
            failed=marks[places] == FAILED,
            **self._judged_atoms(number, whole),
            stopped=told["stopped"],
            assumed=assumed,
        )

    def _number_of_labelled_atoms(self) -> int:
        with self._reading():
            self.base.execute(LABELLED_ATOMS)
        ((number,),) = self._ask("SELECT count(*) FROM labelled_atoms")
        return int(number)

    def _judged_atoms(self, number: int, whole: People | None) -> dict[str, Any]:
        """By image, and then in the order of the prompt."""
        kinds, rows = [np.empty(0, dtype=object)], [np.empty((3, 0))]
        if whole is not None:
            self._view("judged", [f"atom-scores/{number}.parquet"], "atom-scores")
            for kind, *numbers in self._columns(JUDGED_ATOMS):
                kinds.append(kind)
                rows.append(np.array(numbers, dtype=float))
        place, score, label = np.concatenate(rows, axis=1)
        at, own = place.astype(int), None if whole is None else whole.own_prompts
        return {
            "atom_kinds": np.concatenate(kinds),
            "atom_scores": score,
            "atom_labels": label,
            "atom_prompts": np.empty(0, np.int64) if whole is None else whole.prompts[at],
            "atom_own_prompts": None if own is None else own[at],
        }

    def _cannot_tell(self) -> dict[str, dict[str, int]]:
        typed = [asked["name"] for asked in self.asked if asked.get("kind") == "text"]
        rows = self._ask(
            "SELECT question, count(*) FILTER (text = ?) AS n, count(*) FROM answers "
            "WHERE NOT list_contains(?, question) GROUP BY question HAVING n > 0",
            CANT_TELL,
            typed,
        )
        return {question: {"n": n, "of": of} for question, n, of in sorted(rows)}

    def _in_words(self) -> dict[str, dict[str, Any]]:
        words = (
            "FROM answers WHERE value IS NULL AND atom IS NULL AND text <> ? "
            "AND NOT starts_with(text, ?) GROUP BY question"
        )
        given: dict[str, list[tuple[int, str]]] = {}
        counted = self._ask(
            f"SELECT question, text, count(*) {words}, text", CANT_TELL, marks.BEGINS
        )
        for question, text, n in counted:
            given.setdefault(question, []).append((n, text))
        rows = self._ask(
            f"SELECT question, count(*), count(DISTINCT image_id) {words}", CANT_TELL, marks.BEGINS
        )
        return frequent_words(rows, given)

    def _named_columns(self, beginning: str) -> list[str]:
        return [one["file"] for one in self.manifest["files"] if one["file"].startswith(beginning)]

    def _view(self, name: str, files: list[str], table: str = "") -> None:
        if not files:
            self.base.register(name, schema(table or name).empty_table())
            return
        alike: dict[str, list[str]] = {}
        for file in files:
            path = str(self.folder / file)
            columns = self._columns_of(path, table or name)
            alike.setdefault(columns, []).append("'" + path.replace("'", "''") + "'")
        rows = " UNION ALL ".join(
            f"SELECT {columns} FROM read_parquet([{', '.join(paths)}])"  # noqa: S608
            for columns, paths in alike.items()
        )
        with self._reading():
            self.base.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {rows}")

    def _columns_of(self, path: str, table: str) -> str:
        added = ADDED.get(table, ())
        there = self._ask("SELECT name FROM parquet_schema(?)", path) if added else []
        missing = set(added) - {name for (name,) in there}
        return ", ".join(
            f"NULL::VARCHAR AS {column}" if column in missing else column
            for column in COLUMNS[table]
        )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """A lake may be exported again, or a disk go, while a report is made of it."""
        try:
            yield
        except (needs("duckdb").Error, needs("pyarrow").ArrowException, OSError) as error:
            # The last two come of rows that are read in parts.
            self._check_unchanged()
            raise LakeRefused(f"{self.folder} cannot be read: {reason_of(error)}.") from error
        self._check_unchanged()

    def _refuse(self, words: str) -> NoReturn:
        raise LakeRefused(f"{self.folder} {words}: export the study into the lake again.")

    def _check_unchanged(self) -> None:
        for file, stamp in self.stamps.items():
            try:
                if stamp_of(file) == stamp:
                    continue
            except OSError:
                pass
            raise LakeRefused(f"{file} changed while it was read. Nothing was computed; try again.")

    def _ask(self, question: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._reading():
            return self.base.execute(question, list(values)).fetchall()

    def _columns(self, question: str, *values: Any) -> Iterator[list[np.ndarray]]:
        """In parts, so that twenty million answers are never all in memory as rows."""
        with self._reading():
            reader = self.base.sql(question, params=list(values)).to_arrow_reader(ROWS)
        while (part := self._next_part(reader)) is not None:
            columns = [column.to_numpy(zero_copy_only=False) for column in part.columns]
            for one in columns:
                if one.dtype.kind == "f" and (np.abs(one) > LARGEST_NUMBER).any():
                    self._refuse(f"holds a number beyond {LARGEST_NUMBER:g}")
            yield columns

    def _next_part(self, reader: Any) -> Any:
        with self._reading():
            try:
                return reader.read_next_batch()
            except StopIteration:
                return None


class Keys(Sequence[str]):
    """Of all images, in their order; read where somebody needs them."""

    def __init__(self, source: LakeStudy) -> None:
        self._source = source

    def __len__(self) -> int:
        return self._source.images

    def __getitem__(self, which: Any) -> Any:
        """Those of a slice, or at places that ascend."""
        places = np.arange(*which.indices(len(self))) if isinstance(which, slice) else which
        return self._source.keys_at(places)
