"""A run that can never start comes to an end, with the reason where people look."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.core.management import CommandError, call_command
from django.utils import timezone

from audit.installation import health
from judges import tasks
from judges.models import Chunk, Run
from judges.runs import lifecycle, score_chunk
from tests import making

pytestmark = pytest.mark.django_db
JUDGE = "geneval-builtin"
DIED = (
    "5 workers in a row died or lost the database while they loaded this judge or scored one "
    "image; it may need more memory than there is."
)


class Killed(BaseException):
    """Nothing in a worker catches kill -9."""


@pytest.fixture
def run(study):
    made = lifecycle.start_run(study=study, name=JUDGE)
    assert made.chunks.count() == 1
    return made


def broken(monkeypatch, error: BaseException):
    def ready(*_):
        raise error

    monkeypatch.setattr(score_chunk, "_ready", ready)


def rounds(run: Run, most: int = 12) -> int:
    """What the workers do, until the run stops; how many rounds that took."""
    for number in range(most):
        if not Run.objects.get(pk=run.pk).is_running:
            return number
        # Nobody waits for leases and messages here.
        Chunk.objects.update(woken_at=None)
        Chunk.objects.filter(state=Chunk.State.LEASED).update(
            leased_until=timezone.now() - timedelta(seconds=1)
        )
        lifecycle.reap()
        for chunk in lifecycle.chunks_to_wake():
            with suppress(Killed):
                tasks.score_chunk_task(chunk)
    pytest.fail("the run is running still")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RuntimeError("No CUDA GPUs are available"), "RuntimeError: No CUDA GPUs are available."),
        (MemoryError(), "MemoryError: no message."),
        (KeyError("a layer"), "KeyError: 'a layer'."),
    ],
    ids=["no-cuda", "no-memory", "anything"],
)
def test_a_judge_that_cannot_be_loaded_stops_the_run_after_five_tries(
    run, as_alice, monkeypatch, error, words
):
    broken(monkeypatch, error)
    assert rounds(run) == 5
    reason = f"Tried 5 times. It failed: {words}"
    run.refresh_from_db()
    assert (run.state, run.reason) == (Run.State.STOPPED, reason)
    told = as_alice.get(f"/api/v1/studies/shapes/runs/{run.pk}/").json()
    assert (told["state"], told["reason"]) == ("stopped", reason)
    page = as_alice.get("/studies/shapes/runs/").content.decode()
    assert "stopped by a failure" in page
    assert error.args == () or str(error.args[0]) in page
    assert ">Go on</button>" in page


def test_the_command_that_waits_ends_with_the_reason(study, monkeypatch):
    broken(monkeypatch, RuntimeError("No CUDA GPUs are available"))
    with pytest.raises(CommandError, match="Tried 5 times.*No CUDA GPUs"):
        call_command("run_judge", "shapes", JUDGE, "--wait")


def test_a_judge_that_kills_its_worker_stops_the_run_after_five_deaths(run, monkeypatch):
    broken(monkeypatch, Killed())
    assert rounds(run) == 6  # the last death is noticed by the next worker
    run.refresh_from_db()
    assert (run.state, run.reason) == (Run.State.STOPPED, DIED)


def test_it_is_tried_on_one_chunk_before_the_others(study, run, monkeypatch):
    chunk = run.chunks.get()
    halves = chunk.images[:4], chunk.images[4:]
    Chunk.objects.filter(pk=chunk.pk).update(images=halves[0])
    Chunk.objects.create(run=run, images=halves[1])
    broken(monkeypatch, RuntimeError("No CUDA GPUs are available"))
    rounds(run)
    assert sorted(run.chunks.values_list("tries", flat=True)) == [0, 5]


def test_a_score_between_them_and_the_tries_begin_anew(run):
    chunk = run.chunks.get()
    Chunk.objects.filter(pk=chunk.pk).update(tries=4)
    score_chunk.score_chunk(chunk_id=chunk.pk)
    assert (Chunk.objects.get(pk=chunk.pk).tries, run.scores.count()) == (0, 8)


def test_a_chunk_that_is_slow_but_scores_is_never_given_up(run, monkeypatch):
    score = score_chunk.ImageScorer.finish
    done = []

    def slow(scorer, pending):
        if len(done) % 2:
            done.append("late")
            raise SoftTimeLimitExceeded
        done.append("scored")
        return score(scorer, pending)

    monkeypatch.setattr(score_chunk.ImageScorer, "finish", slow)
    for _ in range(20):
        # Careful: one image at a time.
        Chunk.objects.update(deaths=1)
        score_chunk.score_chunk(chunk_id=run.chunks.get().pk)
    run.refresh_from_db()
    assert (run.state, run.scores.count()) == (Run.State.FINISHED, 8)
    assert done.count("late") > 5


def test_a_judge_that_kills_workers_on_every_image_stops_the_run(run, monkeypatch):
    def deadly(*_):
        raise Killed

    monkeypatch.setattr(score_chunk.ImageScorer, "finish", deadly)
    rounds(run, most=40)
    run.refresh_from_db()
    assert run.reason == (
        "No image was scored, and on each of 3 images 3 workers died. "
        "The judge may need more memory than there is."
    )


def test_who_resumes_it_gets_all_scores_once_the_cause_is_gone(run, as_alice, monkeypatch):
    with monkeypatch.context() as patch:
        broken(patch, RuntimeError("No CUDA GPUs are available"))
        rounds(run)
    assert as_alice.post(f"/studies/shapes/runs/{run.pk}/resume/").status_code == 302
    run.refresh_from_db()
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    assert (run.state, run.reason, run.scores.count()) == (Run.State.FINISHED, "", 8)


def test_doctor_counts_what_was_given_up(run, monkeypatch):
    assert health.given_up().state == "well"
    broken(monkeypatch, RuntimeError("No CUDA GPUs are available"))
    rounds(run)
    found = health.given_up()
    assert (found.state, found.words) == (
        "look",
        "1 runs: tried 5 times in vain. Their pages say why, and try again.",
    )


def test_one_judge_that_fails_holds_up_no_other(study, run, monkeypatch):
    other = lifecycle.start_run(study=study, name="soft-tifa-gm-builtin")
    ready = score_chunk._ready

    def half(run, lease):
        if run.judge.name == JUDGE:
            raise RuntimeError("No CUDA GPUs are available")
        return ready(run, lease)

    monkeypatch.setattr(score_chunk, "_ready", half)
    for _ in range(8):
        Chunk.objects.update(woken_at=None)
        lifecycle.reap()
        for chunk in lifecycle.chunks_to_wake():
            tasks.score_chunk_task(chunk)
    assert Run.objects.get(pk=other.pk).state == Run.State.FINISHED
    assert making.Image.objects.filter(scores__run=other).count() == 8
