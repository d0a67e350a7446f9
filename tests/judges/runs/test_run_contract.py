"""What every judge may rely on, whatever its engines are: here one that looks for objects and one
that asks questions. Each disturbance ends in a finished run, or in a stopped one with a sentence
that can be resumed; and the scores are those of a run that nobody disturbed."""

import errno
import weakref
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import ClassVar

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.database import bulk
from annotations.models import Image
from annotations.pictures.store import open_picture
from judges.looks import gather
from judges.looks import store as look_store
from judges.models import AtomScore, Chunk, Look, Run, Score
from judges.runs import chunk_lease, lifecycle, save_scores, score_chunk
from jurybox_judging import ask_engine, catalogue, registry, scorer
from jurybox_judging.errors import EngineRefused, MemoryFull, Passing
from jurybox_judging.options import Declared, whole
from jurybox_judging.protocols import Answer, Judgement, Question
from jurybox_judging.recipes.entry import Entry
from tests import making

pytestmark = pytest.mark.django_db

BATCH = 4
ART = Question("Is it art?", ("Yes",))


@dataclass(eq=False)
class Engine(Declared):
    """Tells from the red of a picture: an odd one shows a red circle."""

    batch: int = whole(BATCH, "Pictures in one call.", minimum=1, maximum=64)

    identity = "tests:Engine"
    version = "1"
    classes = ("circle",)
    facts: ClassVar[dict[str, str]] = {"checkpoint": "made up"}
    calls: ClassVar[list[list[int]]] = []
    asked: ClassVar[Counter] = Counter()
    loads: ClassVar[int] = 0
    faint: ClassVar[int] = 0

    @staticmethod
    def trouble(reds):
        """What a test lets happen before a call with these pictures is answered."""

    def load(self):
        type(self).loads += 1

    def detect(self, images, classes=()):
        found = [{"class": "circle", "score": 0.5, "box": (0, 0, 8, 8), "color": "red"}]
        guesses = [{"class": "circle", "score": 0.01, "box": (0, 0, 8, 8)}] * self.faint
        return [(found if red % 2 else []) + guesses for red in self._reds(images)]

    def answer(self, asked):
        for _, questions in asked:
            self.asked.update(question.text for question in questions)
        reds = self._reds([image for image, _ in asked])
        return [
            [Answer((red + 1) / 10, tokens=(("Yes", (red + 1) / 10),)) for _ in questions]
            for red, (_, questions) in zip(reds, asked, strict=True)
        ]

    def _reds(self, images):
        reds = [image.getpixel((0, 0))[0] for image in images]
        self.calls.append(reds)
        self.trouble(reds)
        return reds


class Killed(BaseException):
    """As if by kill -9: nothing is tidied up."""


ENGINE = (f"{__name__}:Engine", {})
METHODS = {
    "looks-for-objects": (
        "jurybox_judging.methods.geneval:GenEval",
        "objects",
        lambda red: red % 2,
    ),
    "asks-questions": (
        "jurybox_judging.methods.soft_tifa:SoftTifa",
        "answers",
        lambda red: (red + 1) / 10,
    ),
}


@pytest.fixture(params=METHODS)
def judge(request, monkeypatch):
    for name, (method, kind, _) in METHODS.items():
        entry = Entry(name, method, {kind: ENGINE}, {"self_test": False})
        monkeypatch.setitem(catalogue.JUDGES, name, entry)
    monkeypatch.setattr(Engine, "calls", [])
    monkeypatch.setattr(Engine, "asked", Counter())
    monkeypatch.setattr(lifecycle, "CHUNK_SIZE", 8)
    monkeypatch.setattr(ask_engine.time, "sleep", lambda seconds: None)
    registry.forget_engines()
    return request.param


@pytest.fixture
def study(db):
    """Twelve images of as many prompts: each generator's n-th picture has red = n."""
    return making.study(prompts=6)


def trouble(monkeypatch, function):
    monkeypatch.setattr(Engine, "trouble", staticmethod(function))


def start(study, judge, **options):
    return lifecycle.start_run(study=study, name=judge, options=options)


def work(run):
    for chunk in lifecycle.chunks_to_wake(run=run):
        score_chunk.score_chunk(chunk_id=chunk)
    run.refresh_from_db()


def wake_again(run):
    """The clock goes on: what dead workers held runs out, and is called for."""
    run.chunks.filter(state=Chunk.State.LEASED).update(
        leased_until=timezone.now() - timedelta(seconds=1)
    )
    lifecycle.reap()
    run.chunks.update(woken_at=None)
    run.refresh_from_db()


def expected(judge, *, without=()):
    told = METHODS[judge][2]
    return {
        f"{generator}-{n}": pytest.approx(told(n))
        for n in range(6)
        for generator in ("early", "late")
        if n not in without
    }


def scored(run):
    return dict(run.scores.filter(value__isnull=False).values_list("image__key", "value"))


def reasons(run):
    return dict(run.scores.filter(value__isnull=True).values_list("image__key", "error"))


def assert_undisturbed(run, judge):
    assert run.state == Run.State.FINISHED
    assert scored(run) == expected(judge)
    if judge == "asks-questions":
        assert AtomScore.objects.filter(score__run=run).count() == 24


# --- nothing happens


def test_pictures_are_looked_at_in_batches_and_each_once(study, judge):
    run = start(study, judge)
    work(run)
    assert_undisturbed(run, judge)
    assert [len(call) for call in Engine.calls] == [4, 4, 4]


def test_what_was_told_is_kept_and_no_picture_is_opened_again(study, judge, monkeypatch):
    work(start(study, judge))
    monkeypatch.setattr(gather, "open_picture", None)
    Engine.calls.clear()
    other = {"threshold": 0.6} if judge == "looks-for-objects" else {"mean": "arithmetic"}
    again = start(study, judge, **other)
    work(again)
    assert again.state == Run.State.FINISHED
    assert reasons(again) == {}
    assert Engine.calls == []
    if judge == "looks-for-objects":
        # The circles are told with 0.5.
        assert set(scored(again).values()) == {0.0}


def test_another_engine_is_asked_anew(study, judge, monkeypatch):
    work(start(study, judge))
    Engine.calls.clear()
    monkeypatch.setattr(Engine, "facts", {"checkpoint": "another"})
    again = start(study, judge)
    work(again)
    assert_undisturbed(again, judge)
    assert sum(map(len, Engine.calls)) == 12


def test_a_look_tells_the_engines_seconds_alone(study, judge, monkeypatch):
    # Of four pictures two fit into the memory. A call takes eight seconds, saving a hundred; about
    # each picture the second judge asks two questions.
    clock = [0.0]

    def passes(seconds):
        clock[0] += seconds

    def two_at_most(reds):
        if len(reds) > 2:
            raise MemoryFull("made up")
        passes(8)

    saved = look_store.LookTable.save
    monkeypatch.setattr(scorer, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    slow = lambda table, rows: (saved(table, rows), passes(100))  # noqa: E731
    monkeypatch.setattr(look_store.LookTable, "save", slow)
    trouble(monkeypatch, two_at_most)
    work(start(study, judge))
    each = 8 / 2 if judge == "looks-for-objects" else 8 / 2 / 2
    assert set(Look.objects.values_list("seconds", flat=True)) == {each}


def test_a_score_tells_how_long_it_took(study, judge):
    run = start(study, judge)
    work(run)
    assert all(seconds > 0 for seconds in run.scores.values_list("seconds", flat=True))


@pytest.mark.parametrize("judge", ["asks-questions"], indirect=True)
def test_the_questions_of_a_judge_that_runs_too_are_asked_in_the_same_call(
    study, judge, monkeypatch
):
    entry = Entry("More", f"{__name__}:AsksMore", {"answers": ENGINE}, {"self_test": False})
    monkeypatch.setitem(catalogue.JUDGES, "asks-more", entry)
    first, more = start(study, judge), start(study, "asks-more")
    work(first)
    assert Engine.asked[ART.text] == 12
    Engine.calls.clear()
    work(more)
    assert Engine.calls == []
    assert len(scored(more)) == 12


class AsksMore:
    identity = "tests:AsksMore"
    version = "1"

    def wants(self, subject, seen):
        return [] if ART in seen else [ART]

    def judge(self, subject, seen):
        return Judgement(seen[ART].probability)


# --- a picture is at fault


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("I do not look at threes."), "I do not look at threes."),
        (
            RuntimeError("a fuse blew"),
            "The judge failed on this image: RuntimeError: a fuse blew",
        ),
    ],
)
def test_a_poisoned_image_fails_alone_with_its_reason(study, judge, monkeypatch, error, reason):
    def poison(reds):
        if 3 in reds:
            raise error

    trouble(monkeypatch, poison)
    run = start(study, judge)
    work(run)
    assert run.state == Run.State.FINISHED
    assert scored(run) == expected(judge, without={3})
    assert set(reasons(run)) == {"early-3", "late-3"}
    assert all(reason in told for told in reasons(run).values())
    # Resumed after the repair, only what is missing is looked at.
    Engine.calls.clear()
    trouble(monkeypatch, lambda reds: None)
    run = lifecycle.resume_run(run=run)
    work(run)
    assert_undisturbed(run, judge)
    assert {red for call in Engine.calls for red in call} == {3}


def test_a_corrupt_file_fails_alone(study, judge, media):
    for image in Image.objects.filter(key__endswith="-2"):
        path = media / image.file
        path.write_bytes(path.read_bytes()[:40])
    run = start(study, judge)
    work(run)
    assert run.state == Run.State.FINISHED
    assert scored(run) == expected(judge, without={2})
    assert all("cannot be read" in reason for reason in reasons(run).values())


def test_an_image_that_kills_its_workers_is_told_from_its_neighbours(study, judge, monkeypatch):
    def kill(reds):
        if 5 in reds:
            raise Killed

    trouble(monkeypatch, kill)
    run = start(study, judge)
    for _ in range(20):
        for chunk in lifecycle.chunks_to_wake(run=run):
            with pytest.raises(Killed) if _kills(chunk) else _nothing():
                score_chunk.score_chunk(chunk_id=chunk)
        wake_again(run)
        if run.state == Run.State.FINISHED:
            break
    assert scored(run) == expected(judge, without={5})
    assert set(reasons(run)) == {"early-5", "late-5"}
    assert all("workers died" in reason for reason in reasons(run).values())


def _kills(chunk_id):
    """Whether the next attempt at the chunk will come upon a deadly image that is not known yet."""
    chunk = Chunk.objects.get(pk=chunk_id)
    left = Image.objects.filter(pk__in=chunk.images).exclude(scores__run=chunk.run)
    deadly = left.filter(key__endswith="-5").order_by("prompt_id", "pk")
    known = chunk.in_hand if chunk.deaths >= score_chunk.DEADLY_AFTER else None
    return deadly.exclude(pk=known).exists()


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


# --- the machine is at fault


def test_out_of_memory_the_batch_is_halved_and_the_run_goes_on(study, judge, monkeypatch):
    def full(reds):
        if len(reds) > 1:
            raise MemoryFull("CUDA out of memory")

    trouble(monkeypatch, full)
    run = start(study, judge)
    work(run)
    assert_undisturbed(run, judge)
    # 4 and 2 did not fit; from then on it is 1 for the life of the worker.
    assert [len(call) for call in Engine.calls] == [4, 2, *[1] * 12]


def test_a_picture_that_alone_fills_the_memory_stays_unscored(study, judge, monkeypatch):
    def full(reds):
        if 1 in reds:
            raise MemoryFull("CUDA out of memory")

    trouble(monkeypatch, full)
    run = start(study, judge)
    work(run)
    assert run.state == Run.State.FINISHED
    assert scored(run) == expected(judge, without={1})
    assert all("too large for the memory" in reason for reason in reasons(run).values())


def test_what_passes_is_waited_for_as_long_as_the_server_says(study, judge, monkeypatch):
    waits = []
    monkeypatch.setattr(ask_engine.time, "sleep", waits.append)
    troubles = iter([Passing("busy", retry_after=7), Passing("busy"), None])

    def busy(reds):
        error = next(troubles, None)
        if error:
            raise error

    trouble(monkeypatch, busy)
    run = start(study, judge)
    work(run)
    assert_undisturbed(run, judge)
    assert waits == [7, 2]


def test_what_does_not_pass_stops_the_run_with_a_sentence(study, judge, monkeypatch):
    def away(reds):
        raise Passing("no route to host.")

    trouble(monkeypatch, away)
    run = start(study, judge)
    work(run)
    assert run.state == Run.State.STOPPED
    assert run.reason == "The engine could not be reached: no route to host. Resume the run later."
    assert len(Engine.calls) == ask_engine.USUAL.attempts
    trouble(monkeypatch, lambda reds: None)
    run = lifecycle.resume_run(run=run)
    work(run)
    assert_undisturbed(run, judge)


def test_weights_that_do_not_fit_stop_the_run_with_their_names(study, judge, monkeypatch):
    def refused(reds):
        raise EngineRefused("The weights lack: head.weight.")

    trouble(monkeypatch, refused)
    run = start(study, judge)
    work(run)
    assert (run.state, run.reason) == (Run.State.STOPPED, "The weights lack: head.weight.")
    assert run.scores.count() == 0
    trouble(monkeypatch, lambda reds: None)
    run = lifecycle.resume_run(run=run)
    work(run)
    assert_undisturbed(run, judge)


@pytest.mark.parametrize("rows", [Look, Score])
@pytest.mark.parametrize(
    "error",
    [
        OperationalError("database or disk is full"),
        OSError(errno.ENOSPC, "No space left on device"),
    ],
)
def test_on_a_full_disk_the_run_is_stopped_with_a_sentence(study, judge, monkeypatch, rows, error):
    insert, create = bulk.insert, type(Look.objects).bulk_create

    def no_room(write):
        def full(model, *args, **kwargs):
            if rows in (model, getattr(model, "model", None)):
                raise error
            return write(model, *args, **kwargs)

        return full

    with monkeypatch.context() as disk:
        disk.setattr(bulk, "insert", no_room(insert))
        disk.setattr(type(Look.objects), "bulk_create", no_room(create))
        run = start(study, judge)
        work(run)
    assert run.state == Run.State.STOPPED
    assert run.reason.startswith("The disk is full. Make room, then resume the run")
    assert not run.chunks.filter(state=Chunk.State.LEASED).exists()
    run = lifecycle.resume_run(run=run)
    work(run)
    assert_undisturbed(run, judge)


@pytest.mark.django_db(transaction=True)
def test_when_sqlite_itself_finds_no_room_the_run_is_finished_after_it_is_made(
    study, judge, monkeypatch
):
    if connection.vendor != "sqlite":
        pytest.skip("a limit that only SQLite knows")
    # Rows so large that no room on a page which is there already takes them.
    monkeypatch.setattr(Engine, "faint", 1000)
    run = start(study, judge)
    with connection.cursor() as cursor:
        (pages,) = cursor.execute("PRAGMA page_count").fetchone()
        (most,) = cursor.execute("PRAGMA max_page_count").fetchone()
        (free,) = cursor.execute("PRAGMA freelist_count").fetchone()
        cursor.execute(f"PRAGMA max_page_count = {pages}")
        # No page is left, neither new nor used before.
        if free:
            cursor.execute("CREATE TABLE filler (bytes BLOB)")
            with suppress(OperationalError):
                for _ in range(10 * free):
                    cursor.execute("INSERT INTO filler VALUES (zeroblob(500))")
    try:
        for _ in range(3):
            Look.objects.all().delete()
            work(run)
            if run.state != Run.State.RUNNING:
                break
            wake_again(run)
        assert run.state == Run.State.STOPPED
        assert run.reason.startswith("The disk is full.")
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA max_page_count = {most}")
            cursor.execute("DROP TABLE IF EXISTS filler")
    run = lifecycle.resume_run(run=run)
    work(run)
    assert_undisturbed(run, judge)


def test_on_a_disk_too_full_to_say_so_the_work_comes_again(study, judge, monkeypatch):
    def full(*args, **kwargs):
        raise OperationalError("database or disk is full")

    run = start(study, judge)
    with monkeypatch.context() as disk:
        disk.setattr(save_scores.Scores, "write", full)
        disk.setattr(lifecycle, "stop_run", full)
        disk.setattr(chunk_lease.ChunkLease, "give_back", full)
        work(run)
    assert run.state == Run.State.RUNNING
    wake_again(run)
    work(run)
    assert_undisturbed(run, judge)


@pytest.mark.parametrize(("every", "written"), [(0, 4), (3600, 0)])
def test_a_worker_killed_between_two_batches_costs_nothing_that_was_told(
    study, judge, monkeypatch, every, written
):
    monkeypatch.setattr(save_scores, "WRITE_EVERY", every)
    calls = []

    def kill(reds):
        calls.append(reds)
        if len(calls) == 2:
            raise Killed

    trouble(monkeypatch, kill)
    run = start(study, judge)
    with pytest.raises(Killed):
        work(run)
    assert run.scores.count() == written
    wake_again(run)
    work(run)
    assert_undisturbed(run, judge)
    # The four of the batch that died were asked about twice, the others once.
    assert sum(map(len, calls)) == 12 + 4


def test_a_killed_worker_finds_what_was_told_and_not_yet_scored(study, judge, monkeypatch):
    def kill(scores):
        raise Killed

    monkeypatch.setattr(save_scores, "WRITE_EVERY", 0)
    run = start(study, judge)
    with monkeypatch.context() as death:
        death.setattr(save_scores.Scores, "write", kill)
        with pytest.raises(Killed):
            work(run)
    told = sum(map(len, Engine.calls))
    wake_again(run)
    work(run)
    assert_undisturbed(run, judge)
    assert sum(map(len, Engine.calls)) == 12
    assert told == 4


def test_what_is_decided_within_a_second_is_written_together(study, judge, monkeypatch):
    monkeypatch.setattr(save_scores, "WRITE_EVERY", 3600)
    written = []
    insert = save_scores.insert_scores
    monkeypatch.setattr(
        save_scores,
        "insert_scores",
        lambda run, scored: written.append(len(scored)) or insert(run, scored),
    )
    run = start(study, judge)
    work(run)
    # Two chunks, of two batches and of one.
    assert sorted(written) == [4, 8]
    assert_undisturbed(run, judge)


def test_whatever_ends_the_work_what_is_decided_is_kept(study, judge, monkeypatch):
    monkeypatch.setattr(save_scores, "WRITE_EVERY", 3600)
    calls = []

    def fail(reds):
        calls.append(reds)
        if len(calls) == 2:
            raise EngineRefused("It went away.")

    trouble(monkeypatch, fail)
    run = start(study, judge)
    work(run)
    assert (run.state, run.scores.count(), run.scored) == (Run.State.STOPPED, 4, 4)
    assert run.reason == "It went away."


def test_decisions_that_cannot_be_written_do_not_hide_why_the_work_ended(study, judge, monkeypatch):
    monkeypatch.setattr(save_scores, "WRITE_EVERY", 3600)

    def fail(reds):
        if Engine.calls[1:]:
            raise EngineRefused("It went away.")

    def full(run, scored):
        raise OperationalError("database or disk is full")

    trouble(monkeypatch, fail)
    monkeypatch.setattr(save_scores, "insert_scores", full)
    run = start(study, judge)
    work(run)
    assert (run.state, run.scores.count()) == (Run.State.STOPPED, 0)
    assert run.reason == "It went away."


def test_who_lost_the_chunk_writes_nothing_that_was_decided_before(study, judge, monkeypatch):
    monkeypatch.setattr(save_scores, "WRITE_EVERY", 3600)

    def lose(reds):
        if Engine.calls[1:]:
            Chunk.objects.filter(run=run).update(holder="another")

    trouble(monkeypatch, lose)
    run = start(study, judge)
    score_chunk.score_chunk(chunk_id=lifecycle.chunks_to_wake(run=run)[0])
    assert run.scores.count() == 0


# --- people and clocks


def test_a_message_delivered_twice_leaves_one_score(study, judge):
    run = start(study, judge)
    chunks = lifecycle.chunks_to_wake(run=run)
    for chunk in [*chunks, *chunks]:
        score_chunk.score_chunk(chunk_id=chunk)
    run.refresh_from_db()
    assert_undisturbed(run, judge)


def test_a_small_run_is_cut_so_that_workers_can_share_it_and_a_large_one_is_not_crumbled(
    study, judge, monkeypatch
):
    monkeypatch.setattr(lifecycle, "CHUNK_SIZE", 128)
    run = start(study, judge)
    assert [len(chunk.images) for chunk in run.chunks.all()] == [8, 4]
    # Twelve images in three shares.
    monkeypatch.setattr(lifecycle, "SMALLEST_CHUNK", 2)
    monkeypatch.setattr(lifecycle, "SHARES", 3)
    run = start(study, judge, self_test=True)
    assert [len(chunk.images) for chunk in run.chunks.all()] == [4, 4, 4]


def test_cancelled_it_stops_after_the_batch_in_hand_and_resumed_it_scores_the_rest(
    study, judge, monkeypatch
):
    monkeypatch.setattr(save_scores, "WRITE_EVERY", 0)
    run = start(study, judge)
    trouble(monkeypatch, lambda reds: lifecycle.cancel_run(run=run))
    work(run)
    assert run.state == Run.State.CANCELLED
    assert run.scores.count() == 4
    assert not run.chunks.filter(state=Chunk.State.LEASED).exists()
    trouble(monkeypatch, lambda reds: None)
    Engine.calls.clear()
    run = lifecycle.resume_run(run=run)
    work(run)
    assert_undisturbed(run, judge)
    assert sum(map(len, Engine.calls)) == 8


def test_who_lost_the_chunk_writes_nothing(study, judge, monkeypatch):
    run = start(study, judge)
    trouble(monkeypatch, lambda reds: Chunk.objects.update(holder="somebody else"))
    work(run)
    assert run.scores.count() == 0
    assert set(run.chunks.values_list("holder", flat=True)) == {"somebody else"}


def test_a_score_that_is_there_already_is_not_written_over(study, judge, monkeypatch):
    run = start(study, judge)
    image = Image.objects.get(key="late-0")
    trouble(monkeypatch, lambda reds: Score.objects.get_or_create(run=run, image=image, value=0.99))
    work(run)
    assert run.state == Run.State.FINISHED
    assert scored(run) == {**expected(judge), "late-0": 0.99}


def test_changed_weights_are_another_judge(study, judge, monkeypatch):
    run = start(study, judge)
    monkeypatch.setattr(Engine, "facts", {"checkpoint": "retrained"})
    work(run)
    assert run.state == Run.State.STOPPED
    assert "was “made up” and is “retrained” here" in run.reason
    assert run.scores.count() == 0


def test_an_engine_that_fails_its_self_test_scores_nothing(study, judge):
    run = start(study, judge, self_test=True)
    work(run)
    assert run.state == Run.State.STOPPED
    assert run.reason.startswith("Engine failed its self-test: ")
    assert run.scores.count() == 0


def test_pictures_in_memory_are_two_batches_however_many_images_there_are(db, judge, monkeypatch):
    study = making.study("many", prompts=40)
    opened = []
    most = 0

    def open_and_count(file):
        nonlocal most
        picture = open_picture(file)
        opened.append(weakref.ref(picture))
        most = max(most, sum(one() is not None for one in opened))
        return picture

    monkeypatch.setattr(gather, "open_picture", open_and_count)
    monkeypatch.setattr(lifecycle, "SHARES", 2)
    run = start(study, judge)
    work(run)
    assert (run.scores.count(), reasons(run)) == (80, {})
    assert BATCH <= most <= 2 * BATCH + 1


# --- stored looks


def test_looks_of_a_block_are_read_with_one_query_where_all_are_stored(study, judge):
    run = start(study, judge)
    work(run)
    Score.objects.all().delete()
    lifecycle.cancel_run(run=run)
    run = lifecycle.resume_run(run=run)
    with CaptureQueriesContext(connection) as asked:
        score_chunk.score_chunk(chunk_id=lifecycle.chunks_to_wake(run=run)[0])
    reads = [q["sql"] for q in asked if Look._meta.db_table in q["sql"] and "SELECT" in q["sql"]]
    assert run.scores.count() == 8
    # Eight images, which the engine takes in two batches.
    assert len(reads) == 1


def test_what_another_worker_has_stored_meanwhile_is_not_asked_again(study, judge, monkeypatch):
    monkeypatch.setattr(lifecycle, "CHUNK_SIZE", 12)
    monkeypatch.setattr(lifecycle, "SMALLEST_CHUNK", 12)
    third = Image.objects.order_by("prompt_id", "pk").select_related("prompt")[8:]

    def another_worker(reds):
        if len(Engine.calls) == 1:
            with closing(gather.ImageScorer(registry.build(judge, {}))) as other:
                other.finish(other.begin(third))

    trouble(monkeypatch, another_worker)
    run = start(study, judge)
    work(run)
    # All three batches had been looked up before the first one was asked about.
    assert [len(reds) for reds in Engine.calls] == [4, 4, 4]
    assert_undisturbed(run, judge)
