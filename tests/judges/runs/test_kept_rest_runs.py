"""A study of edits judged by likeness: looked at once, and judged again from what is kept."""

import io

import pytest
from PIL import Image as Picture
from PIL import ImageDraw

from annotations.errors import Refused
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import PromptPicture
from judges.models import Look, Score
from judges.runs import lifecycle, score_chunk
from jurybox_formats.sources.records import PromptPictureRecord
from tests import editing, making

pytestmark = pytest.mark.django_db


@pytest.fixture
def edits(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return editing.study(count=2)


def scores(study, name="kept-rest-colour", **options):
    run = lifecycle.start_run(study=study, name=name, options=options)
    score_chunk.work_off(run=run)
    rows = Score.objects.filter(run=run).select_related("image")
    return {row.image.key: row for row in rows}


def test_without_a_mask_only_what_lies_beside_the_change_is_compared(edits):
    found = scores(edits)
    assert found["careful/0"].value == pytest.approx(1)
    assert found["careful/0"].evidence["compared"] == "outside the largest change"
    # Ground and circle both changed: no score, and never a 0.
    assert found["careless/0"].value is None
    assert "The change covers the whole picture" in found["careless/0"].error
    looks = Look.objects.count()
    assert scores(edits, mask="change")["careful/0"].value == pytest.approx(1)
    assert Look.objects.count() == looks


def test_a_mask_of_the_set_says_what_may_change(edits):
    records = []
    for number in range(2):
        white = Picture.new("L", (320, 240))
        ImageDraw.Draw(white).ellipse((50 + number, 50, 170 + number, 170), fill=255)
        file = io.BytesIO()
        white.save(file, "PNG")
        records.append(PromptPictureRecord(f"edit-{number}", "mask", file.getvalue()))
    write_study.import_records(study=edits, records=records, outcome=Outcome())
    found = scores(edits, mask="set")
    assert found["careful/0"].value == pytest.approx(1)
    assert found["careless/0"].value == pytest.approx(1 - 40 / 255, abs=0.01)
    assert found["careless/0"].evidence["compared"] == "outside the mask"


def test_prompts_without_a_source_are_not_scored_and_say_so(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    study = making.study(prompts=1)
    assert not PromptPicture.objects.exists()
    with pytest.raises(Refused, match="no source picture"):
        scores(study)
