import pytest

from jurybox_judging.boxes import as_evidence, from_score, overlap


def seen(score, **more):
    return {"class": "cup", "score": score, "box": [0, 0, 1, 1], **more}


def test_overlap_with_and_without_the_official_pixel():
    # 5 x 10 of 100 + 100 - 50; with one pixel more per side 6 x 11 of 121 + 121 - 66
    one, other = [0, 0, 10, 10], [5, 0, 15, 10]
    assert overlap(one, other) == pytest.approx(50 / 150)
    assert overlap(one, other, 1) == pytest.approx(66 / 176)


def test_boxes_apart_and_boxes_of_no_area_share_nothing():
    assert overlap([0, 0, 1, 1], [5, 5, 6, 6]) == 0
    assert overlap([1, 1, 1, 1], [1, 1, 1, 1]) == 0


class Stored(list):
    """Like detections read back: scores ready, each detection made when it is asked for."""

    scores = (0.9, 0.1, 0.5)
    made = 0

    def __getitem__(self, at):
        self.made += 1
        return super().__getitem__(at)


def test_only_what_counts_is_made():
    stored = Stored([seen(0.9), seen(0.1), seen(0.5)])
    assert [one["score"] for one in from_score(stored, 0.5)] == [0.9, 0.5]
    assert stored.made == 2


def test_evidence_has_no_mask_and_no_faint_guess_but_the_color():
    mask = {"size": (1, 1), "counts": [0, 1]}
    assert as_evidence([seen(0.9, mask=mask, color="red"), seen(0.04)]) == [
        {"class": "cup", "score": 0.9, "box": [0.0, 0.0, 1.0, 1.0], "color": "red"}
    ]
