"""Likeness outside a mask: by hand, against plain loops, on drawn edits, and where there is none."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from jurybox_formats.sets.drawn_edits import scenes
from jurybox_formats.sets.drawn_edits import study as planted
from jurybox_judging.engines import pixel_difference
from jurybox_judging.engines.pixel_difference import PixelDifference
from jurybox_judging.methods.kept_rest import QUESTION
from jurybox_judging.protocols import Question

ASKED = [Question(QUESTION, ("kept",), "share")]
SIZE = (96, 64)


def plain(colour=(120, 130, 140), size=SIZE):
    return Image.new("RGB", size, colour)


def with_box(box, colour=(250, 20, 20), size=SIZE):
    picture = plain(size=size)
    ImageDraw.Draw(picture).rectangle(box, fill=colour)
    return picture


def mask(box, size=SIZE):
    white = Image.new("L", size)
    ImageDraw.Draw(white).rectangle(box, fill=255)
    return white


def kept(source, result, white=None, **options):
    shown = [("source", source), ("result", result)]
    if white is not None:
        shown.insert(1, ("mask", white))
    ((answer,),) = PixelDifference(**options).answer([(tuple(shown), ASKED)])
    return answer


def test_structure_is_ssim_as_plain_loops_count_it():
    rng = np.random.default_rng(3)
    one = rng.integers(0, 256, (20, 24)).astype(float)
    two = np.clip(one + rng.normal(0, 30, one.shape), 0, 255)
    found = pixel_difference.structure(one, two)
    half = pixel_difference.WINDOW // 2
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    for row, column in ((half, half), (10, 11), (16, 20)):
        place = np.s_[row - half : row + half + 1, column - half : column + half + 1]
        x, y = one[place].ravel(), two[place].ravel()
        (xx, xy), (_, yy) = np.cov(x, y)
        expected = (2 * x.mean() * y.mean() + c1) * (2 * xy + c2)
        expected /= (x.mean() ** 2 + y.mean() ** 2 + c1) * (xx + yy + c2)
        assert found[row, column] == pytest.approx(expected)


def test_the_same_picture_is_kept_whole_and_symmetric():
    first, second = with_box((10, 10, 30, 30)), with_box((60, 30, 80, 50))
    for measure in ("structure", "colour"):
        assert kept(first, first, measure=measure).probability == pytest.approx(1)
        one, two = kept(first, second, measure=measure), kept(second, first, measure=measure)
        assert one.probability == pytest.approx(two.probability)


def test_colour_by_hand():
    # Half of the pixels differ by 51 in one of three colours: 51 / 255 / 3 = 1 / 15 of the worst half.
    left = (0, 0, 47, 63)
    source = plain((100, 100, 100))
    result = source.copy()
    ImageDraw.Draw(result).rectangle(left, fill=(151, 100, 100))
    nothing = mask((90, 60, 91, 61))
    half = kept(source, result, nothing, measure="colour", worst=0.5)
    assert half.probability == pytest.approx(1 - 1 / 15, abs=0.01)
    everything = kept(source, result, nothing, measure="colour", worst=1)
    assert everything.probability == pytest.approx(1 - 1 / 30, abs=0.01)


@pytest.mark.parametrize("measure", ["structure", "colour"])
def test_what_changes_inside_the_mask_counts_for_nothing(measure):
    box = (20, 20, 40, 40)
    inside = kept(plain(), with_box(box), mask(box), measure=measure)
    assert (inside.probability, inside.said) == (pytest.approx(1), "the mask")
    outside = kept(plain(), with_box(box), mask((70, 20, 90, 40)), measure=measure)
    assert outside.probability < 0.8


def test_without_a_mask_the_largest_change_may_be_there_and_another_may_not():
    source, edit = plain(), with_box((10, 10, 40, 40))
    assert kept(source, edit, measure="colour").probability == pytest.approx(1)
    also = edit.copy()
    ImageDraw.Draw(also).rectangle((70, 40, 80, 50), fill=(20, 20, 250))
    damaged = kept(source, also, measure="colour")
    assert damaged.probability < 0.8
    assert damaged.said == "the largest change"
    # Nothing was done at all: everything is kept.
    assert kept(source, source).probability == pytest.approx(1)


def test_a_change_of_hue_alone_is_nothing_to_structure_and_something_to_colour():
    """A stated limit: SSIM reads brightness."""
    # .299 · 100 = .587 · 50.94: red goes, green comes, the brightness stays.
    source, result = plain((150, 100, 100)), plain((50, 151, 100))
    white = mask((0, 0, 10, 10))
    assert kept(source, result, white, measure="structure").probability > 0.99
    assert kept(source, result, white, measure="colour").probability < 0.85


def test_other_sizes_are_laid_over_each_other_and_other_shapes_are_not():
    source = with_box((10, 10, 40, 40))
    larger = source.resize((192, 128), Image.Resampling.NEAREST)
    assert kept(source, larger, measure="colour").probability > 0.98
    with pytest.raises(ValueError, match="another shape than its source"):
        kept(source, plain(size=(64, 64)))


def test_what_cannot_be_compared_says_why():
    with pytest.raises(ValueError, match="The mask covers the whole picture"):
        kept(plain(), plain(), mask((0, 0, *SIZE)))
    with pytest.raises(ValueError, match="one of them is not shown"):
        PixelDifference().answer([(plain(), ASKED)])


def test_it_tells_over_edited_pictures_of_the_demo_from_others():
    told = {True: [], False: []}
    for number in range(12):
        task = scenes.make_task(number, planted.SEED)
        source = scenes.paint_things(task, task.before, size=planted.SIZE)
        white = scenes.paint_mask(task, size=planted.SIZE)
        for fault in (planted.RIGHT, planted.NOTHING, planted.WRONG, planted.OVERDONE):
            edit = planted.Edit(f"img-{number}", planted.prompt_key(number), "Mirage", fault, False)
            answer = kept(source, planted.draw(edit, task), white, measure="colour")
            told[edit.keeps_rest].append(answer.probability)
    assert min(told[True]) > max(told[False])
