import numpy as np
import pytest
from PIL import Image, ImageDraw

from jurybox_judging.engines.shared import builtin_vision as vision


def test_the_textbook_tells_every_two_shapes_apart():
    known = vision._textbook()
    book = known.reshape(len(vision.SHAPES), -1, known.shape[1])
    for k, one in enumerate(book):
        for other in book[:k]:
            shared = np.minimum(one[:, None], other).sum(axis=2)
            either = np.maximum(one[:, None], other).sum(axis=2)
            assert (shared / either).max() < 0.95


def test_a_textbook_shape_is_named_as_itself():
    steps = np.linspace(-1.5, 1.5, 90)
    x, y = np.meshgrid(steps, steps)
    masks = [vision._covered_points(shape, x, y) for shape in vision.SHAPES]
    masks = [mask[np.ix_(mask.any(axis=1), mask.any(axis=0))] for mask in masks]
    named = vision._name_shapes(masks)
    assert named.argmax(axis=1).tolist() == list(range(10))
    assert named.max(axis=1).min() > 0.9
    assert (named.sum(axis=1) < 1).all()


@pytest.mark.parametrize(("name", "color"), vision.COLORS.items())
def test_the_middle_of_a_colour_has_its_name(name, color):
    code = vision._codes(np.array([[color]], np.uint8))
    assert list(vision.COLORS)[int(vision._name_of_code()[code].item())] == name


def test_a_backdrop_of_two_tones_is_all_backdrop():
    image = Image.new("RGB", (256, 256), (180, 195, 208))
    ImageDraw.Draw(image).rectangle((0, 150, 256, 256), fill=(150, 170, 140))
    assert vision.find_shapes(image) == []


def test_what_touches_the_border_is_part_of_the_surroundings():
    image = Image.new("RGB", (256, 256), (180, 195, 208))
    ImageDraw.Draw(image).ellipse((-10, 100, 50, 160), fill=(210, 35, 40))
    assert vision.find_shapes(image) == []


def test_thin_lines_are_no_things_and_join_none():
    image = Image.new("RGB", (256, 256), (180, 195, 208))
    draw = ImageDraw.Draw(image)
    draw.line((0, 128, 256, 128), fill=(40, 40, 40))
    draw.ellipse((40, 100, 100, 160), fill=(210, 35, 40))
    draw.ellipse((150, 100, 210, 160), fill=(210, 35, 40))
    assert len(vision.find_shapes(image)) == 2


def test_the_same_picture_twice_as_large_shows_the_same_things():
    image = Image.new("RGB", (256, 256), (180, 195, 208))
    ImageDraw.Draw(image).rectangle((60, 80, 120, 140), fill=(45, 95, 205))
    (small,) = vision.find_shapes(image)
    (large,) = vision.find_shapes(image.resize((512, 512), Image.Resampling.NEAREST))
    assert large.box == pytest.approx([2 * edge for edge in small.box])
    assert large.colors.tolist() == small.colors.tolist()
