"""The pixels of a plain PNG, three times as fast as one library alone gives them.

Two thirds of reading a PNG is unpacking its zlib stream, and ISA-L unpacks in less than half the
time. So the stream is unpacked by ISA-L, wrapped up again without compression, and handed to
libspng, which undoes the row filters with vector instructions. Measured for 1024 x 1024 photographs:
Pillow 14 ms, this 6 ms (`make bench-import`). Pillow reads whatever is not plain, or where one of
the two libraries is missing.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from annotations.pictures.strip_metadata import PNG_SIGNATURE, Damaged, png_chunk, png_chunks

try:
    import pyspng
    from isal import isal_zlib
except ImportError:
    pyspng = isal_zlib = None

# Colour type -> samples of a pixel: grey, RGB, RGB with alpha.
SAMPLES = {0: 1, 2: 3, 6: 4}
# The longest block that zlib's format stores uncompressed.
STORED = 65_535


def pixels(content: bytes) -> np.ndarray | None:
    """Height × width × samples; None for what is not plain. Raises Damaged for broken files."""
    if isal_zlib is None:
        return None
    width, height, depth, colour, *rest = struct.unpack_from(">IIBBBBB", content, 16)
    if depth != 8 or colour not in SAMPLES or rest != [0, 0, 0]:
        return None
    packed = []
    for kind, start, length in png_chunks(content):
        if kind in (b"tRNS", b"PLTE"):
            return None
        given = struct.unpack_from(">I", content, start + length)[0]
        # Over kind and data, without a copy of either.
        if isal_zlib.crc32(memoryview(content)[start - 4 : start + length]) != given:
            raise Damaged("a part of it was changed on its way")
        if kind == b"IDAT":
            packed.append(memoryview(content)[start : start + length])
    size = height * (width * SAMPLES[colour] + 1)
    try:
        unpacker = isal_zlib.decompressobj()
        raw = unpacker.decompress(b"".join(packed), size)
    except isal_zlib.error as error:
        raise Damaged("its pixels cannot be unpacked") from error
    if len(raw) != size:
        raise Damaged("pixels are missing")
    # One join of all parts: each copy of three megabytes costs as much as half of the filters.
    parts = [PNG_SIGNATURE, png_chunk(b"IHDR", content[16:29]), *_idat(raw)]
    stored = b"".join([*parts, png_chunk(b"IEND", b"")])
    try:
        found = pyspng.load(stored)
        # Grey has no axis of its own for the one sample.
        return found.reshape(height, width, SAMPLES[colour])
    except (RuntimeError, ValueError) as error:
        raise Damaged("its pixels cannot be read") from error


def _idat(raw: bytes) -> Iterator[bytes | memoryview]:
    """The parts of one IDAT chunk whose zlib stream holds the bytes as they are."""
    view = memoryview(raw)
    starts = range(0, len(raw), STORED)
    yield struct.pack(">I", 2 + 5 * len(starts) + len(raw) + 4)
    head = b"IDAT\x78\x01"
    check = isal_zlib.crc32(head)
    yield head
    for start in starts:
        length = min(STORED, len(raw) - start)
        block = struct.pack("<BHH", start + length == len(raw), length, length ^ 0xFFFF)
        check = isal_zlib.crc32(view[start : start + length], isal_zlib.crc32(block, check))
        yield block
        yield view[start : start + length]
    end = struct.pack(">I", isal_zlib.adler32(raw))
    yield end
    yield struct.pack(">I", isal_zlib.crc32(end, check))
