"""WebDataset: an archive whose neighbours of one name are one sample, `000012.png` beside `000012.json`.

Read from the front, so that a bucket sends each byte once. A header that is broken hides its member and
no other: the next sound one goes on.
"""

from __future__ import annotations

import lzma
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, cast

from judges.lake.pictures import LARGEST, LakePicture, Skipped, lake_picture, parsed
from judges.lake.sources import Shard
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.columns import NAMES

PICTURES = ("png", "jpg", "jpeg", "webp")
TEXTS = ("txt", "text", "prompt", "caption")
KNOWN = (*PICTURES, *TEXTS, "json")
# What the standard library raises over bytes that contradict themselves.
BROKEN = (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError, ValueError)
Members = dict[str, bytes | str]  # by ending; a text says why there are no bytes


def read(shard: Shard) -> Iterator[LakePicture | Skipped]:
    at, members = "", cast("Members", {})
    for one in _members(shard):
        if isinstance(one, Skipped):
            yield one
            continue
        key, ending, content = one
        if key != at:
            yield from _sample(shard.name, at, members)
            at, members = key, {}
        members[ending] = content
    yield from _sample(shard.name, at, members)


def _sample(name: str, key: str, members: Members) -> Iterator[LakePicture | Skipped]:
    if not members:
        return
    where = f"{name}, {key}"
    if unread := next((words for words in members.values() if isinstance(words, str)), ""):
        yield Skipped(where, unread)
        return
    held = cast("dict[str, bytes]", members)
    picture = next((ending for ending in PICTURES if ending in held), "")
    if not picture:
        yield Skipped(where, f"There is no picture ({', '.join(PICTURES)}).")
        return
    try:
        yield _picture(key, held, held[picture])
    except Unfit as unfit:
        yield Skipped(where, unfit.reason)


def _picture(key: str, held: Mapping[str, bytes], content: bytes) -> LakePicture:
    about = parsed(held["json"]) if "json" in held else {}
    prompt: Any = next((about[n] for n in NAMES["prompt"].split() if about.get(n)), None)
    if prompt is None:
        text = next((held[ending] for ending in TEXTS if ending in held), b"")
        prompt = _decoded(text)
    return lake_picture(
        str(about.get("image_id") or key),
        prompt,
        content,
        atoms=about.get("atoms"),
        metadata=about.get("metadata"),
    )


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise Unfit("prompt", "", "The prompt is not UTF-8.") from error


def _members(shard: Shard) -> Iterator[tuple[str, str, bytes | str] | Skipped]:
    headers = _Headers()
    before = "its beginning"
    with shard.open_stream() as stream:
        try:
            how: Any = {"mode": "r|*", "tarinfo": headers.kind, "ignore_zeros": True}
            with tarfile.open(fileobj=cast("Any", stream), **how) as archive:
                for member in archive:
                    if headers.take_broken():
                        yield Skipped(shard.name, f"What stands after {before} is no tar member.")
                    before = member.name
                    pure = PurePosixPath(member.name)
                    stem, _, ending = pure.name.partition(".")
                    if not member.isreg() or not stem or ending.lower() not in KNOWN:
                        continue
                    key = (pure.parent / stem).as_posix()
                    yield key, ending.lower(), _content(archive, member)
        except BROKEN as error:
            words = str(error).strip().rstrip(".") or type(error).__name__
            yield Skipped(shard.name, f"It cannot be read after {before}: {words}.")
            return
    if headers.take_broken():
        yield Skipped(shard.name, f"What stands after {before} is no tar member.")


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes | str:
    if member.size > LARGEST:
        return f"It is larger than {LARGEST // 2**20} MB."
    file = archive.extractfile(member)
    return file.read() if file is not None else "It is no file."


class _Headers:
    """Notes the headers that are none: `tarfile` passes over them without a word."""

    def __init__(self) -> None:
        self._broken = 0
        noted = self

        class Noted(tarfile.TarInfo):
            @classmethod
            def frombuf(cls, buf: Any, encoding: str, errors: str) -> Any:
                try:
                    return super().frombuf(buf, encoding, errors)
                except (tarfile.EmptyHeaderError, tarfile.EOFHeaderError):  # type: ignore[attr-defined]
                    raise
                except tarfile.HeaderError:
                    noted._broken += 1
                    raise

        self.kind = Noted

    def take_broken(self) -> bool:
        """Whether there were some since the last time."""
        broken, self._broken = self._broken, 0
        return broken > 0
