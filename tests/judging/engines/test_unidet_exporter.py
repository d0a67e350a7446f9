"""The script for UniDet's own environment, from its command to scores, over a stand-in of UniDet."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image as Picture
from PIL import ImageDraw

from annotations.models import Image
from judges.models import Run
from judges.runs import lifecycle, score_chunk
from jurybox_judging.engines.shared.torch_setup import prepare
from tests import making
from tests.judging.engines.unidet_stand_in import lay_out

pytestmark = [pytest.mark.neural, pytest.mark.django_db]

SCRIPT = Path(__file__).resolve().parents[3] / "docs" / "exporters" / "unidet_detections.py"


@pytest.fixture
def folder(tmp_path):
    """One picture of 960 × 480: a red square at 100 … 200, a blue one at 600 … 700, both at 150 … 250."""
    prepare()
    lay_out(tmp_path / "UniDet_eval", ["cup", "plate"])
    (tmp_path / "samples").mkdir()
    picture = Picture.new("RGB", (960, 480))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((100, 150, 199, 249), fill=(255, 0, 0))
    draw.rectangle((600, 150, 699, 249), fill=(0, 0, 255))
    picture.save(tmp_path / "samples" / "a cup on the left of a plate_000003.png")
    return tmp_path


def export(folder, *more):
    # torchvision must not be asked for operators that this build of it may lack.
    start = (
        "import runpy, sys; sys.path.insert(0, sys.argv[1]); "
        "from jurybox_judging.engines.shared.torch_setup import prepare; prepare(); sys.path[0] = '.'; "
        "sys.argv = sys.argv[2:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    root = str(SCRIPT.parents[2])
    words = [
        sys.executable,
        "-c",
        start,
        root,
        str(SCRIPT),
        "--outpath",
        "..",
        "--out",
        "../o.jsonl",
    ]
    done = subprocess.run(
        [*words, *more], cwd=folder / "UniDet_eval", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / "o.jsonl"


@pytest.mark.nightly("a process that loads a detector of its own")
def test_boxes_come_out_in_pixels_of_the_picture_under_unidets_labels(folder):
    (row,) = map(json.loads, export(folder).read_text().splitlines())
    assert row["image"] == "a cup on the left of a plate_000003.png"
    cup, plate = row["detections"]
    assert (cup["class"], plate["class"]) == ("cup", "plate")
    assert cup["score"] == pytest.approx(0.9)
    # Measured at half the size, so to two pixels.
    assert cup["box"] == pytest.approx([100, 150, 200, 250], abs=2.1)
    assert plate["box"] == pytest.approx([600, 150, 700, 250], abs=2.1)


@pytest.mark.nightly("a process that loads a detector of its own")
def test_as_coded_red_and_blue_are_exchanged_unless_it_is_repaired(folder):
    # The stand-in was trained on BGR, so the repaired order fools it: red is a plate.
    (row,) = map(json.loads, export(folder, "--rgb").read_text().splitlines())
    left = min(row["detections"], key=lambda d: d["box"][0])
    assert left["class"] == "plate"


def judged(study, name, file, prefix, *kinds, **options):
    given = {f"{kind}.checkpoint": str(file) for kind in kinds}
    given |= {f"{kind}.prefix": prefix for kind in kinds}
    run = lifecycle.start_run(study=study, name=name, options={**given, **options})
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    return run.scores.get()


@pytest.fixture
def study(folder, settings):
    """The one image, as the import of T2I-CompBench's folder calls it."""
    settings.JUDGE_WEIGHTS = [str(folder)]
    study = making.study(prompts=1, files=False)
    image = study.images.first()
    Image.objects.exclude(pk=image.pk).delete()
    Image.objects.update(key="sdxl/spatial_val/000003", width=960, height=480)
    return study


def ask(study, text, **metadata):
    study.prompts.update(text=text, metadata=metadata)


@pytest.mark.nightly(
    "a process that loads a detector of its own; test_from_file.py reads such files"
)
def test_a_study_is_judged_by_the_official_rules_over_the_file(folder, study):
    file, prefix = export(folder, "--depth"), "sdxl/spatial_val/"
    ask(study, "a cup on the left of a plate")
    # Both found at .9 and .8, on the left and apart: (.9 + .8)/4 + 1/2
    score = judged(study, "compbench-2d-from-file", file, prefix, "objects")
    assert score.value == pytest.approx(0.925, abs=1e-6)

    # Red is nearer, but boxes that do not overlap never score: (.9 + .8)/4
    ask(study, "a cup in front of a plate")
    parts = ("objects", "depth")
    score = judged(study, "compbench-3d-from-file", file, prefix, *parts, transposed=False)
    assert score.value == pytest.approx(0.425, abs=1e-6)
    near, far = score.evidence["depths"]
    assert near > 0.9
    assert far < 0.1

    # One cup of one: all of its half; of two plates one: a quarter.
    ask(study, "x", counts={"cup": 1, "plate": 2})
    score = judged(study, "compbench-numeracy-from-file", file, prefix, "objects")
    assert score.value == pytest.approx(0.75)


@pytest.mark.nightly("a process that loads a detector of its own")
def test_a_file_without_depth_says_so(folder, study):
    file = export(folder)
    ask(study, "a cup in front of a plate")
    score = judged(study, "compbench-3d-from-file", file, "sdxl/spatial_val/", "objects", "depth")
    assert score.value is None
    assert "says nothing of the depth in “sdxl/spatial_val/000003”" in score.error
