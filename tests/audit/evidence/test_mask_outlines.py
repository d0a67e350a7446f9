import numpy as np
import pytest

from audit.evidence import mask_outlines
from jurybox_judging.masks import packed


def mask(*rows: str) -> dict:
    """Drawn with # and ., as run lengths down the columns."""
    inside = np.array([[letter == "#" for letter in row] for row in rows])
    flat = inside.T.ravel()
    ends = np.flatnonzero(np.r_[flat[1:] != flat[:-1], True]) + 1
    counts = np.diff(np.r_[0, ends]).tolist()
    return {"size": list(inside.shape), "counts": [0, *counts] if flat[0] else counts}


def test_a_square_has_four_corners():
    drawn = mask("....", ".##.", ".##.", "....")
    assert drawn["counts"] == [5, 2, 2, 2, 5]
    assert mask_outlines.path(drawn, 4, 4) == "M1,1L3,1L3,3L1,3Z"


def test_a_hole_is_a_walk_of_its_own():
    drawn = mask("###", "#.#", "###")
    assert mask_outlines.path(drawn, 3, 3) == "M0,0L3,0L3,3L0,3Z M1,2L2,2L2,1L1,1Z"


def test_pixels_that_touch_at_a_corner_are_both_walked_round():
    path = mask_outlines.path(mask("#.", ".#"), 2, 2)
    # Area by the shoelace formula, over all loops: two pixels.
    area = 0.0
    for loop in path.replace("M", "").split("Z")[:-1]:
        points = np.array([[float(v) for v in point.split(",")] for point in loop.split("L")])
        x, y = points.T
        area += (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2
    assert area == 2


def test_a_mask_of_another_size_is_laid_over_the_whole_picture():
    assert mask_outlines.path(mask("....", ".##.", ".##.", "...."), 400, 200) == (
        "M100,50L300,50L300,150L100,150Z"
    )


def test_a_packed_mask_is_the_same_mask():
    drawn = mask("....", ".##.", ".##.", "....")
    assert mask_outlines.path(packed(drawn), 4, 4) == mask_outlines.path(drawn, 4, 4)


def test_a_large_mask_is_walked_in_larger_steps():
    inside = np.zeros((1024, 1024), bool)
    inside[256:512, 512:768] = True
    flat = inside.T.ravel()
    ends = np.flatnonzero(np.r_[flat[1:] != flat[:-1], True]) + 1
    drawn = {"size": [1024, 1024], "counts": np.diff(np.r_[0, ends]).tolist()}
    assert mask_outlines.path(drawn, 1024, 1024) == "M512,256L768,256L768,512L512,512Z"
    # A line of one pixel is thinner than a step, and is there.
    inside[:] = False
    inside[100, :] = True
    flat = inside.T.ravel()
    ends = np.flatnonzero(np.r_[flat[1:] != flat[:-1], True]) + 1
    drawn = {"size": [1024, 1024], "counts": np.diff(np.r_[0, ends]).tolist()}
    assert mask_outlines.path(drawn, 1024, 1024).startswith("M0,100")


@pytest.mark.parametrize(
    "odd",
    [
        None,
        "text",
        {},
        {"size": [2, 2]},
        {"size": [2], "counts": [4]},
        {"size": [2, 2], "counts": [3]},
        {"size": [2, 2], "counts": [-1, 5]},
        {"size": [2, 2], "counts": [1.5, 2.5]},
        {"size": ["a", 2], "counts": [4]},
        {"size": [10**6, 10**6], "counts": [10**12]},
        {"size": [2, 2], "deflated": "not packed"},
        {"size": [2, 2], "counts": [4]},
    ],
)
def test_a_mask_that_cannot_be_read_or_is_empty_has_no_outline(odd):
    assert mask_outlines.path(odd, 2, 2) == ""
