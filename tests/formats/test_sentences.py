"""What is said of bad files, sentence by sentence: `sentences.txt`. Who changes one on purpose writes that file
anew (`WRITE=1` before the test's command) and reads what has changed."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from jurybox_formats.registry import Source, records, tidy_part
from jurybox_formats.sources.records import (
    LabelRecord,
    Missing,
    Record,
    Rejected,
    Remark,
    ScoreRecord,
    Unreadable,
)
from tests.test_bad_files import PARTS, STUDIES

KEPT = Path(__file__).with_name("sentences.txt")


def sentences(read: Iterator[Record]) -> Iterator[str]:
    try:
        for record in read:
            if isinstance(record, Rejected):
                yield f"{record.source} line {record.line}, {record.field}: {record.reason}"
            elif isinstance(record, Missing):
                yield f"missing: {record.what}"
            elif isinstance(record, Remark):
                yield record.words
    except Unreadable as error:
        yield f"nothing was read: {error.message}"


def written(folder: Path, files: dict) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    first = next(name for name in files if not name.endswith(".png"))
    return folder if "/" in first else folder / first


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> dict[str, list[str]]:
    told = {}
    for name, (format, files, _) in STUDIES.items():
        path = written(tmp_path_factory.mktemp("source"), files)
        folder = path.parent if format == "t2i_compbench" else path
        told[name] = list(sentences(records(format, Source(folder))))
    kinds = {"labels": LabelRecord, "scores": ScoreRecord}
    for name, (kind, content, _) in PARTS.items():
        path = written(tmp_path_factory.mktemp("source"), {f"{kind}.csv": content})
        told[name] = list(sentences(tidy_part(kinds[kind], Source(path))))
    return told


def test_every_bad_file_is_refused_in_the_words_that_are_kept(said):
    text = "".join(f"{name}\n" + "".join(f"    {one}\n" for one in said[name]) for name in said)
    if os.environ.get("WRITE"):
        KEPT.write_text(text, encoding="utf-8")
    assert text.splitlines() == KEPT.read_text(encoding="utf-8").splitlines()
