"""Detections that were made elsewhere, judged again without eyes."""

import base64
import io
import json

import pytest
from django.core.management import call_command

from annotations.models import Image, Study
from judges.looks import gather
from judges.models import Run, Score
from judges.runs import lifecycle, score_chunk
from jurybox_judging.engines.from_file import FromFile
from jurybox_judging.errors import EngineRefused, JudgeRefused
from tests import making, needs

BOXES = {"bench": [[0, 0, 10, 10, 0.9], [5, 5, 9, 9, 0.4]], "dog": [[1, 1, 2, 2, 0.95]]}


def official(folder, rows):
    path = folder / "results.jsonl"
    lines = (
        json.dumps({"filename": name, "details": json.dumps(boxes)}) for name, boxes in rows.items()
    )
    path.write_text("\n".join(lines))
    return path


def coco(folder, **changed):
    whole = {
        "images": [{"id": 7, "file_name": "early-1.png"}, {"id": 8, "file_name": "late-1.png"}],
        "categories": [{"id": 3, "name": "circle"}],
        "annotations": [
            {
                "image_id": 7,
                "category_id": 3,
                "score": 0.8,
                "bbox": [2, 3, 10, 20],
                "segmentation": {"size": [2, 2], "counts": [1, 3]},
            }
        ],
        **changed,
    }
    path = folder / "found.json"
    path.write_text(json.dumps(whole))
    return path


def told(engine, key):
    from PIL import Image as Picture

    plate = Picture.new("RGB", (1, 1))
    plate.info["key"] = key
    return engine.detect([plate])[0]


def test_boxes_of_the_official_script_keep_class_and_score(tmp_path):
    path = official(tmp_path, {"images/00012/samples/00003.png": BOXES})
    found = told(FromFile(str(path)), "00012/00003")
    assert [(one["class"], one["score"]) for one in found] == [
        ("bench", 0.4),
        ("bench", 0.9),
        ("dog", 0.95),
    ]
    assert found[1]["box"] == [0, 0, 10, 10]


def test_one_generator_among_several_is_named_by_a_prefix(tmp_path):
    path = official(tmp_path, {"images/12/samples/3.png": BOXES})
    assert told(FromFile(str(path), prefix="sdxl/"), "sdxl/00012/00003")


def test_cocos_boxes_become_corners_and_whole_runs_a_mask(tmp_path):
    engine = FromFile(str(coco(tmp_path)))
    assert told(engine, "early-1") == [
        {
            "class": "circle",
            "score": 0.8,
            "box": [2, 3, 12, 23],
            "mask": {"size": (2, 2), "counts": [1, 3]},
        }
    ]
    assert told(engine, "late-1") == []


def test_an_image_the_file_does_not_know_is_said_and_not_empty(tmp_path):
    engine = FromFile(str(coco(tmp_path)))
    with pytest.raises(ValueError, match="“found.json” says nothing of “early-2”"):
        told(engine, "early-2")


@pytest.mark.parametrize("changed", [{"categories": []}, {"annotations": [{"image_id": 7}]}])
def test_a_file_of_another_kind_is_refused(tmp_path, changed):
    with pytest.raises(EngineRefused, match="neither a results.jsonl of GenEval nor COCO"):
        FromFile(str(coco(tmp_path, **changed))).load()


OWN = {
    "image": "a red cup_000012.png",
    "detections": [{"class": "cup", "score": 0.9, "box": [1, 2, 3, 4], "color": "red"}],
}


def own(folder, *rows):
    path = folder / "own.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def test_lines_of_our_own_tell_class_score_box_and_color_by_name_or_number(tmp_path):
    engine = FromFile(str(own(tmp_path, OWN)), prefix="sdxl/")
    expected = [{"class": "cup", "score": 0.9, "box": [1.0, 2.0, 3.0, 4.0], "color": "red"}]
    assert told(engine, "sdxl/a red cup_000012") == expected
    assert told(engine, "sdxl/000012") == expected


def test_depth_is_a_gray_picture_beside_the_boxes(tmp_path):
    from PIL import Image as Picture

    file = io.BytesIO()
    gray = Picture.new("L", (2, 1))
    gray.putdata([0, 255])
    gray.save(file, "PNG")
    row = {**OWN, "depth": base64.b64encode(file.getvalue()).decode()}
    broken = {**OWN, "image": "b.png", "depth": "bm8gcGljdHVyZQ=="}
    engine = FromFile(str(own(tmp_path, {**OWN, "image": "none.png"}, row, broken)))

    def depth(key):
        plate = Picture.new("RGB", (1, 1))
        plate.info["key"] = key
        return engine.depths([plate])[0].tolist()

    assert depth("000012") == [[0.0, 1.0]]
    with pytest.raises(ValueError, match="says nothing of the depth in “none”"):
        depth("none")
    with pytest.raises(ValueError, match="depth of “b” is no picture"):
        depth("b")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"image": 3, "detections": []}, "line 2 has no “image”"),
        ({"image": "x", "detections": {}}, "line 2 has no “image”"),
        (
            {**OWN, "detections": [{"class": "cup", "score": 2, "box": [1, 2, 3, 4]}]},
            "line 2: a det",
        ),
        ({**OWN, "detections": [{"class": "cup", "score": 0.5, "box": [1, 2]}]}, "line 2: a det"),
        ({**OWN, "detections": ["cup"]}, "line 2: a detection needs"),
    ],
)
def test_a_line_that_does_not_fit_is_refused_by_its_number(tmp_path, row, words):
    with pytest.raises(EngineRefused, match=words):
        FromFile(str(own(tmp_path, OWN, row))).load()


@pytest.mark.django_db
def test_colors_and_boxes_of_a_file_are_enough_for_align_score(tmp_path, settings):
    settings.JUDGE_WEIGHTS = [str(tmp_path)]
    study = making.study(prompts=1, files=False)
    image = study.images.first()
    Image.objects.exclude(pk=image.pk).delete()
    study.prompts.update(metadata={"categories": {"cup": [{"id": 1, "color": "red"}]}})
    path = own(tmp_path, {**OWN, "image": f"{image.key}.png"})
    option = {"objects.checkpoint": str(path)}
    run = lifecycle.start_run(study=study, name="align-score-from-file", options=option)
    score_chunk.work_off(run=run)
    # One cup of one, and it is red: (1 + 1/(1 + 0))/2
    assert run.scores.get().value == 1


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(EngineRefused, match="“gone.json” cannot be read: No such file"):
        FromFile(str(tmp_path / "gone.json")).load()


def test_another_content_is_another_engine(tmp_path):
    path = coco(tmp_path)
    before = FromFile(str(path)).facts
    path.write_text(path.read_text().replace("0.8", "0.7"))
    assert FromFile(str(path)).facts["content"] != before["content"]


@pytest.mark.django_db
def test_a_study_is_judged_without_opening_a_picture(tmp_path, monkeypatch, settings):
    settings.JUDGE_WEIGHTS = [str(tmp_path)]
    monkeypatch.setattr(gather, "open_picture", None)
    study = making.study(files=False)
    path = coco(tmp_path)
    option = {"objects.checkpoint": str(path)}
    # The prompts ask for a color, which a file of boxes does not tell.
    Image.objects.exclude(key__in=("early-1", "late-1", "late-2")).delete()
    for image in Image.objects.select_related("prompt"):
        image.prompt.metadata = {"tag": "two_object", "include": [{"class": "circle", "count": 1}]}
        image.prompt.save()
    run = lifecycle.start_run(study=study, name="geneval-from-file", options=option)
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert dict(run.scores.values_list("image__key", "correct")) == {
        "early-1": True,
        "late-1": False,
        "late-2": None,
    }
    error = Score.objects.get(run=run, image__key="late-2").error
    assert error == "The file “found.json” says nothing of “late-2”."


@pytest.mark.django_db
def test_without_a_file_no_run_begins(study):
    with pytest.raises(
        JudgeRefused, match=r"needs objects\.checkpoint: the file with the detections\."
    ):
        lifecycle.start_run(study=study, name="geneval-from-file")


@pytest.mark.django_db
def test_the_official_results_judged_again_are_the_official_verdicts(settings):
    path = needs.shared("geneval/sample_run/results.jsonl")
    settings.JUDGE_WEIGHTS = [str(path.parent.resolve())]
    flags = ("--format", "geneval", "--generator", "one", "--judge", "official")
    call_command("import_study", "sample", *flags, str(path), stdout=io.StringIO())
    study = Study.objects.get(slug="sample")
    option = {"objects.checkpoint": str(path), "objects.prefix": "one/"}
    run = lifecycle.start_run(study=study, name="geneval-from-file", options=option)
    score_chunk.work_off(run=run)
    official = Score.objects.filter(run__judge__name="official")
    theirs = dict(official.values_list("image__key", "correct"))
    ours = dict(run.scores.filter(value__isnull=False).values_list("image__key", "correct"))
    assert ours
    assert ours == {key: theirs[key] for key in ours}
    # Only colors cannot be told again from boxes.
    reasons = set(run.scores.filter(value__isnull=True).values_list("error", flat=True))
    assert reasons <= {"No engine of this judge answers “colors”."}
