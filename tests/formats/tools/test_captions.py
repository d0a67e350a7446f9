"""COCO's captions, as Datumaro 1.13.12 exported them (`dataset.export(…, "coco_captions")`), and VQA's two files, in
the fields that its own page describes: no package writes them."""

import json
from pathlib import Path

import pytest

from annotations.models import Study
from judges.intake import bring_in
from jurybox_formats import guess_format
from jurybox_formats.registry import Source
from jurybox_formats.sources.records import Unreadable
from tests.formats.sets.reading import Read

WRITTEN = Path(__file__).parent / "files" / "datumaro-1.13.12-coco"
QUESTIONS = {
    "data_type": "mscoco",
    "data_subtype": "val2014",
    "questions": [
        {"image_id": 42, "question": "Is the cup red?", "question_id": 420001},
        {"image_id": 42, "question": "How many cups?", "question_id": 420002},
        {"image_id": 73, "question": "Is it night?", "question_id": 730001},
    ],
}
ANSWERS = {
    "annotations": [
        {
            "question_id": 420001,
            "image_id": 42,
            "answer_type": "yes/no",
            "multiple_choice_answer": "yes",
            "answers": [
                {"answer_id": number, "answer": said, "answer_confidence": "yes"}
                for number, said in enumerate(("yes", "yes", "no"), 1)
            ],
        },
        {"question_id": 420002, "answers": [{"answer_id": 1, "answer": "2"}]},
    ]
}


def test_each_caption_that_datumaro_wrote_is_a_prompt_and_its_image_one_of_it():
    found = Read("coco", WRITTEN, generator="coco")
    assert found.rejected == []
    assert sorted((i.key, i.generator, i.content is not None) for i in found.images) == [
        ("cup.jpg/1", "coco", True),
        ("cup.jpg/2", "coco", True),
        ("dog.jpg", "coco", True),
    ]
    assert {p.text for p in found.prompts} == {"a red cup", "a cup on a table", "two dogs"}
    assert "1 × images without a caption" in found.remarks[-1].words
    assert guess_format.guess(WRITTEN) == ("coco", "study")


@pytest.mark.django_db
def test_captions_make_a_study():
    outcome = bring_in.import_study(slug="c", format="coco", source=Source(WRITTEN))
    assert (outcome.rejected, outcome.prompts, outcome.images) == ([], 3, 3)


def written(folder, **files):
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


@pytest.mark.django_db
def test_answers_of_vqa_are_labels_of_people_who_are_numbered(tmp_path):
    folder = written(tmp_path, questions=QUESTIONS, answers=ANSWERS)
    found = Read("vqa", folder)
    assert found.rejected == []
    first = "COCO_val2014_000000000042.jpg/420001"
    assert [image.key for image in found.images][0] == first
    assert [(label.rater, label.value) for label in found.labels if label.image == first] == [
        ("unknown 1", "yes"),
        ("unknown 2", "yes"),
        ("unknown 3", "no"),
    ]
    assert "1 × questions that nobody answered" in found.remarks[-1].words
    assert guess_format.guess(folder) == ("vqa", "study")
    outcome = bring_in.import_study(slug="v", format="vqa", source=Source(folder))
    assert (outcome.prompts, outcome.images, outcome.answers) == (3, 3, 4)
    assert [q["name"] for q in Study.objects.get().form.questions] == ["answer"]


def test_questions_alone_are_prompts(tmp_path):
    found = Read(
        "vqa",
        written(
            tmp_path,
            q={"questions": [{"question_id": "a", "image_id": "x.png", "question": "Why?"}]},
        ),
    )
    assert [(p.text, i.key) for p, i in zip(found.prompts, found.images, strict=True)] == [
        ("Why?", "x.png/a")
    ]
    assert found.labels == []


@pytest.mark.parametrize(
    ("format", "wrong", "line", "words"),
    [
        ("coco", {"image_id": 9, "caption": "a", "id": 2}, 2, "has no such image"),
        ("coco", {"image_id": 1, "caption": " ", "id": 2}, 2, "“caption” is empty"),
        ("coco", "words", 2, "An object is wanted"),
        ("vqa", {"question_id": 9, "answers": []}, 2, "There is no such question"),
        ("vqa", {"question_id": 1, "answers": []}, 2, "stand twice"),
        ("vqa", {"question_id": 2, "answers": [{"answer": 1}]}, 2, "must be a text"),
    ],
)
def test_a_row_that_cannot_be_taken_is_named_and_the_others_are_read(
    tmp_path, format, wrong, line, words
):
    if format == "coco":
        whole = {
            "images": [{"id": 1, "file_name": "a.png"}],
            "annotations": [{"id": 1, "image_id": 1, "caption": "a cat"}, wrong],
        }
        folder = written(tmp_path, captions=whole)
    else:
        asked = [{"question_id": n, "image_id": "a", "question": "Why?"} for n in (1, 2)]
        given = [{"question_id": 1, "answers": [{"answer": "so"}]}, wrong]
        folder = written(tmp_path, a={"questions": asked}, b={"annotations": given})
    found = Read(format, folder)
    assert [(row.line, words in row.reason) for row in found.rejected] == [(line, True)]
    assert len(found.images if format == "coco" else found.labels) == 1


def test_boxes_and_other_lists_are_no_captions(tmp_path):
    boxes = {"images": [], "annotations": [{"image_id": 1, "bbox": []}]}
    with pytest.raises(Unreadable, match="no captions of COCO"):
        Read("coco", written(tmp_path, a=boxes))
    with pytest.raises(Unreadable, match="no questions of VQA"):
        Read("vqa", tmp_path)
