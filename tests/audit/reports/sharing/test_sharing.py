"""A report that several workers make, and that uses what earlier ones have computed."""

from __future__ import annotations

import json
import random
from datetime import timedelta

import pytest
from django.utils import timezone

from annotations.models import Job, StoredAnswer
from annotations.versions import raise_labels_version
from audit import tasks
from audit.models import Report, ReportPart
from audit.questions.report.question import request_due_report, request_report
from audit.reports import make as reports
from audit.reports import one_judge, pairing, people_agreement
from audit.reports.progress import Progress
from audit.reports.sharing import benches, rows
from audit.reports.sharing.parts import Part
from audit.reports.sharing.reused import READ
from judges.models import Score
from judges.runs import counts
from tests import making

pytestmark = pytest.mark.django_db
FEW = reports.Options(resamples=100)
# A threshold that is chosen may change with each answer, and then all verdicts do.
CUT = reports.Options(resamples=100, threshold=0.5)
CUTS = ("overall", "by_tag", "by_atomicity", "by_variant", "over_time", "decisions", "closer")


@pytest.fixture
def judged(db, monkeypatch):
    monkeypatch.setattr(reports, "WORTH_SHARING", 0)
    monkeypatch.setattr(benches, "LOOK", 0)
    monkeypatch.setattr(benches, "TAKE_BACK", 0)
    study = making.study(prompts=25, files=False)
    chance = random.Random(4)
    keys = list(study.images.values_list("key", flat=True))
    right = {key: chance.random() < 0.6 for key in keys}
    making.labels(
        study,
        {
            key: {who: right[key] ^ (chance.random() < 0.1) for who in ("ann", "ben")}
            for key in keys
        },
    )
    for name, noise in (("good", 0.4), ("fair", 0.7)):
        judge(study, name, {key: right[key] * 0.5 + noise * chance.random() for key in keys})
    return study


def judge(study, name, scores):
    making.scores(study, {key: min(1.0, score) for key, score in scores.items()}, name=name)
    raise_labels_version(study.pk)


def alone(study):
    return reports.compute(study, FEW)[0]


def stored_parts(**which):
    """Those that were computed; judges' scores are kept as parts, too."""
    return ReportPart.objects.filter(**which).exclude(name__startswith="scores of ")


def made(study, call=lambda: None):
    return reports.make_report(study=study, options=FEW, call=call).body


@pytest.fixture
def computed(monkeypatch):
    """The names of the parts that were computed."""
    names = []
    ours = Part.computed

    def watched(part, step):
        names.append(part.name)
        return ours(part, step)

    monkeypatch.setattr(Part, "computed", watched)
    return names


@pytest.mark.parametrize("helped", [0, 1, 5, 100])
def test_however_many_parts_others_take_the_digits_are_those_of_one(
    judged, computed, monkeypatch, helped
):
    by_one = alone(judged)
    everything = sorted(computed)
    computed.clear()
    here = []

    def call():
        take = rows.take
        with monkeypatch.context() as patch:
            patch.setattr(rows, "take", lambda *a: take(*a) if len(here) < helped else None)
            patch.setattr(rows.TakenPart, "compute", counted(rows.TakenPart.compute, here))
            reports.help_with(judged.pk)

    assert made(judged, call) == by_one
    # Of 15 parts; the difference from the better judge is known only once both are.
    assert len(here) == min(helped, 2 * len(CUTS) + 1)
    # And nothing was computed twice.
    assert sorted(computed) == everything


def counted(compute, here):
    def one_more(taken, step):
        here.append(taken.part.name)
        return compute(taken, step)

    return one_more


def part_jobs():
    return Job.objects.filter(kind="report part")


def test_a_part_whose_worker_was_killed_is_taken_again_after_its_lease(judged, monkeypatch):
    by_one, sleeps, tries = alone(judged), [], []
    mark_used = rows.mark_used

    def note_tries(*given):
        tries.extend(sorted(part_jobs().values_list("tries", flat=True))[-2:])
        mark_used(*given)

    monkeypatch.setattr(rows, "mark_used", note_tries)

    def killed():
        row = rows.first_waiting(judged.pk)
        assert rows.LEASE.claim(row.pk)

    def sleep(seconds):
        sleeps.append(seconds)
        working = part_jobs().filter(state="working")
        assert working.count() == 1
        tries.append(working.get().tries)
        if len(sleeps) == 3:
            working.update(leased_until=timezone.now() - timedelta(seconds=1))

    monkeypatch.setattr(benches.time, "sleep", sleep)
    assert made(judged, killed) == by_one
    # While the lease held, it was waited for.
    assert len(sleeps) == 3
    assert tries == [1, 1, 1, 1, 2]
    assert not part_jobs().exists()


def test_a_part_that_another_worker_still_computes_is_waited_for(judged, computed, monkeypatch):
    by_one, theirs = alone(judged), []
    computed.clear()

    def call():
        row = rows.first_waiting(judged.pk)
        plan = reports.Computation(reports.Database(judged), FEW, Progress())
        (part,) = [part for part in plan.all_parts() if part.key == row.key]
        theirs.append(rows.take(judged.pk, {part.key: part}))

    monkeypatch.setattr(benches.time, "sleep", lambda _: theirs[0].compute(lambda: None))
    assert made(judged, call) == by_one
    assert computed.count(theirs[0].part.name) == 1


def test_what_fails_elsewhere_is_computed_by_the_maker(judged, monkeypatch):
    by_one = alone(judged)

    def call():
        with monkeypatch.context() as patch:
            patch.setattr(reports, "people_of", broken)
            # The parts before it are theirs, the one after it is tried by nobody else.
            assert reports.help_with(judged.pk) == 2 * len(CUTS)

    assert made(judged, call) == by_one


def test_what_others_have_given_up_or_deleted_is_computed_by_the_maker(judged, computed):
    by_one = alone(judged)

    def call():
        first, second, *_ = part_jobs().order_by("pk")
        part_jobs().filter(pk=first.pk).update(state="given up", reason="Tried 5 times.")
        part_jobs().filter(pk=second.pk).delete()

    assert made(judged, call) == by_one


def broken(*_):
    raise MemoryError


def test_a_report_whose_part_fails_says_the_sentence_as_ever(judged, monkeypatch):
    monkeypatch.setattr(tasks, "send", lambda task, *args: task(*args))
    with monkeypatch.context() as patch:
        patch.setattr(reports, "people_of", broken)
        for _ in range(6):
            tasks.refresh_reports_task()
            making.compute_waiting_answers()
        row = StoredAnswer.objects.get()
        assert row.reason == "Tried 5 times. It failed: MemoryError: no message."
    request_report(judged, {})
    making.compute_waiting_answers()
    assert Report.objects.count() == 1


def test_a_worker_that_makes_a_large_report_calls_others(judged, monkeypatch):
    called = []
    monkeypatch.setattr(tasks, "send", lambda task, *args: called.append((task.name, args)))
    request_due_report(judged)
    making.compute_waiting_answers()
    # A broker that is down is asked once.
    assert called == [("audit.tasks.help_with_report_task", (judged.pk,))]
    called.clear()
    monkeypatch.setattr(tasks, "send", lambda task, *args: called.append(args) or True)
    making.labels(judged, {"early-0": {"cat": 1}})
    request_due_report(judged)
    making.compute_waiting_answers()
    assert called == [(judged.pk,)] * tasks.HELPERS
    assert reports.help_with(judged.pk) == 0


def test_a_worker_that_lost_its_part_stores_nothing(judged):
    def call():
        row = rows.first_waiting(judged.pk)
        plan = reports.Computation(reports.Database(judged), FEW, Progress())
        (part,) = [part for part in plan.all_parts() if part.key == row.key]
        late = rows.take(judged.pk, {part.key: part})
        tasks.forget_names_in_reports(None, judged.pk, {})
        late.compute(lambda: None)
        assert not ReportPart.objects.exists()

    assert made(judged, call) == alone(judged)


def test_who_comes_when_the_data_have_changed_takes_nothing(judged):
    by_one = alone(judged)

    def call():
        making.labels(judged, {"early-0": {"cat": 1}})
        assert reports.help_with(judged.pk) == 0

    # What was read before is what this report tells.
    assert made(judged, call) == by_one


@pytest.mark.parametrize("call", [None, lambda: None], ids=["by a command", "by a worker"])
def test_with_one_judge_more_only_its_parts_are_computed(judged, computed, call):
    made(judged, call)
    computed.clear()
    judge(judged, "worse", {image.key: image.pk % 7 / 7 for image in judged.images.all()})
    body = made(judged, call)
    assert body["comparison"]["best"] != "worse"
    assert sorted(computed) == sorted([*(f"{cut} of worse" for cut in CUTS), "difference of worse"])
    assert body == alone(judged)


def test_new_labels_leave_no_part_as_it_was_and_old_parts_go(judged, computed):
    made(judged)
    before = set(stored_parts().values_list("key", flat=True))
    everything = sorted(computed)
    computed.clear()
    making.labels(judged, {"early-0": {"cat": 1}})
    assert made(judged) == alone(judged)
    after = set(stored_parts().values_list("key", flat=True))
    assert len(after) == len(before) == len(everything)
    assert not after & before


def sizes_of_slices(judged, monkeypatch):
    """Of how many items each of the slices is that a report computes anew."""
    sizes, ours = [], reports.slices.statistics

    def watched(series, *more):
        sizes.append(len(series.yes))
        return ours(series, *more)

    with monkeypatch.context() as patch:
        patch.setattr(reports.slices, "statistics", watched)
        reports.make_report(study=judged, options=CUT)
    return sizes


@pytest.mark.parametrize("images", [1, 10])
def test_after_a_new_answer_only_slices_with_its_image_are_computed(judged, monkeypatch, images):
    for number, prompt in enumerate(judged.prompts.all()):
        prompt.tags, prompt.atomicity = [f"tag {number % 5}"], number % 3
        prompt.save()
    raise_labels_version(judged.pk)
    first = sizes_of_slices(judged, monkeypatch)
    changed = list(judged.images.order_by("key"))[:: 50 // images][:images]
    making.labels(judged, {image.key: {"cat": 0, "dan": 1, "eva": 1} for image in changed})
    again = sizes_of_slices(judged, monkeypatch)
    # Of each judge everything, one of two generators, of five tags and of three atomicities.
    assert len(first) == 2 * (1 + 2 + 5 + 3)
    touched = {
        (image.generator_id, *image.prompt.tags, image.prompt.atomicity) for image in changed
    }
    assert len(again) == 2 * (1 + sum(len(set(column)) for column in zip(*touched, strict=True)))
    assert Report.objects.first().body == reports.compute(judged, CUT)[0]


def test_a_slice_of_another_version_is_not_used(judged, monkeypatch):
    first = sizes_of_slices(judged, monkeypatch)
    monkeypatch.setattr(reports, "SCHEMA", 99)
    assert sizes_of_slices(judged, monkeypatch) == first


def test_a_part_of_another_version_is_not_used(judged, computed, monkeypatch):
    made(judged)
    for name, value in (("VERSION", "a newer one"), ("SCHEMA", 99)):
        computed.clear()
        monkeypatch.setattr(reports, name, value)
        monkeypatch.setattr(reports.freshness, "VERSION", value)
        made(judged)
        assert len(computed) == 2 * len(CUTS) + 2


def test_parts_of_other_options_stay_until_they_are_out_of_use(judged, computed):
    made(judged)
    reports.make_report(study=judged, options=reports.Options(resamples=100, seed=3))
    assert stored_parts().count() == 2 * (2 * len(CUTS) + 2)
    old = stored_parts(options__seed=3)
    old.update(used_at=timezone.now() - timedelta(days=8))
    tasks.delete_expired_task()
    assert not old.exists()
    assert stored_parts().count() == 2 * len(CUTS) + 2
    judged.delete()
    assert not ReportPart.objects.exists()


def test_what_is_quicker_computed_than_stored_is_not_shared(judged, monkeypatch):
    monkeypatch.setattr(reports, "WORTH_SHARING", 101)
    assert judged.images.count() * 2 == 100
    made(judged, broken)
    assert not ReportPart.objects.exists()


@pytest.fixture
def read(monkeypatch):
    """Of which judges the scores were read from their rows."""
    names, ours = [], pairing._read_scores

    def watched(run, images):
        names.append(run.judge.name)
        return ours(run, images)

    monkeypatch.setattr(pairing, "_read_scores", watched)
    return names


def test_scores_that_an_earlier_report_has_read_are_not_read_again(judged, read):
    made(judged)
    assert sorted(read) == ["fair", "good"]
    read.clear()
    making.labels(judged, {"early-0": {"cat": 1}})
    made(judged)
    assert read == []
    # One score fewer.
    first = judged.images.order_by("key").first()
    making.labels(judged, {"early-1": {"cat": 0}})
    first.scores.filter(run__judge__name="fair").delete()
    counts.recount(judged.runs.get(judge__name="fair").pk)
    raise_labels_version(judged.pk)
    body = made(judged)
    assert read == ["fair"]
    assert body == alone(judged)


def add_labels(study, chance):
    for image in chance.sample(list(study.images.all()), 3):
        making.labels(study, {image.key: {f"more {chance.random()}": chance.randint(0, 1)}})


def change_answers(study, chance):
    for form in chance.sample(list(study.annotations.all()), 3):
        form.answers.update(value=chance.randint(0, 1))


def take_answers_back(study, chance):
    for form in chance.sample(list(study.annotations.filter(state="counted")), 3):
        study.annotations.filter(pk=form.pk).update(state="withdrawn")


def delete_answers(study, chance):
    chance.choice(list(study.annotations.all())).delete()


def fail_and_score_again(study, chance):
    run = chance.choice(list(study.runs.all()))
    score = chance.choice(list(run.scores.all()))
    image = score.image_id
    score.delete()
    again = {"value": chance.random()} if chance.random() < 0.5 else {"error": "no reply"}
    Score.objects.create(run=run, image_id=image, **again)
    counts.recount(run.pk)


def delete_image(study, chance):
    chance.choice(list(study.images.all())).delete()
    for run in study.runs.all():
        counts.recount(run.pk)


def rename_image(study, chance):
    image = chance.choice(list(study.images.all()))
    study.images.filter(pk=image.pk).update(key=f"z {image.pk}")


CHANGES = (
    add_labels,
    change_answers,
    take_answers_back,
    delete_answers,
    fail_and_score_again,
    delete_image,
    rename_image,
)


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_changes_a_report_of_parts_is_the_one_made_of_nothing(judged, seed):
    chance = random.Random(seed)
    changes = chance.sample(CHANGES, len(CHANGES))
    made(judged)
    for some in (changes[:2], changes[2:4], changes[4:]):
        for change in some:
            change(judged, chance)
        raise_labels_version(judged.pk)
        body = made(judged)
        assert body == alone(judged)
        assert READ not in json.dumps(body)


def count_calls(monkeypatch, module, name):
    """What the function of this name is called with, from now on."""
    calls, ours = [], getattr(module, name)

    def watched(*given):
        calls.append(given)
        return ours(*given)

    monkeypatch.setattr(module, name, watched)
    return calls


def test_what_follows_from_the_majority_is_computed_anew_only_where_it_moves(judged, monkeypatch):
    calls = count_calls(monkeypatch, one_judge, "decisions_of_most")
    reports.make_report(study=judged, options=CUT)
    assert len(calls) == 2
    said = {}
    for form in judged.annotations.order_by("pk"):
        said.setdefault(form.image.key, []).append(form.answers.get().value)
    key, (value, _) = next((key, both) for key, both in said.items() if both[0] == both[1])
    # Two of two said so, and now three of three.
    making.labels(judged, {key: {"cat": value}})
    assert reports.make_report(study=judged, options=CUT).body == reports.compute(judged, CUT)[0]
    assert len(calls) == 2 + 2  # those of the report that is made of nothing
    # Three of six: nobody has the majority.
    making.labels(judged, {key: dict.fromkeys(("dan", "eva", "flo"), 1 - value)})
    assert reports.make_report(study=judged, options=CUT).body == reports.compute(judged, CUT)[0]
    assert len(calls) == 4 + 2 + 2


def test_an_answer_that_everybody_gives_leaves_what_follows_from_means(judged, monkeypatch):
    watched = [
        count_calls(monkeypatch, one_judge, "decisions_of_means"),
        count_calls(monkeypatch, reports, "ranked_differences"),
        count_calls(monkeypatch, one_judge.slices, "statistics"),
    ]
    reports.make_report(study=judged, options=CUT)
    said = {}
    for form in judged.annotations.order_by("pk"):
        said.setdefault(form.image.key, []).append(form.answers.get().value)
    key, (value, _) = next((key, both) for key, both in said.items() if both[0] == both[1])
    before = [len(calls) for calls in watched]
    making.labels(judged, {key: {"cat": value}})
    body = reports.make_report(study=judged, options=CUT).body
    assert [len(calls) for calls in watched] == before
    assert body == reports.compute(judged, CUT)[0]
    making.labels(judged, {key: {"dan": 1 - value}})
    before = [len(calls) for calls in watched]
    body = reports.make_report(study=judged, options=CUT).body
    assert all(len(calls) > number for calls, number in zip(watched, before, strict=True))
    assert body == reports.compute(judged, CUT)[0]


def test_agreement_on_a_tag_is_counted_anew_only_where_people_answered(judged, monkeypatch):
    for number, prompt in enumerate(judged.prompts.all()):
        prompt.tags = [f"tag {number % 5}"]
        prompt.save()
    raise_labels_version(judged.pk)
    calls = count_calls(monkeypatch, people_agreement, "_of_tag")
    made(judged)
    assert len(calls) == 5
    making.labels(judged, {"early-0": {"somebody new": 1}})
    body = made(judged)
    assert len(calls) == 5 + 1
    assert body == alone(judged)
