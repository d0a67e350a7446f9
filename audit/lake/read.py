"""Reads a lake's study into the same series as the database gives, column by column, through DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from annotations import consensus, marks
from annotations.scales import CANT_TELL
from annotations.studies.queries import frequent_words
from audit.lake.files import ADDED, COLUMNS, LakeRefused, checked_files, needs, schema, stamp_of
from audit.reports.pairing import (
    UNRATED,
    JudgeScores,
    Paired,
    People,
    by_date,
    in_order,
    scale_of,
)
from judges.lake.sources import reason_of

ROWS = 1_000_000  # read at once
# The SQL below is put together from names of this file; what comes from outside goes beside it.
OF_IMAGES = "atom IS NULL AND value IS NOT NULL"


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
        self.base = needs("duckdb").connect()
        for table in ("images", "prompts", "generators"):
            self._view(table, [f"{table}.parquet"])
        self._view("answers", self._named_columns("answers/"))
        with self._reading():
            self.base.execute(
                "CREATE TEMP TABLE places AS SELECT image_id, "
                "row_number() OVER (ORDER BY image_id) - 1 AS place FROM images"
            )

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
        people = self._people(question)
        labels = self._atom_labels()
        return Paired(
            people,
            tuple(
                self._judge(told, people, labels)
                for told in self.manifest["judges"]
                if judges is None or told["facts"]["name"] in judges
            ),
        )

    @cached_property
    def _prompts(self) -> dict[str, tuple[int, tuple[str, ...], float]]:
        """Key -> its number in the order of keys, tags, atomicity."""
        rows = self._ask("SELECT prompt_id, tags, atomicity FROM prompts ORDER BY prompt_id")
        return {
            key: (code, tuple(tags or ()), np.nan if atomicity is None else atomicity)
            for code, (key, tags, atomicity) in enumerate(rows)
        }

    def _people(self, question: str) -> People:
        with self._reading():
            images = self.base.execute(
                "SELECT image_id, prompt_id, generator, variant FROM images ORDER BY image_id"
            ).fetchnumpy()
        generators = sorted(
            self._ask("SELECT generator, release_date FROM generators"),
            key=lambda row: by_date(row[1], row[0]),
        )
        code_of = {name: code for code, (name, _) in enumerate(generators)}
        prompts = [self._prompts[key] for key in images["prompt_id"]]
        ratings, raters = self._ratings(question, len(prompts))
        given = f"FROM answers WHERE question = ? AND {OF_IMAGES}"
        forms = self._ask(f"SELECT DISTINCT form {given}", question)
        ((answers,),) = self._ask(f"SELECT count(*) {given}", question)
        return People(
            study=self.slug,
            question=question,
            scale=scale_of(question, self.asked, ratings),
            images=np.array(images["image_id"], dtype=object),
            prompts=np.array([code for code, _, _ in prompts], dtype=np.int64),
            generators=np.array([code_of[name] for name in images["generator"]], dtype=np.int64),
            variants=np.array(images["variant"], dtype=object),
            tags=tuple(tags for _, tags, _ in prompts),
            atomicity=np.array([atomicity for _, _, atomicity in prompts], dtype=float),
            generator_names=tuple(name for name, _ in generators),
            release_dates=tuple(released for _, released in generators),
            ratings=ratings,
            raters=raters,
            forms=frozenset(form for (form,) in forms),
            annotations=answers,
            simulated=bool(set(raters) & set(self.manifest["simulated_people"])),
        )

    def _ratings(self, question: str, images: int) -> tuple[np.ndarray, tuple[str, ...]]:
        """Raters × images, the raters by name."""
        given = f"question = ? AND {OF_IMAGES}"
        names = self._ask(
            f"SELECT DISTINCT rater FROM answers WHERE {given} ORDER BY rater",  # noqa: S608
            question,
        )
        raters = tuple(name for (name,) in names)
        self.base.execute("CREATE OR REPLACE TEMP TABLE raters (rater VARCHAR, line BIGINT)")
        if raters:
            self.base.executemany(
                "INSERT INTO raters VALUES (?, ?)", [[name, n] for n, name in enumerate(raters)]
            )
        ratings = np.full((len(raters), images), UNRATED)
        for line, place, value in self._columns(
            "SELECT line, place, value FROM answers JOIN places USING (image_id) "  # noqa: S608
            f"JOIN raters USING (rater) WHERE {given}",
            question,
        ):
            ratings[line, place] = value
        return ratings, raters

    def _judge(
        self, told: dict[str, Any], people: People, labels: dict[tuple[int, int], list[float]]
    ) -> JudgeScores:
        number, size = told["facts"]["number"], len(people.images)
        scores, verdicts = np.full(size, np.nan), np.full(size, np.nan)
        failed, assumed = np.zeros(size, dtype=bool), 0
        self._view("scored", [f"scores/{number}.parquet"], "scores")
        for place, value, correct, zeros in self._columns(
            "SELECT place, value, correct::DOUBLE, assumed FROM scored JOIN places USING (image_id)"
        ):
            scores[place] = value
            failed[place] = np.isnan(value)
            verdicts[place] = np.where(np.isnan(value), np.nan, correct)
            assumed += int(zeros.sum())
        released = told["release_date"]
        atoms = self._judged_atoms(number, people, labels) if labels else []
        return JudgeScores(
            name=told["name"],
            fingerprint=told["fingerprint"],
            facts=told["facts"],
            release_date=date.fromisoformat(released) if released else None,
            scores=scores,
            verdicts=verdicts,
            failed=failed,
            **columns_of(atoms),
            stopped=told["stopped"],
            assumed=assumed,
        )

    def _atom_labels(self) -> dict[tuple[int, int], list[float]]:
        """(place of the image, index of the atom) -> people's answers."""
        rows = self._ask(
            "SELECT place, atom, list(value) FROM answers JOIN places USING (image_id) "
            "WHERE question = 'atom' AND atom IS NOT NULL AND value IS NOT NULL GROUP BY ALL"
        )
        return {(place, atom): given for place, atom, given in rows}

    def _judged_atoms(
        self, number: int, people: People, labels: dict[tuple[int, int], list[float]]
    ) -> list[Atom]:
        self._view("judged", [f"atom-scores/{number}.parquet"], "atom-scores")
        rows = self._ask("SELECT place, atom, kind, value FROM judged JOIN places USING (image_id)")
        atoms = []
        for place, atom, kind, value in rows:
            label = label_of(labels[place, atom]) if (place, atom) in labels else np.nan
            if not np.isnan(label):
                atoms.append((place, atom, int(people.prompts[place]), value, label, kind))
        return sorted(atoms)

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
            yield [column.to_numpy(zero_copy_only=False) for column in part.columns]

    def _next_part(self, reader: Any) -> Any:
        with self._reading():
            try:
                return reader.read_next_batch()
            except StopIteration:
                return None


# Place of the image, index, code of the prompt, score, label, kind.
Atom = tuple[int, int, int, float, float, str]


def columns_of(atoms: Sequence[Atom]) -> dict[str, np.ndarray]:
    return {
        "atom_kinds": np.array([kind for *_, kind in atoms], dtype=object),
        "atom_scores": np.array([score for _, _, _, score, _, _ in atoms], dtype=float),
        "atom_labels": np.array([label for _, _, _, _, label, _ in atoms], dtype=float),
        "atom_prompts": np.array([prompt for _, _, prompt, _, _, _ in atoms], dtype=np.int64),
    }


def label_of(given: Sequence[float]) -> float:
    """What most people say of an atom; nan for a draw."""
    return float(consensus.majority(np.array(given, dtype=float)[:, None])[0])
