import io
import struct
import zlib

import pytest
from PIL import Image, PngImagePlugin

from annotations.errors import ImportRefused
from annotations.pictures.store import open_picture, store_picture
from tests.making import png


def png_claiming(width: int, height: int) -> bytes:
    """A tiny file whose header promises many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 100))
        + chunk(b"IEND", b"")
    )


def animation() -> bytes:
    out = io.BytesIO()
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    frames[0].save(out, "PNG", save_all=True, append_images=frames[1:])
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not a PNG, JPEG or WebP picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "is not a PNG, JPEG or WebP picture"),
        (b"<html><script>alert(1)</script></html>", "is not a PNG, JPEG or WebP picture"),
        (b"GIF89a" + b"\0" * 40, "is not a PNG, JPEG or WebP picture"),
        (png(size=64)[:-60], "is damaged"),
        (png_claiming(60_000, 60_000), "pixels"),
        (png_claiming(9_000, 9_000), "the limit is 50 million"),
        (animation(), "is an animation"),
    ],
)
def test_what_is_not_a_sound_still_picture_is_refused_by_name(content, words):
    with pytest.raises(ImportRefused, match=f"holiday.png.*{words}"):
        store_picture(content, name="holiday.png", study="shapes")


def test_a_file_over_the_limit_is_refused(settings):
    settings.IMAGE_MAX_BYTES = 2**20
    with pytest.raises(ImportRefused, match="larger than 1 MB"):
        store_picture(b"\0" * (2**20 + 1), name="big.png", study="shapes")


def test_a_plain_picture_is_kept_byte_for_byte(media):
    content = png()
    assert (media / store_picture(content, name="a", study="shapes").file).read_bytes() == content


def test_what_a_picture_carries_besides_its_pixels_is_dropped(media):
    text = PngImagePlugin.PngInfo()
    text.add_text("prompt", "made by generator X")
    out = io.BytesIO()
    picture = Image.radial_gradient("L").convert("RGB").resize((32, 32))
    exif = Image.Exif()
    exif[0x010E] = "generator X"
    picture.save(out, "PNG", pnginfo=text, exif=exif)
    stored = store_picture(out.getvalue(), name="a", study="shapes")
    kept = (media / stored.file).read_bytes()
    assert b"generator X" not in kept
    with Image.open(io.BytesIO(kept)) as again:
        assert again.info == {}
        assert again.tobytes() == picture.tobytes()


def test_the_same_picture_of_an_image_is_kept_once(media):
    first = store_picture(png(), name="a", study="shapes")
    second = store_picture(png(), name="a", study="shapes")
    assert first == second
    assert len([p for p in (media / "images").rglob("*") if p.is_file()]) == 1


def test_a_judge_sees_three_colours_whatever_the_file_had(media):
    out = io.BytesIO()
    Image.new("L", (4, 4), 120).save(out, "PNG")
    picture = open_picture(store_picture(out.getvalue(), name="grey", study="shapes").file)
    assert picture.mode == "RGB"
    assert picture.getpixel((0, 0)) == (120, 120, 120)
