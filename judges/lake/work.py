"""Judge a lake: what is to be done, who does it, and the parts that come of it.

One process writes parts, whoever judges. So nothing is written twice, a disk is full in one place, and
no other machine needs to see the folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judges import installed
from judges.lake import slices
from judges.lake.judge_slice import JudgeChoice, SliceJudge
from judges.lake.score_files import ScoreFolder
from judges.lake.sources import LakeRefused, Shard, find_shards
from judges.models import Judge
from judges.runs.score_chunk import changes
from jurybox_judging import catalogue, registry

NAMED = 10


@dataclass(frozen=True, slots=True)
class Shape:
    """How files are read: which column is what, and how many pictures are a part."""

    columns: Mapping[str, str]
    per_part: int = slices.PICTURES


# A file, and the numbers of the slices whose parts are there.
Todo = Sequence[tuple[Shard, frozenset[int]]]
Results = Callable[[JudgeChoice, Shape, Todo], Iterable[dict[str, Any]]]


@dataclass(slots=True)
class LakeOutcome:
    """What lies in the folder now."""

    folder: Path
    judge: str = ""
    fingerprint: str = ""
    parts: int = 0
    before: int = 0
    pictures: int = 0
    unscored: int = 0
    skipped: list[list[str]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "judge": self.judge,
            "fingerprint": self.fingerprint,
            "pictures": self.pictures,
            "unscored": self.unscored,
            "parts": self.parts,
            "parts_before": self.before,
            "skipped": [{"where": where, "why": why} for where, why in self.skipped],
        }

    def lines(self) -> list[str]:
        earlier = f", {self.before:,} of them from before" if self.before else ""
        lines = [
            f"{self.judge} · {self.fingerprint}: {self.pictures:,} pictures in {self.parts:,} parts{earlier}; "
            f"{self.unscored:,} without a score; {len(self.skipped):,} skipped."
        ]
        lines += [f"{where}: {why}" for where, why in self.skipped[:NAMED]]
        if len(self.skipped) > NAMED:
            more = len(self.skipped) - NAMED
            lines.append(f"… and {more:,} more, in {self.folder / 'skipped.jsonl'}.")
        return lines


def judge_lake(
    *,
    source: str,
    name: str,
    options: Mapping[str, Any],
    out: Path,
    results: Results,
    columns: Mapping[str, str] | None = None,
    per_part: int = slices.PICTURES,
    on_part: Callable[[int], object] = lambda pictures: None,
) -> LakeOutcome:
    """`results` judges what is to be done, in this process or on a cluster. Whoever calls it again after a
    kill goes on from the parts that are there."""
    registry.check_options(name, options)
    row = installed.recipe(name)
    asked = JudgeChoice(name, dict(options), row.text if row else "")
    folder = ScoreFolder(out)
    shards = find_shards(source)
    state = _State(folder, asked, per_part, shards)
    folder.begin(state.parts)
    todo = state.todo(shards)
    for result in results(asked, Shape(dict(columns or {}), per_part), todo) if todo else ():
        if words := result.get("refused"):
            raise LakeRefused(words)
        state.keep(result)
        on_part(len(result["rows"]))
    folder.write_skipped(state.told.skipped)
    return state.told


def here(asked: JudgeChoice, shape: Shape, todo: Todo) -> Iterator[dict[str, Any]]:
    """In this process, one slice after the other."""
    judge = SliceJudge(asked)
    try:
        for shard, there in todo:
            read = slices.read_slices(
                shard, columns=shape.columns, per_part=shape.per_part, without=there
            )
            for one in read:
                yield judge.results(one)
    finally:
        judge.close()


class _State:
    """The parts that are there, and the one judge that they all are of."""

    def __init__(
        self, folder: ScoreFolder, asked: JudgeChoice, per_part: int, shards: Sequence[Shard]
    ) -> None:
        self.folder, self.asked, self.per_part = folder, asked, per_part
        self.told = LakeOutcome(folder.path, asked.name)
        self.judge: Judge | None = None
        self.parts: list[str] = []
        self._there: dict[str, set[int]] = {}
        self._ended: set[str] = set()
        sizes = {shard.name: shard.size for shard in shards}
        for name, facts in folder.parts():
            self._expect_ours(name, facts, sizes)
            self._count(facts, facts["rows"])
            self.parts.append(name)
            self.told.before += 1

    def todo(self, shards: Sequence[Shard]) -> Todo:
        left = []
        for shard in shards:
            there = self._there.get(shard.name, set())
            if shard.name not in self._ended or there != set(range(max(there) + 1)):
                left.append((shard, frozenset(there)))
        return left

    def keep(self, result: Mapping[str, Any]) -> None:
        facts = dict(result["facts"])
        self._expect_same_judge(facts["identity"])
        assert self.judge is not None
        facts |= {
            "judge": self.asked.name,
            "fingerprint": self.told.fingerprint,
            "identity": self._identity,
            "per_part": self.per_part,
        }
        self.folder.write(result["name"], facts, result["rows"])
        self._count(facts, len(result["rows"]))

    def _expect_ours(self, name: str, facts: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        other = "Give another --out, or "
        if facts["judge"] != self.asked.name:
            raise LakeRefused(f"{name} is of the judge “{facts['judge']}”. {other}that judge.")
        wanted = {**catalogue.entry(self.asked.name).all_options, **self.asked.options}
        if facts["identity"]["options"] != wanted:
            raise LakeRefused(f"{name} was made with other options. {other}those options.")
        if self.told.fingerprint and facts["fingerprint"] != self.told.fingerprint:
            raise LakeRefused(
                f"{self.folder.path} holds parts of two judges, {self.told.fingerprint} and "
                f"{facts['fingerprint']}: {name} is of the second. Move one of them out."
            )
        if facts["per_part"] != self.per_part:
            raise LakeRefused(
                f"{name} was cut at {facts['per_part']} pictures. {other}--per-part {facts['per_part']}."
            )
        file = facts["file"]
        if file not in sizes:
            raise LakeRefused(
                f"{name} is of {file}, which this source does not have. {other}that source."
            )
        if facts["size"] != sizes[file]:
            raise LakeRefused(
                f"{file} has changed since {name} was made of it. {other}remove the parts of this file."
            )
        self._expect_same_judge(facts["identity"])

    def _expect_same_judge(self, identity: Mapping[str, Any]) -> None:
        if self.judge is None:
            self._identity = dict(identity)
            self.judge = Judge(name=self.asked.name, **identity)
            self.told.fingerprint = fingerprint_of(self.asked.name, identity)
            return
        if different := changes(self.judge, identity):
            raise LakeRefused(
                f"The parts in {self.folder.path} are of another judge: {different}. Give another --out; "
                "or judge where weights and libraries are those of before."
            )

    def _count(self, facts: Mapping[str, Any], rows: int) -> None:
        self._there.setdefault(facts["file"], set()).add(facts["number"])
        if facts["is_last"]:
            self._ended.add(facts["file"])
        self.told.parts += 1
        self.told.pictures += rows
        self.told.unscored += facts["unscored"]
        self.told.skipped += facts["skipped"]


def fingerprint_of(name: str, identity: Mapping[str, Any]) -> str:
    return registry.fingerprint({"name": name, **identity})
