"""A judge whose weights are files: the web process opens none of them, and its fingerprint is that of
their content all the same."""

import os

import pytest
from django.core.management import call_command
from django.urls import reverse

from judges.models import Judge, KnownWeights, Run
from judges.runs import lifecycle, local_weights, score_chunk
from jurybox_judging import registry
from jurybox_judging.ask_engine import StopWorking
from jurybox_judging.engines.shared import weight_facts
from tests.hostile.watching import watching
from tests.judging.engines.test_from_file import coco

pytestmark = pytest.mark.django_db
NAME = "geneval-from-file"


@pytest.fixture
def file(tmp_path, settings):
    settings.JUDGE_WEIGHTS = [str(tmp_path)]
    return coco(tmp_path)


def options(file):
    return {"objects.checkpoint": str(file)}


def true_fingerprint(file):
    return registry.fingerprint({"name": NAME, **registry.identity(NAME, options(file))})


def start_on_the_page(as_alice, study, file):
    filled = {"judge": NAME, "option:objects.checkpoint": str(file)}
    with watching() as touched:
        answer = as_alice.post(reverse("run-start", args=[study.slug]), filled)
    assert answer.status_code == 302
    assert not [event for event in touched if event.startswith("open") and str(file) in event]
    return Run.objects.latest("pk")


def test_the_page_opens_no_file_and_a_worker_gives_the_judge_its_fingerprint(as_alice, study, file):
    run = start_on_the_page(as_alice, study, file)
    provisional = run.judge
    page = as_alice.get(reverse("runs", args=[study.slug])).content.decode()
    assert "its weights are being read" in page
    (told,) = as_alice.get(reverse("api-runs", args=[study.slug])).json()
    assert told["fingerprint"] == ""

    score_chunk.work_off(run=run)
    run = Run.objects.get(pk=run.pk)
    assert run.state == Run.State.FINISHED, run.reason
    assert run.judge.fingerprint == true_fingerprint(file)
    assert run.scores.count() == run.expected
    assert not Judge.objects.filter(pk=provisional.pk).exists()
    (told,) = as_alice.get(reverse("api-runs", args=[study.slug])).json()
    assert told["fingerprint"] == run.judge.fingerprint


def test_what_a_worker_has_read_once_is_known_from_then_on(as_alice, study, file):
    first = start_on_the_page(as_alice, study, file)
    score_chunk.work_off(run=first)
    again = start_on_the_page(as_alice, study, file)
    assert again.pk == first.pk
    assert again.judge.fingerprint == true_fingerprint(file)
    assert KnownWeights.objects.count() == 1


def test_another_content_is_another_judge(as_alice, study, file):
    first = start_on_the_page(as_alice, study, file)
    score_chunk.work_off(run=first)
    file.write_text(file.read_text().replace("0.8", "0.7"))
    os.utime(file, ns=(1, 1))
    second = start_on_the_page(as_alice, study, file)
    assert second.pk != first.pk
    score_chunk.work_off(run=second)
    one, other = Run.objects.get(pk=first.pk).judge, Run.objects.get(pk=second.pk).judge
    assert one.fingerprint != other.fingerprint == true_fingerprint(file)


def test_the_same_content_at_another_time_continues_the_earlier_run(as_alice, study, file):
    first = start_on_the_page(as_alice, study, file)
    score_chunk.work_off(run=first)
    os.utime(file, ns=(1, 1))
    second = start_on_the_page(as_alice, study, file)
    assert second.pk != first.pk
    scored = first.scores.filter(value__isnull=False)
    scores = set(scored.values_list("pk", flat=True))
    assert scores
    score_chunk.work_off(run=second)
    # Nobody is left with a second run that stops: there is one, and what it scored stays.
    first = Run.objects.get()
    score_chunk.work_off(run=first)
    first = Run.objects.get()
    assert first.judge.fingerprint == true_fingerprint(file)
    assert first.state == Run.State.FINISHED
    assert set(scored.values_list("pk", flat=True)) == scores
    assert Judge.objects.count() == 1


def test_a_second_worker_that_settles_the_same_second_run_stops_quietly(as_alice, study, file):
    first = start_on_the_page(as_alice, study, file)
    score_chunk.work_off(run=first)
    os.utime(file, ns=(1, 1))
    second = start_on_the_page(as_alice, study, file)
    held = Run.objects.select_related("judge").get(pk=second.pk)
    score_chunk.work_off(run=second)
    with pytest.raises(StopWorking):
        score_chunk._settle(held, options(file), are_loaded=False)


def test_two_workers_settle_a_run_once(study, file):
    run = lifecycle.start_run(study=study, name=NAME, options=options(file))
    assert local_weights.is_provisional(run.judge)
    identity = registry.identity(NAME, options(file))
    for held in (Run.objects.get(pk=run.pk), Run.objects.get(pk=run.pk)):
        settled = local_weights.settle_judge(run=held, identity=identity)
        assert settled.pk == run.pk
        assert settled.judge.fingerprint == true_fingerprint(file)
    assert Judge.objects.count() == 1


def test_the_command_reads_them_itself(study, file, capsys):
    option = f"objects.checkpoint={file}"
    call_command("run_judge", study.slug, NAME, "--wait", "--option", option)
    assert "8 of 8 images, finished" in capsys.readouterr().out
    assert Run.objects.get().judge.fingerprint == true_fingerprint(file)


def test_a_folder_of_too_many_files_is_no_checkpoint(tmp_path, settings, monkeypatch, study):
    settings.JUDGE_WEIGHTS = [str(tmp_path)]
    monkeypatch.setattr(weight_facts, "_MOST_FILES", 3)
    for number in range(4):
        (tmp_path / str(number)).touch()
    with pytest.raises(registry.JudgeRefused, match="more than 3 files: name the folder of one"):
        lifecycle.start_run(study=study, name=NAME, options=options(tmp_path))
