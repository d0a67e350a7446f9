import math
import random

import pytest

from jurybox_formats.prompt_grammar.vocabulary import COLOURS
from jurybox_formats.sets.builtin.drawing import PAINTS, PAPERS, Style, paint, png
from jurybox_formats.sets.builtin.scene import Figure, Scene
from jurybox_formats.sets.builtin.study import GENERATORS


def painted(*things, style=None, size=256):
    return paint(Scene(things, True), style or Style(), size=size, rng=random.Random(1))


def thing(shape, color="red", **more):
    return Figure(shape, color, 0.5, 0.5, 0.3, **more)


def test_every_colour_has_its_paint_and_stands_out_from_every_paper():
    assert tuple(PAINTS) == COLOURS
    for pigment in PAINTS.values():
        for paper in PAPERS:
            assert math.dist(pigment, paper) > 60


def test_no_two_paints_are_easily_taken_for_one_another():
    paints = list(PAINTS.values())
    for k, one in enumerate(paints):
        assert all(math.dist(one, other) > 70 for other in paints[:k])


def test_a_flat_thing_is_its_paint_throughout():
    image = painted(thing("square", "green"))
    assert image.getpixel((128, 128)) == PAINTS["green"]
    assert image.getpixel((75, 75)) == PAINTS["green"]


def test_the_paper_shows_through_the_ring():
    image = painted(thing("ring"))
    assert image.getpixel((128, 128)) == image.getpixel((2, 2))
    assert image.getpixel((128 + 60, 128)) == PAINTS["red"]


def test_an_outline_is_darker_than_its_thing():
    image = painted(thing("square", "yellow"), style=Style(outline=1.0))
    edge = round(128 - 0.86 * 0.3 * 256)
    assert sum(image.getpixel((edge, 128))) < 0.5 * sum(PAINTS["yellow"])


def test_white_stays_lighter_than_any_paper_in_every_style():
    for generator in GENERATORS:
        image = painted(thing("square", "white"), style=generator.style)
        inside = image.crop((80, 80, 176, 176)).convert("L")
        around = image.crop((0, 0, 30, 256)).convert("L")
        values, paper = sorted(inside.get_flattened_data()), sorted(around.get_flattened_data())
        assert values[len(values) // 2] > paper[len(paper) // 2] + 15


def test_a_texture_nobody_knows_is_refused():
    with pytest.raises(ValueError, match="no texture 'plaid'"):
        painted(thing("square"), style=Style(texture=1, textures=("plaid",)))


def test_the_file_holds_pixels_only():
    file = png(painted(thing("heart")))
    for chunk in (b"tEXt", b"iTXt", b"tIME", b"eXIf"):
        assert chunk not in file
