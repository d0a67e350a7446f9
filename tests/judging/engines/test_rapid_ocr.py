"""The real weights, which lie in the package."""

import pytest
from django.core.files.storage import default_storage
from PIL import Image

from jurybox_judging.engines.rapid_ocr import RapidOcr
from jurybox_judging.self_test import check_engines, stop_sign


@pytest.fixture(scope="module")
def reader():
    return RapidOcr()


def test_it_reads_a_stop_sign_and_says_where(reader):
    ((line,),) = reader.read_text([stop_sign()])
    assert line["text"] == "STOP"
    assert line["score"] > 0.9
    left, top, right, bottom = line["box"]
    assert left < 256 < right
    assert 100 < top < 190 < bottom < 280


def test_where_nothing_is_written_nothing_is_read(reader):
    assert reader.read_text([Image.new("RGB", (200, 120), (200, 210, 220))]) == [[]]


def test_it_passes_the_test_before_a_run(reader):
    check_engines({"writing": reader}, keep_alive=lambda: None)


def test_its_facts_name_weights_and_libraries():
    facts = RapidOcr().facts
    assert facts["checkpoint"] == "PP-OCRv6 small"
    assert facts["libraries"].startswith(f"rapidocr {facts['revision']} onnxruntime 1.")


@pytest.mark.django_db
def test_a_study_of_signs_is_read_once_for_all_scores_and_boxes_are_kept(study):
    from judges.models import Look, Score
    from judges.runs import lifecycle, score_chunk

    prompt = study.prompts.get(key="p0")
    prompt.text = "a road with a sign that says “STOP”"
    prompt.save()
    image = study.images.get(key="early-0")
    with default_storage.open(image.file, "wb") as file:
        stop_sign().save(file, "PNG")
    runs = [lifecycle.start_run(study=study, name=name) for name in ("text-words", "text-whole")]
    for run in runs:
        score_chunk.work_off(run=run)
    scores = Score.objects.filter(image=image).order_by("run")
    assert [(score.value, score.correct) for score in scores] == [(1.0, True), (1.0, True)]
    assert scores[0].evidence["detections"][0]["class"] == "STOP"
    assert Look.objects.filter(image=image).count() == 1
    # The other prompts name no text.
    left = Score.objects.filter(run=runs[0], value=None)
    assert left.count() == 6
    assert all("no text to be written" in score.error for score in left)
