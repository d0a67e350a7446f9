"""The pixels of a plain PNG, three times as fast as one library alone gives them.

Two thirds of reading a PNG is unpacking its zlib stream, and ISA-L unpacks in less than half the
time. So the stream is unpacked by ISA-L, wrapped up again without compression, and handed to
libspng, which undoes the row filters with vector instructions. Measured for 1024 x 1024 photographs:
Pillow 14 ms, this 6 ms (`make bench-import`). Pillow reads whatever is not plain, or where one of
the two libraries is missing.
"""

from __future__ import annotations

import struct

import numpy as np

from annotations.picture_bytes import PNG_SIGNATURE, Damaged, png_chunk, png_chunks

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
    header = png_chunk(b"IHDR", content[16:29])
    stored = b"".join([PNG_SIGNATURE, header, _idat(raw), png_chunk(b"IEND", b"")])
    try:
        return pyspng.load(stored)
    except (RuntimeError, ValueError) as error:
        raise Damaged("its pixels cannot be read") from error


def _idat(raw: bytes) -> bytes:
    """One IDAT chunk whose zlib stream holds the bytes as they are."""
    view = memoryview(raw)
    parts: list[bytes | memoryview] = [b"IDAT", b"\x78\x01"]
    for start in range(0, len(raw), STORED):
        length = min(STORED, len(raw) - start)
        last = start + length == len(raw)
        parts.append(struct.pack("<BHH", last, length, length ^ 0xFFFF))
        parts.append(view[start : start + length])
    parts.append(struct.pack(">I", isal_zlib.adler32(raw)))
    body = b"".join(parts)
    return struct.pack(">I", len(body) - 4) + body + struct.pack(">I", isal_zlib.crc32(body))
