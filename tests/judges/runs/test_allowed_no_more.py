"""What an operator takes back stops the runs that use it, each with its reason, and no others."""

import pytest

from judges.models import Run
from judges.runs import lifecycle, score_chunk

pytestmark = pytest.mark.django_db


def same(answer, choices):
    return [1.0] * len(choices)


def test_a_plug_in_that_is_gone_stops_its_own_run_alone(study, settings):
    settings.JUDGE_PLUGINS = {"mine": f"{__name__}:same"}
    plugged = lifecycle.start_run(study=study, name="tifa-builtin", options={"nearest": "mine"})
    settings.JUDGE_PLUGINS = {}
    beside = lifecycle.start_run(study=study, name="dsg-builtin")
    for run in (beside, plugged):
        score_chunk.work_off(run=run)
        run.refresh_from_db()
    assert (beside.state, beside.reason) == (Run.State.FINISHED, "")
    assert plugged.state == Run.State.STOPPED
    assert "“nearest” must be one of letters, not 'mine'" in plugged.reason


def test_weights_that_are_not_allowed_any_more_stop_the_run(study, settings, tmp_path):
    settings.JUDGE_WEIGHTS = [str(tmp_path)]
    (tmp_path / "found.json").write_text("{}")
    given = {"objects.checkpoint": str(tmp_path / "found.json")}
    run = lifecycle.start_run(study=study, name="geneval-from-file", options=given)
    settings.JUDGE_WEIGHTS = []
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    assert run.state == Run.State.STOPPED
    assert "JUDGE_WEIGHTS" in run.reason
