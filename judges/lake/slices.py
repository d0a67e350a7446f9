"""A file of a lake in slices: so many pictures are judged together and become one part of the scores.

The same file is always cut at the same places. So a part has a name before it is made, and whoever goes
on after a kill knows what is there already.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from judges.lake import parquet_pictures, tar_pictures
from judges.lake.pictures import LakePicture, Skipped
from judges.lake.sources import Shard, needs

PICTURES = 500
# A slice ends sooner where its pictures are large: it travels through a cluster as a whole.
BYTES = 64 * 2**20


@dataclass(slots=True)
class Slice:
    """`is_last`: with it, its file is read to its end."""

    shard: Shard
    number: int
    pictures: list[LakePicture] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    is_last: bool = False

    @property
    def name(self) -> str:
        return part_name(self.shard.name, self.number)


def part_name(file: str, number: int) -> str:
    stem = re.sub(r"[^\w-]+", "-", PurePosixPath(file).name.partition(".")[0])[:60]
    digest = hashlib.sha256(file.encode(errors="surrogatepass")).hexdigest()[:10]
    return f"{stem}-{digest}-{number:06}.parquet"


def read_slices(
    shard: Shard,
    *,
    columns: Mapping[str, str],
    per_part: int = PICTURES,
    without: Collection[int] = (),
) -> Iterator[Slice]:
    """`without` the slices of these numbers, whose parts are there."""
    held: Slice | None = None
    for one in _cut(shard, columns, per_part):
        if held is not None and held.number not in without:
            yield held
        held = one
    assert held is not None
    held.is_last = True
    # The last one is read again where nobody knew that it was the last.
    if held.number not in without:
        yield held


def _cut(shard: Shard, columns: Mapping[str, str], per_part: int) -> Iterator[Slice]:
    read = tar_pictures.read(shard) if shard.is_tar else parquet_pictures.read(shard, columns)
    now, size = Slice(shard, 0), 0
    for one in read:
        if isinstance(one, Skipped):
            now.skipped.append(one)
            continue
        if len(now.pictures) >= per_part or (now.pictures and size + len(one.content) > BYTES):
            yield now
            now, size = Slice(shard, now.number + 1), 0
        now.pictures.append(one)
        size += len(one.content)
    yield now


def as_table(one: Slice) -> Any:
    """One row, to be sent to whoever judges it."""
    pyarrow = needs("pyarrow")
    told = {
        "shard": [one.shard.root, one.shard.path, one.shard.name, one.shard.size],
        "number": one.number,
        "pictures": [[p.key, p.prompt, p.about] for p in one.pictures],
        "skipped": [[s.where, s.why] for s in one.skipped],
        "is_last": one.is_last,
    }
    contents = pyarrow.array(
        [[p.content for p in one.pictures]], pyarrow.list_(pyarrow.large_binary())
    )
    return pyarrow.table({"told": [json.dumps(told)], "contents": contents})


def refused_table(words: str) -> Any:
    """In a slice's place, why there is none."""
    pyarrow = needs("pyarrow")
    nothing = pyarrow.array([[]], pyarrow.list_(pyarrow.large_binary()))
    return pyarrow.table({"told": [json.dumps({"refused": words})], "contents": nothing})


def from_table(table: Any) -> Iterator[Slice | str]:
    for told, contents in zip(table["told"], table["contents"], strict=True):
        plain = json.loads(told.as_py())
        if words := plain.get("refused"):
            yield words
            continue
        yield Slice(
            Shard(*plain["shard"]),
            plain["number"],
            [
                LakePicture(key, prompt, about, content.as_py())
                for (key, prompt, about), content in zip(
                    plain["pictures"], contents.values, strict=True
                )
            ],
            [Skipped(*row) for row in plain["skipped"]],
            plain["is_last"],
        )
