"""The page of judges on published weights: what is not here says so, and printed numbers stand beside ours."""

from types import SimpleNamespace

import pytest
from PIL import Image

from jurybox_judging import registry
from tests.bench import real_weights
from tests.bench.real_weights import NOT_YET, PRINTED, Row, page_of, row_of


@pytest.mark.django_db
def test_a_judge_without_its_weights_has_a_row_that_says_not_yet(tmp_path):
    row = row_of("image-reward", tmp_path, "")
    assert (row.test, row.seconds, row.found) == (NOT_YET, "", "")
    assert row.printed == "0.5812, 0.2745, -1.4132, -2.0296"
    assert row.why == "Needs a file"


def test_printed_numbers_are_compared_where_the_authors_pictures_are_here(tmp_path, monkeypatch):
    printed = PRINTED["image-reward"]

    class Engine:
        def similarities(self, pairs):
            assert {text for _, text in pairs} == {printed.prompt}
            return [0.58, 0.27, -1.41, -2.05]

    built = SimpleNamespace(parts={"similarity": Engine()})
    monkeypatch.setattr(registry, "build", lambda name, options: built)
    found, why = real_weights._compared("image-reward", {}, printed, tmp_path)
    assert found == ""
    assert "the authors' pictures are not here: 1.webp" in why
    for name in printed.pictures:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (8, 8)).save(tmp_path / name)
    found, why = real_weights._compared("image-reward", {}, printed, tmp_path)
    # The last is .0204 away: −2.05 against −2.0296
    assert (found, why) == ("0.5800, 0.2700, -1.4100, -2.0500", "largest difference 0.0204")


def test_the_page_counts_what_was_measured():
    page = page_of([Row("a", "x", test="passed"), Row("b", "y | z", why="Needs a file")])
    assert "1 of 2 rows" in page
    assert "| `b` | y \\| z |  | not yet |  |  |  | Needs a file |" in page
