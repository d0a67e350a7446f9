"""Small files that cost a decoder minutes or gigabytes are refused, or stopped."""

from __future__ import annotations

import io
import struct
import sys
import tracemalloc
import zlib

import pytest
from PIL import Image

from annotations.errors import ImportRefused
from annotations.pictures import decode, decode_process
from annotations.pictures.decode import NotTaken
from annotations.pictures.decode_process import SLOW, DecodeProcess, Decoders
from annotations.pictures.store import check_picture, store_picture
from annotations.pictures.strip_metadata import MOST_PARTS, bare
from tests import making

MB = 2**20
LIMIT = 50_000_000


def saved(kind: str, size: tuple[int, int] = (64, 48), **options) -> bytes:
    out = io.BytesIO()
    making.noise(*size).save(out, kind, **options)
    return out.getvalue()


def with_scans(count: int, size: tuple[int, int] = (64, 48)) -> bytes:
    """A progressive JPEG whose last pass comes again and again."""
    out = io.BytesIO()
    Image.new("L", size).save(out, "JPEG", progressive=True)
    content = out.getvalue()
    last = content.rindex(b"\xff\xda")
    start = content.rindex(b"\xff\xc4", 0, last)
    scans = content.count(b"\xff\xda")
    return content[:-2] + content[start:-2] * (count - scans) + content[-2:]


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_with(*chunks: bytes) -> bytes:
    """A sound picture with more chunks before its pixels."""
    content = making.png()
    return content[:33] + b"".join(chunks) + content[33:]


def zeros(megabytes: int) -> bytes:
    packer = zlib.compressobj(9)
    return packer.compress(bytes(megabytes * MB)) + packer.flush()


def endless_pixels() -> bytes:
    """Sixteen by sixteen pixels, and then more data than any picture has."""
    head = making.png()[:33]
    return head + chunk(b"IDAT", zeros(500)) + chunk(b"IEND", b"")


def greedy_exif(entries: int = 5_000) -> bytes:
    """Every entry points at the whole block."""
    size = 8 + 2 + 12 * entries + 4
    rows = b"".join(struct.pack("<HHII", 1000 + n, 1, size, 0) for n in range(entries))
    return b"II*\0" + struct.pack("<IH", 8, entries) + rows + bytes(4)


def jpeg_with(segments: bytes) -> bytes:
    content = saved("JPEG")
    return content[:2] + segments + content[2:]


def webp_with(chunks: bytes) -> bytes:
    content = saved("WEBP")
    body = content[8:] + chunks
    return b"RIFF" + struct.pack("<I", len(body)) + body


def frames(kind: str) -> bytes:
    pictures = [making.noise(8, 8 + n % 3).resize((8, 8)) for n in range(30)]
    out = io.BytesIO()
    pictures[0].save(out, kind, save_all=True, append_images=pictures[1:])
    return out.getvalue()


TAKEN = {
    "a text of gigabytes": lambda: png_with(chunk(b"zTXt", b"a\0\0" + zeros(300))),
    "an international one": lambda: png_with(chunk(b"iTXt", b"a\0\1\0\0\0" + zeros(300))),
    "a profile of gigabytes": lambda: png_with(chunk(b"iCCP", b"a\0\0" + zeros(300))),
    "EXIF that points at itself": lambda: png_with(chunk(b"eXIf", greedy_exif())),
    "EXIF of a JPEG": lambda: jpeg_with(
        b"\xff\xe1" + struct.pack(">H", 60_010) + b"Exif\0\0" + greedy_exif(4_999)
    ),
    "megabytes of padding": lambda: jpeg_with(b"\xff" * 8 * MB),
    "pixels after the last": endless_pixels,
}
REFUSED = {
    "600 scans": (lambda: with_scans(600), "600 passes"),
    "30 scans of a large one": (lambda: with_scans(30, (6000, 6000)), "30 passes"),
    "chunks of nothing": (
        lambda: png_with(chunk(b"tEXt", b"") * (MOST_PARTS + 1)),
        "more than 50,000 parts",
    ),
    "pixels by the byte": (
        lambda: png_with(chunk(b"IDAT", b"") * (MOST_PARTS + 1)),
        "more than 50,000 parts",
    ),
    "remarks of nothing": (
        lambda: jpeg_with(b"\xff\xfe\0\2" * (MOST_PARTS + 1)),
        "more than 50,000 parts",
    ),
    "WebP of nothing": (
        lambda: webp_with(b"JUNK\0\0\0\0" * (MOST_PARTS + 1)),
        "more than 50,000 parts",
    ),
    "an animated WebP": (lambda: frames("WEBP"), "an animation"),
    "an animated PNG": (lambda: frames("PNG"), "an animation"),
    "an animated GIF": (lambda: frames("GIF"), "not a PNG, JPEG or WebP"),
    "a TIFF of many pages": (lambda: frames("TIFF"), "not a PNG, JPEG or WebP"),
}


def peak_of(work) -> int:
    tracemalloc.start()
    try:
        work()
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


@pytest.mark.parametrize("kind", TAKEN)
@pytest.mark.nightly("memory, measured on large files")
def test_what_a_file_carries_besides_its_pixels_is_never_unpacked(kind, media):
    content = TAKEN[kind]()
    assert (
        peak_of(lambda: store_picture(content, name="a", study="shapes"))
        < 4 * len(content) + 5 * MB
    )


@pytest.mark.parametrize("kind", REFUSED)
def test_a_costly_picture_is_refused_with_a_sentence(kind, media):
    content, words = REFUSED[kind]
    content = content()
    with Decoders() as decoders, pytest.raises(ImportRefused, match=words):
        check_picture(content, name="a.png", study="shapes", decode=decoders.decode)
    assert not media.exists()


@pytest.mark.parametrize("scans", [1, 10, decode.MOST_SCANS])
def test_as_many_passes_as_encoders_write_are_taken(scans, media):
    content = saved("JPEG") if scans == 1 else with_scans(scans)
    assert check_picture(content, name="a.jpg", study="shapes").width == 64


def test_a_large_picture_is_decoded_in_a_process_that_can_be_stopped_even_if_it_is_alone():
    with Decoders() as decoders:
        small, large = saved("PNG"), saved("JPEG", (2100, 2000))
        found = decoders.map(
            lambda f: decoders.decode(f[0], f[1], 1, LIMIT),
            [(small, "PNG"), (large, "JPEG")],
            pictures=2,
        )
        assert [decoded.width for decoded in found] == [64, 2100]
        assert len(decoders._processes) == 1


# A decoder that never ends, as a crafted picture could have it.
ENDLESS = """
from annotations.pictures import decode_process

def decode(*given):
    while True:
        pass

decode_process.decode = decode
decode_process.serve()
"""


def test_a_picture_that_takes_too_long_is_stopped_with_its_process(monkeypatch):
    monkeypatch.setattr(decode_process, "COMMAND", [sys.executable, "-c", ENDLESS])
    monkeypatch.setattr(decode_process, "SECONDS", 0.2)
    with Decoders() as decoders:
        found = decoders.map(
            lambda f: decoders.decode(f, "PNG", 1, LIMIT), [saved("PNG")], pictures=100
        )
        with pytest.raises(NotTaken) as refused:
            list(found)
        assert decoders._processes == []
    assert str(refused.value) == SLOW


def test_the_time_of_one_picture_is_not_that_of_the_next(monkeypatch):
    monkeypatch.setattr(decode_process, "SECONDS", 5)
    process = DecodeProcess()
    try:
        for _ in range(3):
            assert process.decode(saved("PNG"), "PNG", 1, LIMIT).width == 64
    finally:
        process.close()


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("orientation", range(10))
def test_exif_says_how_a_picture_is_turned(order, orientation):
    mark = b"II*\0" if order == "<" else b"MM\0*"
    rows = struct.pack(f"{order}HHII", 0x010F, 2, 4, 0)
    rows += struct.pack(f"{order}HHIHH", 0x0112, 3, 1, orientation, 0)
    exif = mark + struct.pack(f"{order}IH", 8, 2) + rows + bytes(4)
    given = orientation if 1 <= orientation <= 8 else 1
    assert bare(png_with(chunk(b"eXIf", exif))).orientation == given
    for cut in range(len(exif) - 4):
        assert bare(png_with(chunk(b"eXIf", exif[:cut]))).orientation in (1, given)
