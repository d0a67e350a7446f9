"""A set of images to train on, as it is read: what has a hole is refused."""

import json

import pytest

from annotations.errors import Refused
from judges.generating.train import Example, examples_in
from tests import making


def test_each_row_is_an_image_with_its_words_and_weight(tmp_path):
    (tmp_path / "train").mkdir()
    picture = tmp_path / "train" / "0.png"
    picture.write_bytes(making.png())
    rows = [{"file_name": "0.png", "text": "a cat", "weight": weight} for weight in (1, 0)]
    (tmp_path / "train" / "metadata.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert examples_in(tmp_path) == [Example(picture, "a cat", 1.0), Example(picture, "a cat", 0.0)]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"file_name": "9.png", "text": "a", "weight": 1}, "which is not there"),
        ({"file_name": "0.png", "text": "a"}, "no weight of 0 or more"),
        ({"file_name": "0.png", "text": "a", "weight": -1}, "no weight of 0 or more"),
    ],
)
def test_a_set_with_a_hole_is_refused(tmp_path, row, words):
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "0.png").write_bytes(making.png())
    (tmp_path / "train" / "metadata.jsonl").write_text(json.dumps(row))
    with pytest.raises(Refused, match=words):
        examples_in(tmp_path)
