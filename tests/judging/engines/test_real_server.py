"""`transformers serve`, a real server, with a small random LLaVA: what judges make of its replies."""

import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from judges.models import Run
from judges.runs import lifecycle, score_chunk
from jurybox_judging import registry
from tests import making
from tests.judging.engines.tiny_llava import save_llava
from tests.waiting import PATIENCE, reserve_port, wait_until

pytestmark = [
    pytest.mark.nightly("a real model server; test_openai_server.py has a stand-in"),
    pytest.mark.neural,
    pytest.mark.django_db,
]

ROOT = Path(__file__).resolve().parents[3]
START = "tests.judging.engines.serve_transformers"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address, and the checkpoint that it serves."""
    checkpoint, port = save_llava(tmp_path_factory.mktemp("llava")), reserve_port()
    words = [
        "serve",
        str(checkpoint),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--device",
        "cpu",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", START, *words],
        cwd=ROOT,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: _answers(f"http://127.0.0.1:{port}/health", process), "the first answer")
        yield f"http://127.0.0.1:{port}/v1", str(checkpoint)
    finally:
        process.kill()
        process.wait()


def _answers(address: str, process: subprocess.Popen) -> bool:
    assert process.poll() is None, "the server ended"
    try:
        urllib.request.urlopen(address, timeout=PATIENCE).close()
    except OSError:
        return False
    return True


def run(server, study, judge, part, **more):
    address, checkpoint = server
    registry.forget_engines()
    pace = {"pause": 0.01, "attempts": 2}
    given = {"base_url": address, "checkpoint": checkpoint, "system": "", **pace, **more}
    options = {f"{part}.{name}": value for name, value in given.items()}
    run = lifecycle.start_run(study=study, name=judge, options={"self_test": False, **options})
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    return run


def test_a_server_without_log_probabilities_leaves_no_score_and_says_why(server):
    ended = run(server, making.study(prompts=1), "vqa-score-server", "answers")
    assert ended.state == Run.State.FINISHED
    errors = set(ended.scores.values_list("value", "error"))
    words = "The server sends no log-probabilities, and without them there is no score."
    assert errors == {(None, words)}


def test_with_the_self_test_such_a_run_ends_before_its_first_score(server):
    address, checkpoint = server
    registry.forget_engines()
    options = {"base_url": address, "checkpoint": checkpoint, "system": ""}
    options = {f"answers.{name}": value for name, value in options.items()}
    study = making.study(prompts=1)
    ended = lifecycle.start_run(study=study, name="soft-tifa-gm-server", options=options)
    score_chunk.work_off(run=ended)
    ended.refresh_from_db()
    assert ended.state == Run.State.STOPPED
    assert "no log-probabilities" in ended.reason
    assert not ended.scores.exists()


def test_a_conversation_with_it_is_scored(server):
    study = making.study(prompts=1)
    study.prompts.get().atoms.update(expected="Yes")
    ended = run(server, study, "dsg-server", "talk")
    assert ended.state == Run.State.FINISHED
    # A model of random numbers says neither yes nor no: no question is met, and none failed.
    assert set(ended.scores.values_list("value", "error")) == {(0.0, "")}
