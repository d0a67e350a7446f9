from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

import pytest
from django.utils import timezone

from annotations.models import Image
from judges.models import AtomScore, Chunk, Judge, Run, Score
from judges.runs import lifecycle, save_scores, score_chunk
from judges.signals import scores_changed
from jurybox_judging import catalogue
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.options import Optioned, real
from jurybox_judging.protocols import AtomJudgement, Judgement, Similarity, Unscored
from jurybox_judging.recipes.entry import Entry

pytestmark = pytest.mark.django_db


class Eyes:
    """An engine that sees how red a picture is."""

    identity = "tests:Eyes"
    version = "test-1"
    batch = 1
    facts: ClassVar = {"device": "cpu"}

    def load(self):
        pass

    def similarities(self, pairs):
        return [picture.getpixel((0, 0))[0] / 255 for picture, _ in pairs]


@dataclass(frozen=True, kw_only=True)
class Redness(Optioned):
    """Scores the red of the first pixel; `version` and options are its identity."""

    fail_on: int | None = real(None, "A red.", minimum=0, maximum=255)
    refuse_on: int | None = real(None, "A red.", minimum=0, maximum=255)

    identity: ClassVar[str] = "tests:Redness"
    version: ClassVar[str] = "1"

    def wants(self, subject, seen):
        return [Similarity("red")] if Similarity("red") not in seen else []

    def judge(self, subject, seen):
        red = seen[Similarity("red")]
        if round(255 * red) == self.fail_on:
            raise RuntimeError("a fuse blew")
        if round(255 * red) == self.refuse_on:
            return Unscored("I do not look at this.")
        return Judgement(red, atoms=(AtomJudgement(0, 1.0), AtomJudgement(1, 0.5)))


def entry(**more):
    parts = {"similarity": (f"{__name__}:Eyes", {})}
    return Entry("Redness", f"{__name__}:Redness", parts, {"self_test": False}, **more)


@pytest.fixture(autouse=True)
def redness(monkeypatch):
    monkeypatch.setitem(catalogue.JUDGES, "redness", entry())
    monkeypatch.setattr(lifecycle, "CHUNK_SIZE", 3)


def work(run: Run) -> None:
    for chunk in lifecycle.chunks_to_wake(run=run):
        score_chunk.score_chunk(chunk_id=chunk)
    run.refresh_from_db()


def test_a_run_scores_every_image_once_and_ends_by_itself(study):
    run = lifecycle.start_run(study=study, name="redness")
    assert run.expected == 8
    assert [len(c.images) for c in run.chunks.all()] == [3, 3, 2]
    work(run)
    assert run.state == Run.State.FINISHED
    assert run.finished_at is not None
    values = dict(run.scores.values_list("image__key", "value"))
    # The pictures of prompt n have red = n.
    assert values == {f"{g}-{n}": n / 255 for n in range(4) for g in ("early", "late")}
    assert AtomScore.objects.count() == 16


def test_a_message_delivered_twice_leaves_one_score(study):
    run = lifecycle.start_run(study=study, name="redness")
    chunks = lifecycle.chunks_to_wake(run=run)
    for chunk in [*chunks, *chunks]:
        score_chunk.score_chunk(chunk_id=chunk)
    assert Score.objects.count() == 8


def test_a_slow_worker_whose_lease_was_given_away_adds_nothing(study):
    run = lifecycle.start_run(study=study, name="redness")
    image = Image.objects.select_related("prompt").first()
    assert save_scores.save_score(run=run, image=image, result=Judgement(0.1))
    assert not save_scores.save_score(run=run, image=image, result=Judgement(0.9))
    assert Score.objects.get().value == 0.1


def test_what_a_dead_worker_held_is_scored_by_the_next_one(study):
    run = lifecycle.start_run(study=study, name="redness")
    chunk = run.chunks.first()
    chunk.state, chunk.holder = Chunk.State.LEASED, "gone"
    chunk.leased_until = timezone.now() - timedelta(seconds=1)
    chunk.save()
    work(run)
    assert run.state == Run.State.RUNNING
    assert run.scores.count() == 5
    assert lifecycle.reap() == 1
    work(run)
    assert run.state == Run.State.FINISHED
    assert run.scores.count() == 8


def test_a_lease_of_a_clock_that_was_ahead_is_taken_back(study):
    """Else its images would wait for an hour."""
    run = lifecycle.start_run(study=study, name="redness")
    run.chunks.update(state=Chunk.State.LEASED, leased_until=timezone.now() + timedelta(hours=1))
    assert lifecycle.reap() == run.chunks.count()
    score_chunk.work_off(run=run)
    assert run.scores.count() == 8


def test_a_call_of_a_clock_that_was_ahead_is_made_again(study):
    run = lifecycle.start_run(study=study, name="redness")
    run.chunks.update(woken_at=timezone.now() + timedelta(hours=1))
    assert len(lifecycle.chunks_to_wake(run=run)) == run.chunks.count()


def test_a_worker_with_other_code_scores_nothing_and_says_so(study, monkeypatch):
    run = lifecycle.start_run(study=study, name="redness")
    monkeypatch.setattr(Redness, "version", "2")
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    assert (run.state, run.scores.count()) == (Run.State.STOPPED, 0)
    assert "method version was “1” and is “2” here" in run.reason


def test_a_lease_that_still_runs_is_left_alone(study):
    run = lifecycle.start_run(study=study, name="redness")
    run.chunks.update(state=Chunk.State.LEASED, leased_until=timezone.now() + timedelta(seconds=30))
    assert lifecycle.reap() == 0
    assert lifecycle.chunks_to_wake(run=run) == []


def test_a_chunk_in_other_hands_is_not_taken_from_them(study):
    run = lifecycle.start_run(study=study, name="redness")
    chunk = run.chunks.first()
    until = timezone.now() + timedelta(seconds=30)
    Chunk.objects.filter(pk=chunk.pk).update(
        state=Chunk.State.LEASED, holder="somebody", leased_until=until
    )
    score_chunk.score_chunk(chunk_id=chunk.pk)
    assert run.scores.count() == 0
    assert Chunk.objects.get(pk=chunk.pk).holder == "somebody"


def test_an_image_that_killed_three_workers_is_left_out_with_the_reason(study):
    run = lifecycle.start_run(study=study, name="redness")
    chunk = run.chunks.first()
    deadly = chunk.images[0]
    Chunk.objects.filter(pk=chunk.pk).update(in_hand=deadly, deaths=3)
    work(run)
    assert run.state == Run.State.FINISHED
    score = Score.objects.get(image_id=deadly)
    assert score.value is None
    assert score.error == "3 workers died while they were scoring this image."
    assert Score.objects.filter(value__isnull=False).count() == 7


def test_a_judge_that_fails_on_one_image_leaves_no_score_and_the_reason(study):
    run = lifecycle.start_run(study=study, name="redness", options={"fail_on": 2, "refuse_on": 3})
    work(run)
    assert run.state == Run.State.FINISHED
    errors = dict(Score.objects.filter(value__isnull=True).values_list("image__key", "error"))
    blown = "The judge failed on this image: RuntimeError: a fuse blew"
    refused = "I do not look at this."
    assert errors == {
        "early-2": blown,
        "late-2": blown,
        "early-3": refused,
        "late-3": refused,
    }


def test_a_file_that_is_gone_is_said(study, media):
    image = Image.objects.get(key="early-1")
    (media / image.file).unlink()
    run = lifecycle.start_run(study=study, name="redness")
    work(run)
    # Both generators drew the same pixels, so both images share the one stored file.
    errors = set(Score.objects.filter(value__isnull=True).values_list("error", flat=True))
    assert errors == {"The file of this image is gone from the storage."}


def test_a_file_with_broken_pixels_fails_alone(study, media):
    image = Image.objects.get(key="late-3")
    path = media / image.file
    path.write_bytes(path.read_bytes()[:40])
    run = lifecycle.start_run(study=study, name="redness")
    work(run)
    failed = Score.objects.filter(value__isnull=True)
    assert {score.image.key for score in failed} == {"late-3"}
    assert all("cannot be read" in score.error for score in failed)


def test_a_cancelled_run_keeps_its_scores_and_takes_no_more(study):
    run = lifecycle.start_run(study=study, name="redness")
    chunks = lifecycle.chunks_to_wake(run=run)
    score_chunk.score_chunk(chunk_id=chunks[0])
    lifecycle.cancel_run(run=run)
    for chunk in chunks:
        score_chunk.score_chunk(chunk_id=chunk)
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    assert run.scores.count() == 3


@pytest.fixture
def told():
    """The studies of which others were told that a run has ended."""
    ended: list[int] = []

    def receive(sender, **told):
        if told["ended"]:
            ended.append(told["study_id"])

    scores_changed.connect(receive)
    yield ended
    scores_changed.disconnect(receive)


@pytest.mark.parametrize(
    "end",
    [
        lambda run: lifecycle.cancel_run(run=run),
        lambda run: lifecycle.stop_run(run=run, reason="The disk is full."),
        work,
    ],
)
def test_however_a_run_ends_the_others_are_told_once(
    study, end, told, django_capture_on_commit_callbacks
):
    run = lifecycle.start_run(study=study, name="redness")
    with django_capture_on_commit_callbacks(execute=True):
        end(run)
        end(run)
        lifecycle.reap()
    assert told == [study.pk]


def test_a_run_that_the_reaper_ends_is_told_too(study, told, django_capture_on_commit_callbacks):
    run = lifecycle.start_run(study=study, name="redness")
    # As a worker leaves it that was killed after its last chunk.
    run.chunks.update(state=Chunk.State.DONE)
    with django_capture_on_commit_callbacks(execute=True):
        lifecycle.reap()
    assert told == [study.pk]


def test_a_resumed_run_scores_only_what_is_missing(study):
    run = lifecycle.start_run(study=study, name="redness")
    score_chunk.score_chunk(chunk_id=lifecycle.chunks_to_wake(run=run)[0])
    lifecycle.cancel_run(run=run)
    before = set(run.scores.values_list("pk", flat=True))
    run.refresh_from_db()
    run = lifecycle.resume_run(run=run)
    assert sum(len(c.images) for c in run.chunks.all()) == 5
    work(run)
    assert run.state == Run.State.FINISHED
    assert before < set(run.scores.values_list("pk", flat=True))
    assert run.scores.count() == 8


def test_cancelled_in_the_middle_of_a_chunk_a_run_stops_after_the_image_in_hand(study, monkeypatch):
    monkeypatch.setattr(save_scores, "WRITE_EVERY", 0)
    run = lifecycle.start_run(study=study, name="redness")
    similarities = Eyes.similarities

    def look_and_cancel(engine, pairs):
        lifecycle.cancel_run(run=run)
        return similarities(engine, pairs)

    monkeypatch.setattr(Eyes, "similarities", look_and_cancel)
    score_chunk.score_chunk(chunk_id=lifecycle.chunks_to_wake(run=run)[0])
    assert run.scores.count() == 1
    assert not run.chunks.filter(state=Chunk.State.LEASED).exists()


def test_starting_the_same_judge_again_takes_up_its_run(study):
    run = lifecycle.start_run(study=study, name="redness")
    assert lifecycle.start_run(study=study, name="redness") == run
    work(run)
    again = lifecycle.start_run(study=study, name="redness")
    assert again == run
    assert again.state == Run.State.FINISHED
    assert Judge.objects.count() == 1


def test_failed_judgements_are_tried_again_by_a_resumed_run(study, media):
    image = Image.objects.get(key="early-1")
    content = (media / image.file).read_bytes()
    (media / image.file).unlink()
    run = lifecycle.start_run(study=study, name="redness")
    work(run)
    assert run.scores.filter(value__isnull=True).count() == 1
    (media / image.file).write_bytes(content)
    run = lifecycle.resume_run(run=run)
    work(run)
    assert run.scores.filter(value__isnull=False).count() == 8


def test_other_options_are_another_judge_with_another_fingerprint(study):
    first = lifecycle.start_run(study=study, name="redness")
    second = lifecycle.start_run(study=study, name="redness", options={"fail_on": 9})
    assert first.judge.fingerprint != second.judge.fingerprint
    assert second.judge.options == {"self_test": False, "fail_on": 9}


def test_an_unknown_judge_and_an_unknown_option_are_refused_in_words(study):
    with pytest.raises(JudgeRefused, match="no judge named “nobody”"):
        lifecycle.start_run(study=study, name="nobody")
    with pytest.raises(JudgeRefused, match="does not take these options.*speed"):
        lifecycle.start_run(study=study, name="redness", options={"speed": 3})
    assert not Run.objects.exists()
    assert not Judge.objects.exists()


def test_a_study_without_images_starts_no_run(study):
    Image.objects.all().delete()
    with pytest.raises(JudgeRefused, match="no images yet"):
        lifecycle.start_run(study=study, name="redness")
    assert not Run.objects.exists()


def test_a_judge_that_this_machine_cannot_run_waits_for_another_with_the_reason(study, monkeypatch):
    run = lifecycle.start_run(study=study, name="redness")
    monkeypatch.setitem(catalogue.JUDGES, "redness", entry(needs=("no_such_module",)))
    for chunk_id in run.chunks.values_list("pk", flat=True):
        score_chunk.score_chunk(chunk_id=chunk_id)
    run.refresh_from_db()
    assert run.state == Run.State.RUNNING
    assert "Needs no_such_module" in run.reason


def test_chunks_are_called_for_once_a_minute_and_not_for_ended_runs(study):
    run = lifecycle.start_run(study=study, name="redness")
    assert len(lifecycle.chunks_to_wake()) == 3
    assert lifecycle.chunks_to_wake() == []
    Chunk.objects.update(woken_at=timezone.now() - timedelta(seconds=61))
    assert len(lifecycle.chunks_to_wake()) == 3
    Chunk.objects.update(woken_at=None)
    lifecycle.cancel_run(run=run)
    assert lifecycle.chunks_to_wake() == []


def test_the_scores_follow_the_pixels_when_pictures_are_swapped(study):
    one, two = Image.objects.get(key="early-0"), Image.objects.get(key="early-3")
    one.file, two.file = two.file, one.file
    one.save()
    two.save()
    run = lifecycle.start_run(study=study, name="redness")
    work(run)
    values = dict(run.scores.values_list("image__key", "value"))
    assert (values["early-0"], values["early-3"]) == (3 / 255, 0)
