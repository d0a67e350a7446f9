"""Which picture a file is, and the same file without what it carries besides its pixels.

Text, EXIF, colour profiles, previews and anything after the last pixel tell who made a picture and
how. They are cut out of the file as it is: no pixel is decoded, none changes.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Chunks that say what colour a pixel has; none of them can hold words.
PNG_KEPT = {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"sBIT"}
PNG_ANIMATION = {b"acTL", b"fcTL", b"fdAT"}
WEBP_KEPT = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH"}
WEBP_ANIMATION = {b"ANIM", b"ANMF"}
# Inside a scan 0xFF is followed by zero (a byte of data) or by a restart mark. One 0xFF and no
# more: megabytes of them would be counted again from each of them.
JPEG_MARK = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
FILL = re.compile(rb"\xff+")
ORIENTATION = 0x0112
SHORT = 3
# Parts that a file is made of: encoders write some thousands, hostile hands millions of nothing.
MOST_PARTS = 50_000

TOO_MANY = f"it is made of more than {MOST_PARTS:,} parts"


class Damaged(Exception):
    """The file ends too early or contradicts itself."""


@dataclass(frozen=True, slots=True)
class Bare:
    """`orientation` is EXIF's: 1 is upright."""

    kind: str
    content: bytes
    orientation: int = 1
    animated: bool = False


def kind_of(content: bytes) -> str:
    """PNG, JPEG or WEBP by the file's first bytes; "" for anything else."""
    if content.startswith(PNG_SIGNATURE):
        return "PNG"
    if content.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "WEBP"
    return ""


def bare(content: bytes) -> Bare:
    kind = kind_of(content)
    return {"PNG": _bare_png, "JPEG": _bare_jpeg, "WEBP": _bare_webp}[kind](content)


def png_chunks(content: bytes) -> Iterator[tuple[bytes, int, int]]:
    """(kind, start of its data, length) of each chunk, up to and including IEND."""
    place = len(PNG_SIGNATURE)
    for _ in range(MOST_PARTS):
        if place + 12 > len(content):
            raise Damaged("the file ends in the middle")
        length, kind = struct.unpack_from(">I4s", content, place)
        if place + 12 + length > len(content):
            raise Damaged("the file ends in the middle")
        yield kind, place + 8, length
        place += 12 + length
        if kind == b"IEND":
            return
    raise Damaged(TOO_MANY)


def _bare_png(content: bytes) -> Bare:
    # What stays is cut out in stretches, not in chunks: a copy of megabytes holds up other threads.
    view, stretches, begun, orientation, animated = memoryview(content), [], 0, 1, False
    end = len(PNG_SIGNATURE)
    for kind, start, length in png_chunks(content):
        if kind not in PNG_KEPT:
            stretches.append(view[begun:end])
            begun = start + length + 4
            if kind == b"eXIf":
                orientation = _orientation(content[start : start + length])
            animated |= kind in PNG_ANIMATION
        end = start + length + 4
    if begun == 0 and end == len(content):
        return Bare("PNG", content)
    stretches.append(view[begun:end])
    return Bare("PNG", b"".join(stretches), orientation, animated)


def _bare_jpeg(content: bytes) -> Bare:
    kept, place, orientation = [b"\xff\xd8"], 2, 1
    for _ in range(MOST_PARTS):
        fill = FILL.match(content, place)
        if fill is None or fill.end() == len(content):
            raise Damaged("the file ends in the middle")
        place = fill.end() - 1
        mark = content[place + 1 : place + 2]
        if mark == b"\xd9":
            kept.append(b"\xff\xd9")
            return Bare("JPEG", b"".join(kept), orientation)
        if place + 4 > len(content):
            raise Damaged("the file ends in the middle")
        length = struct.unpack_from(">H", content, place + 2)[0]
        segment = content[place : place + 2 + length]
        data = segment[4:]
        if len(segment) < 2 + length or length < 2:
            raise Damaged("the file ends in the middle")
        place += 2 + length
        if mark == b"\xe1" and data.startswith(b"Exif\0\0"):
            orientation = _orientation(data)
        plain_jfif = mark == b"\xe0" and data.startswith(b"JFIF\0") and length == 16
        adobe = mark == b"\xee" and data.startswith(b"Adobe")
        if not (b"\xe0" <= mark <= b"\xef" or mark == b"\xfe") or plain_jfif or adobe:
            kept.append(segment)
        if mark == b"\xda":
            end_of_scan = JPEG_MARK.search(content, place)
            if end_of_scan is None:
                raise Damaged("the file ends in the middle")
            kept.append(content[place : end_of_scan.start()])
            place = end_of_scan.start()
    raise Damaged(TOO_MANY)


def _bare_webp(content: bytes) -> Bare:
    kept, place, orientation, animated, whole = [], 12, 1, False, True
    end = 8 + struct.unpack_from("<I", content, 4)[0]
    if end > len(content):
        raise Damaged("the file ends in the middle")
    parts = 0
    while place + 8 <= end:
        parts += 1
        if parts > MOST_PARTS:
            raise Damaged(TOO_MANY)
        kind, length = struct.unpack_from("<4sI", content, place)
        after = place + 8 + length + length % 2
        data = content[place + 8 : place + 8 + length]
        if len(data) < length:
            raise Damaged("the file ends in the middle")
        if kind == b"VP8X" and length >= 10:
            # The flags of what is cut out: animation, XMP, EXIF, colour profile.
            flags = bytes([data[0] & ~0x2E])
            whole &= flags == data[:1]
            kept.append(content[place : place + 8] + flags + data[1:] + b"\0" * (length % 2))
        elif kind in WEBP_KEPT:
            kept.append(content[place:after])
        else:
            whole = False
            animated |= kind in WEBP_ANIMATION
            if kind == b"EXIF":
                orientation = _orientation(data)
        place = after
    if whole and end == len(content):
        return Bare("WEBP", content)
    body = b"WEBP" + b"".join(kept)
    return Bare("WEBP", b"RIFF" + struct.pack("<I", len(body)) + body, orientation, animated)


def _orientation(data: bytes) -> int:
    """EXIF's first list, entry by entry. A library would copy what every entry points at: in 64
    kilobytes 5,000 of them may each point at all of it."""
    data = data.removeprefix(b"Exif\0\0")
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(data[:4])
    try:
        if order is None:
            return 1
        (place,) = struct.unpack_from(f"{order}I", data, 4)
        (count,) = struct.unpack_from(f"{order}H", data, place)
        for entry in range(place + 2, place + 2 + 12 * count, 12):
            tag, kind, _, value = struct.unpack_from(f"{order}HHIH", data, entry)
            if tag == ORIENTATION:
                return value if kind == SHORT and value in range(1, 9) else 1
    except struct.error:
        # EXIF that cannot be read turns no picture.
        pass
    return 1
