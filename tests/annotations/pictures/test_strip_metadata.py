import io
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, PngImagePlugin

from annotations.errors import ImportRefused
from annotations.pictures.store import check_picture, open_picture, store_picture, thumbnail_of
from annotations.pictures.strip_metadata import Damaged, bare, kind_of
from tests import making
from tests.waiting import processor_seconds

NOISE = making.noise(40, 30)
SECRET = b"made by generator X"


def profile() -> bytes:
    """A colour profile that says it was made at no time: the clock must not change a file."""
    content = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    content[24:36] = bytes(12)
    return bytes(content)


@cache
def carrying(kind: str, orientation: int = 1) -> bytes:
    """A picture with EXIF, a colour profile, words, and something after its end."""
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    exif[0x0112] = orientation
    options = {"exif": exif, "icc_profile": profile()}
    if kind == "PNG":
        text = PngImagePlugin.PngInfo()
        text.add_itxt("prompt", SECRET.decode())
        options["pnginfo"] = text
    if kind == "JPEG":
        options["comment"] = SECRET
    if kind == "WEBP":
        options |= {"lossless": True, "xmp": SECRET}
    out = io.BytesIO()
    NOISE.save(out, kind, **options)
    return out.getvalue() + SECRET


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_all_that_a_file_carries_is_cut_out_and_no_pixel_changes(kind):
    content = carrying(kind)
    clean = bare(content)
    assert kind_of(clean.content) == kind
    assert SECRET not in clean.content
    with Image.open(io.BytesIO(clean.content)) as after, Image.open(io.BytesIO(content)) as before:
        assert not after.getexif()
        assert "icc_profile" not in after.info
        assert after.convert("RGB").tobytes() == before.convert("RGB").tobytes()
    # Bare already: not a byte more to take.
    assert bare(clean.content).content == clean.content


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_that_exif_turns_is_stored_upright(kind, media):
    # Orientation 6: the camera was turned, so the picture is shown a quarter round.
    stored = store_picture(carrying(kind, orientation=6), name="a", study="shapes")
    assert (stored.width, stored.height) == (30, 40)
    assert open_picture(stored.file).size == (30, 40)
    assert SECRET not in (media / stored.file).read_bytes()


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "1", "I;16", "LA"])
def test_pngs_of_every_kind_are_taken(mode, media):
    out = io.BytesIO()
    picture = Image.new(mode, (9, 9)) if mode == "I;16" else NOISE.convert(mode)
    picture.save(out, "PNG")
    assert store_picture(out.getvalue(), name="a", study="shapes").width == picture.width


def test_a_thumbnail_lies_beside_each_picture(media):
    out = io.BytesIO()
    NOISE.resize((1000, 500)).save(out, "PNG")
    stored = store_picture(out.getvalue(), name="a", study="shapes")
    with Image.open(media / thumbnail_of(stored.file)) as small:
        assert (small.format, small.size) == ("JPEG", (256, 128))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@settings(max_examples=60)
@given(st.data())
def test_broken_bytes_are_refused_or_taken_but_never_crash(kind, data):
    content = bytearray(carrying(kind))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    for broken in (bytes(content), bytes(content[:cut])):
        try:
            check_picture(broken, name="a", study="shapes")
        except (ImportRefused, Damaged):
            continue


def test_megabytes_of_fill_bytes_in_a_jpeg_take_no_longer_than_other_bytes():
    # A scan begins, and then nothing but 0xFF comes: 2 MB of them took hours.
    with processor_seconds(30), pytest.raises(Damaged):
        bare(b"\xff\xd8\xff\xda\x00\x02" + b"\xff" * 2_000_000)
