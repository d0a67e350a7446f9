"""What is read from WebDataset archives and Parquet; what cannot be read is named, and only that is lost."""

from __future__ import annotations

import gzip
import json
import tarfile

import pytest

from judges.lake import slices
from judges.lake.pictures import Skipped
from judges.lake.sources import LakeRefused, find_shards
from tests import making
from tests.judges.lake.making_lake import add, parquet, some, tar

BLOCK = 512


def read(path, columns=None, **how):
    found = [
        one
        for shard in find_shards(str(path))
        for one in slices.read_slices(shard, columns=columns or {}, **how)
    ]
    pictures = [picture for one in found for picture in one.pictures]
    return pictures, [skipped for one in found for skipped in one.skipped]


def test_a_sample_is_a_picture_with_the_prompt_beside_it(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        add(archive, "cats/1.jpg", making.png())
        add(archive, "cats/1.txt", b"a cat\n")
        add(archive, "cats/1.npy", b"left alone")
        add(archive, "2.png", making.png())
        add(archive, "2.json", json.dumps({"caption": "a dog", "image_id": "dog-2"}).encode())
    pictures, skipped = read(tmp_path)
    assert [(one.key, one.prompt) for one in pictures] == [("cats/1", "a cat"), ("dog-2", "a dog")]
    assert skipped == []


def test_a_sample_that_lacks_something_is_named_and_the_others_stay(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        add(archive, "1.png", making.png())
        add(archive, "2.txt", b"a dog")
        add(archive, "3.png", making.png())
        add(archive, "3.json", b"{")
        add(archive, "4.png", making.png())
        add(archive, "4.txt", b"a cow")
    pictures, skipped = read(tmp_path)
    assert [one.key for one in pictures] == ["4"]
    assert skipped == [
        Skipped("a.tar, 1", "The prompt is empty."),
        Skipped("a.tar, 2", "There is no picture (png, jpg, jpeg, webp)."),
        Skipped("a.tar, 3", "The JSON beside the picture cannot be read."),
    ]


def test_a_broken_header_hides_its_member_alone(tmp_path):
    path = tar(tmp_path / "a.tar", some(4))
    content = bytearray(path.read_bytes())
    # Each small file takes two blocks: the header of the second picture is the fifth block.
    assert content[4 * BLOCK : 4 * BLOCK + 8] == b"0001.png"
    content[4 * BLOCK : 4 * BLOCK + 8] = b"\xff" * 8
    path.write_bytes(content)
    pictures, skipped = read(tmp_path)
    assert [one.key for one in pictures] == ["0000", "0002", "0003"]
    assert skipped == [
        Skipped("a.tar", "What stands after 0000.json is no tar member."),
        Skipped("a.tar, 0001", "There is no picture (png, jpg, jpeg, webp)."),
    ]


def test_an_archive_that_was_cut_off_keeps_what_is_whole(tmp_path):
    path = tar(tmp_path / "a.tar", some(3))
    path.write_bytes(path.read_bytes()[: 8 * BLOCK + BLOCK + 10])
    pictures, skipped = read(tmp_path)
    assert [one.key for one in pictures] == ["0000", "0001"]
    assert [one.where for one in skipped] == ["a.tar"]
    assert skipped[0].why.startswith("It cannot be read after")


def test_packed_archives_are_read_too_and_a_damaged_one_is_named(tmp_path):
    path = tar(tmp_path / "a.tar", some(3))
    (tmp_path / "b.tar.gz").write_bytes(gzip.compress(path.read_bytes()))
    (tmp_path / "c.tar").write_bytes(b"this is no archive" * 100)
    path.unlink()
    pictures, skipped = read(tmp_path)
    assert len(pictures) == 3
    assert [one.where for one in skipped] == ["c.tar"]


def test_parquet_gives_pictures_by_row(tmp_path):
    parquet(tmp_path / "a.parquet", some(2))
    pictures, skipped = read(tmp_path / "*.parquet")
    assert [(one.key, one.prompt) for one in pictures] == [
        ("0000", "a red circle, number 0"),
        ("0001", "a red circle, number 1"),
    ]
    assert pictures[1].content == making.png((1, 9, 9))
    assert skipped == []
    pictures, _ = read(tmp_path, {"image_id": "caption"})
    assert pictures[0].key == "a red circle, number 0"


def test_parquet_without_a_prompt_says_which_columns_it_has(tmp_path):
    import pyarrow
    from pyarrow import parquet

    rows = [{"image": making.png(), "words": "a cat"}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    with pytest.raises(LakeRefused, match="known as the prompt; say --column prompt=NAME.*words"):
        read(tmp_path)
    pictures, _ = read(tmp_path, {"prompt": "words"})
    assert [(one.key, one.prompt) for one in pictures] == [("a/000001", "a cat")]
    with pytest.raises(LakeRefused, match="has no column “nothing”"):
        read(tmp_path, {"prompt": "nothing"})


def test_a_file_that_is_no_parquet_is_named(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1, or not")
    pictures, skipped = read(tmp_path)
    assert pictures == []
    assert skipped[0].why.startswith("It is no sound Parquet file")


def test_a_file_is_always_cut_at_the_same_places(tmp_path, monkeypatch):
    tar(tmp_path / "a.tar", some(5))
    (shard,) = find_shards(str(tmp_path))

    def keys(**more):
        cut = slices.read_slices(shard, columns={}, per_part=2, **more)
        return [(one.number, [p.key for p in one.pictures], one.is_last) for one in cut]

    whole = [(0, ["0000", "0001"], False), (1, ["0002", "0003"], False), (2, ["0004"], True)]
    assert keys() == whole
    assert keys(without={0, 2}) == whole[1:2]
    # A slice ends sooner where its pictures are large.
    monkeypatch.setattr(slices, "BYTES", len(making.png()))
    assert len(keys()) == 5


def test_a_slice_that_travels_arrives_as_it_was(tmp_path):
    tar(tmp_path / "a.tar", [*some(2), ("x", making.png(), {"prompt": " "})])
    (shard,) = find_shards(str(tmp_path))
    (sent,) = slices.read_slices(shard, columns={})
    (arrived,) = slices.from_table(slices.as_table(sent))
    assert arrived == sent
    assert sent.skipped
    assert list(slices.from_table(slices.refused_table("No."))) == ["No."]


def test_a_source_without_pictures_is_refused(tmp_path):
    with pytest.raises(LakeRefused, match="There is nothing at"):
        find_shards(str(tmp_path / "nowhere"))
    (tmp_path / "a.txt").write_text("no")
    with pytest.raises(LakeRefused, match="no pictures to judge"):
        find_shards(str(tmp_path))
    with pytest.raises(LakeRefused, match="cannot be opened"):
        find_shards("nothing://known/here")
