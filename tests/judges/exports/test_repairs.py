import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command

from annotations.models import Prompt
from judges.models import Judge, Score
from tests import making

pytestmark = pytest.mark.django_db
ASKED = {"categories": {"cup": [{"id": 1, "color": "red"}]}, "relations": []}


@pytest.fixture
def judged(study):
    """One image is right, one has a blue cup, one failed, one was scored elsewhere."""
    Prompt.objects.filter(study=study).update(metadata=ASKED)
    scores = {"early-0": 1.0, "early-1": 0.5, "early-2": "out of memory", "early-3": 0.25}
    run = making.scores(study, scores, name="align-score")
    Judge.objects.filter(pk=run.judge_id).update(method="AlignScore")
    for key, color in (("early-0", "red"), ("early-1", "blue")):
        found = {"class": "cup", "color": color, "score": 0.9, "box": [0, 0, 9, 9]}
        of = Score.objects.filter(run=run, image__key=key)
        of.update(evidence={"detections": [found], "pairs": [0]})
    return run


def test_a_file_has_a_row_for_each_image_with_something_to_repair(study, judged, tmp_path, capsys):
    out = tmp_path / "repairs.jsonl"
    call_command("revise", study.slug, out=out)
    (row,) = [json.loads(line) for line in out.read_text().splitlines()]
    assert (row["image_id"], row["generator"], row["judge"]) == ("early-1", "early", "align-score")
    assert (row["wanted"], row["found"]) == ("The first cup is red", "The first cup is blue")
    assert (row["score"], row["other_findings"]) == (0.5, 0)
    told = capsys.readouterr().err
    assert told.startswith("1 image to repair; nothing to repair: 1; scored elsewhere")
    assert "without a score: 1" in told
    beside = json.loads((tmp_path / "repairs.jsonl.README.json").read_text())
    assert beside["counts"] == {"rows": 1}
    assert beside["left_out"]["nothing to repair"] == 1
    assert "inferred" in beside["rules"]


def test_the_same_as_a_table(study, judged, capsys):
    call_command("revise", study.slug, format="csv")
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert row["found"] == "The first cup is blue"


def test_a_study_without_such_a_judge_is_told_so(study):
    making.scores(study, {"early-0": 1.0})
    with pytest.raises(CommandError, match="No judge of this study finds instances"):
        call_command("revise", study.slug)
    with pytest.raises(CommandError, match="“some-judge” is no judge of this study that finds"):
        call_command("revise", study.slug, judge="some-judge")


def test_of_two_judges_one_is_to_be_named(study, judged, capsys):
    other = making.scores(study, {"early-0": 1.0}, name="other-align")
    Judge.objects.filter(pk=other.judge_id).update(method="AlignScore")
    with pytest.raises(CommandError, match="Which of align-score, other-align"):
        call_command("revise", study.slug)
    call_command("revise", study.slug, judge="align-score")
    assert len(capsys.readouterr().out.splitlines()) == 1
