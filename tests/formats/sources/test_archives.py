"""Small archives that become large ones are refused before they do, and leave nothing."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest

from annotations.errors import ImportRefused
from jurybox_formats.sources import archives, text_files
from jurybox_formats.sources.archive_limits import Limits
from jurybox_formats.sources.records import Unreadable

MB = 2**20
ROW = b"image_id,prompt_id,prompt,generator\ni1,p1,a cat,sd\n"


def zipped(members: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return out.getvalue()


def many_in_a_zip() -> bytes:
    """Each file is small enough to be no bomb; all together they are one."""
    content = bytes(MB - 1)
    return zipped({f"{n}.csv": content for n in range(60)})


def overlapping_zip(files: int = 250) -> bytes:
    """David Fifield's bomb: every name points at the same packed bytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    content = ROW * 4
    packed = packer.compress(content) + packer.flush()
    about = struct.pack(
        "<HHHHHIII", 20, 0, 8, 0, 33, zlib.crc32(content), len(packed), len(content)
    )
    local = b"PK\3\4" + about + struct.pack("<HH", 5, 0) + b"a.csv" + packed
    entries = b"".join(
        b"PK\1\2"
        + struct.pack("<H", 20)
        + about
        + struct.pack("<HHHHHII", 5, 0, 0, 0, 0, 0, 0)
        + b"%c.csv" % (97 + n % 26)
        for n in range(files)
    )
    return local + entries + end_of_zip(files, len(entries), len(local))


def end_of_zip(files: int, size: int, place: int) -> bytes:
    return b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, files, files, size, place, 0)


def crowded_zip() -> bytes:
    """More names than may be, each without a byte."""
    entry = b"PK\1\2" + bytes(42)
    return entry * 300_000 + end_of_zip(65535, 300_000 * len(entry), 0)


def lying_zip() -> bytes:
    """It says that its file has ten bytes; it has a million."""
    whole = zipped({"a.csv": b"0" * MB})
    sizes = struct.pack("<I", MB)
    assert whole.count(sizes) == 2
    return whole.replace(sizes, struct.pack("<I", 10))


def tarred(*members: tuple[str, bytes, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as file:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type, info.size = kind, len(content)
            file.addfile(info, io.BytesIO(content))
    return out.getvalue()


def long_note() -> bytes:
    """A header of names that is 64 MB long."""
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 64 * MB
    return gzip.compress(info.tobuf(tarfile.USTAR_FORMAT) + bytes(64 * MB + 10240))


def folders() -> bytes:
    info = tarfile.TarInfo("x")
    info.type = tarfile.DIRTYPE
    return gzip.compress(info.tobuf() * 250_000 + bytes(1024))


def sparse() -> bytes:
    """A file of holes: it has a size and no bytes."""
    info = tarfile.TarInfo("a.csv")
    info.type, info.size = tarfile.GNUTYPE_SPARSE, 0
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    head[483:495] = b"%011o\0" % (400 * MB)
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return gzip.compress(bytes(head) + bytes(1024))


def a_tar(name: str = "a.csv", content: bytes = ROW) -> bytes:
    return tarred((name, tarfile.REGTYPE, content))


BOMBS = {
    "many files of one megabyte": ("a.zip", many_in_a_zip, "far more"),
    "one file": ("a.zip", lambda: zipped({"a.csv": bytes(30 * MB)}), "far more"),
    "files on top of each other": ("a.zip", overlapping_zip, "on top of each other|twice"),
    "too many names": ("a.zip", crowded_zip, "more than 200,000 files"),
    "a lie about the size": ("a.zip", lying_zip, "damaged|larger"),
    "a zip with bzip2": (
        "a.zip",
        lambda: zipped({"a": bytes(64 * MB)}, zipfile.ZIP_BZIP2),
        "usual",
    ),
    "a zip with lzma": ("a.zip", lambda: zipped({"a": bytes(64 * MB)}, zipfile.ZIP_LZMA), "usual"),
    "a tar with gzip": ("a.tgz", lambda: gzip.compress(a_tar(content=bytes(60 * MB))), "far more"),
    "a tar with bzip2": (
        "a.tar.bz2",
        lambda: bz2.compress(a_tar(content=bytes(60 * MB))),
        "far more",
    ),
    "a tar with xz": ("a.tar.xz", lambda: lzma.compress(a_tar(content=bytes(60 * MB))), "far more"),
    "a tar with a long header": ("a.tgz", long_note, "far too long"),
    "a tar of folders": ("a.tgz", folders, "far more|more than 200,000 files"),
    "a tar of holes": ("a.tgz", sparse, "far more"),
}
NAMES = ("../a", "/a", "a/../../b", "con", "NUL.csv", "x/Lpt1.png", "aux .txt", "com¹.csv", "a\0b")


# Hundreds of thousands of names, under a watched memory, take ten seconds.
SLOW = pytest.mark.nightly("the slowest kind; the other kinds are beside it")


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=SLOW if kind == "a tar of folders" else ()) for kind in BOMBS],
)
def test_a_bomb_is_refused_with_a_sentence_in_little_memory(kind, tmp_path):
    name, content, words = BOMBS[kind]
    (tmp_path / name).write_bytes(content())
    del content
    tracemalloc.start()
    try:
        with pytest.raises(ImportRefused, match=words):
            archives.unpack(tmp_path / name, tmp_path / "out")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert not (tmp_path / "out").exists()
    # The names of a tape archive are kept as they come, up to the most that there may be.
    assert peak < (150 if kind == "a tar of folders" else 40) * MB, peak


@pytest.mark.parametrize("limit", ["files", "file_bytes", "all_bytes"])
@pytest.mark.parametrize("name", ["a.zip", "a.tgz"])
def test_each_limit_holds(name, limit, tmp_path):
    members = {f"{n}.csv": ROW for n in range(5)}
    content = (
        zipped(members)
        if name == "a.zip"
        else gzip.compress(tarred(*((n, tarfile.REGTYPE, c) for n, c in members.items())))
    )
    (tmp_path / name).write_bytes(content)
    most = {"files": 4, "file_bytes": len(ROW) - 1, "all_bytes": 4 * len(ROW)}[limit]
    archives.unpack(tmp_path / name, tmp_path / "all")
    with pytest.raises(ImportRefused, match="more than|larger than"):
        archives.unpack(tmp_path / name, tmp_path / "out", limits=Limits(**{limit: most}))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("bad", NAMES)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_name_that_leads_elsewhere_is_refused_and_leaves_nothing(kind, bad, tmp_path):
    if kind == "zip":
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            file.writestr("good.csv", ROW)
            info = zipfile.ZipInfo("x")
            info.filename = bad
            file.writestr(info, ROW)
        content = out.getvalue()
    else:
        content = tarred(("good.csv", tarfile.REGTYPE, ROW), (bad, tarfile.REGTYPE, ROW))
    (tmp_path / "a").write_bytes(content)
    if "\0" in bad:
        # Both formats end a name there.
        archives.unpack(tmp_path / "a", tmp_path / "out")
        assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a", "good.csv"]
        return
    with pytest.raises(ImportRefused, match="below the archive's own folder"):
        archives.unpack(tmp_path / "a", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
)
def test_links_and_devices_are_refused(kind, tmp_path):
    (tmp_path / "a.tar").write_bytes(tarred(("good.csv", tarfile.REGTYPE, ROW), ("x", kind, b"")))
    with pytest.raises(ImportRefused, match="a link or a device"):
        archives.unpack(tmp_path / "a.tar", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_sound_tape_archive_is_unpacked(pack, tmp_path):
    (tmp_path / "a").write_bytes(pack(a_tar("folder/a.csv")))
    assert archives.unpack(tmp_path / "a", tmp_path / "out").read_bytes() == ROW


def test_an_archive_in_an_archive_stays_packed(tmp_path):
    (tmp_path / "a.zip").write_bytes(zipped({"b.zip": many_in_a_zip(), "c.csv": ROW}))
    found = archives.unpack(tmp_path / "a.zip", tmp_path / "out")
    assert sorted(path.name for path in found.iterdir()) == ["b.zip", "c.csv"]
    with pytest.raises(Unreadable, match="is an archive"):
        text_files.opening(found / "b.zip")


def test_what_is_unpacked_must_have_room_on_the_disk(tmp_path, monkeypatch):
    (tmp_path / "a.zip").write_bytes(zipped({"a.csv": ROW}))
    usage = type("Usage", (), {"free": len(ROW) - 1})
    monkeypatch.setattr("jurybox_formats.sources.archives.shutil.disk_usage", lambda _: usage)
    with pytest.raises(ImportRefused, match="no room"):
        archives.unpack(tmp_path / "a.zip", tmp_path / "out")


def test_a_document_of_nothing_but_brackets_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "MOST_VALUES", 1000)
    (tmp_path / "a.json").write_text("[" + "{}," * 999 + "{}]")
    with pytest.raises(Unreadable, match="more than 1,000 values"):
        text_files.document(tmp_path / "a.json")
    (tmp_path / "a.json").write_text("[" + "{}," * 400 + "{}]")
    assert len(text_files.document(tmp_path / "a.json")) == 401


def test_lines_that_are_no_text_are_not_remembered(tmp_path):
    path: Path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xff\n" * 200_000)
    tracemalloc.start()
    assert sum(1 for _ in text_files.json_lines(path)) == 200_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Those of two parts, where all of them would take twenty.
    assert peak < 2 * MB
