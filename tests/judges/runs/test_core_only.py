"""A web host with the core packages only starts judges for workers that have their engines."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from judges.models import Chunk, Judge, Run
from judges.runs import lifecycle, local_weights, score_chunk
from jurybox_judging import catalogue, registry
from jurybox_judging.engines.builtin import BuiltinEngine
from jurybox_judging.engines.shared import weight_facts, weight_files

pytestmark = pytest.mark.django_db
NAME = "soft-tifa-gm-builtin"
# Stands in the way of every package of the engines, as if it were not installed.
WITHOUT = """
import importlib.metadata, importlib.util, sys
ABSENT = {"torch", "torchvision", "transformers", "open_clip", "open_clip_torch", "mmdet", "mmcv",
          "mmengine", "safetensors", "huggingface_hub", "timm", "tokenizers", "accelerate",
          "rapidocr", "onnxruntime"}
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ABSENT:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
found, version = importlib.util.find_spec, importlib.metadata.version
importlib.util.find_spec = lambda n, p=None: None if n.split(".")[0] in ABSENT else found(n, p)
def told(name):
    if name in ABSENT:
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)
importlib.metadata.version = told
import django
django.setup()
from judges import installed
from jurybox_judging import catalogue
from jurybox_judging import registry
from jurybox_judging.engines.shared.weight_facts import read_by
for name, entry in catalogue.JUDGES.items():
    with read_by(lambda path: "?", unknown="?"):
        facts = registry.identity(name, {})["facts"]
    assert bool(entry.needs) == bool(registry.why_not(name)), name
    if entry.needs:
        assert any(one["libraries"] == "?" for one in facts.values()), name
print(len(catalogue.JUDGES))
"""


def test_every_judge_of_the_catalogue_is_built_without_the_packages_of_its_engines():
    command = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(len(catalogue.JUDGES))


@pytest.fixture
def elsewhere(monkeypatch):
    """A judge whose engines this machine lacks; call it, and they are here."""
    registry.forget_engines()  # Those that passed their self-test are not loaded again.
    monkeypatch.setitem(
        catalogue.JUDGES, NAME, replace(catalogue.JUDGES[NAME], needs=("no_such_package",))
    )
    versions = {"no_such_package": "absent"}
    monkeypatch.setattr(weight_facts, "_version", versions.get)

    def facts(self):
        return weight_facts.facts("owner/name", libraries=("no_such_package",), on_a_hub=True)

    monkeypatch.setattr(BuiltinEngine, "facts", property(facts))

    def arrive():
        versions["no_such_package"] = "1.5+gpu"
        monkeypatch.setattr(registry, "lacking", lambda chosen: "")

    return arrive


def test_a_worker_with_the_engines_gives_the_judge_its_fingerprint(
    as_alice, study, elsewhere, monkeypatch
):
    assert (
        as_alice.post(reverse("run-start", args=[study.slug]), {"judge": NAME}).status_code == 302
    )
    run = Run.objects.get()
    assert local_weights.is_provisional(run.judge)
    elsewhere()
    monkeypatch.setattr(weight_files, "commit_of", lambda checkpoint, revision: "")
    # The weights are fetched when the engine is loaded.
    monkeypatch.setattr(
        BuiltinEngine,
        "load",
        lambda self: monkeypatch.setattr(weight_files, "commit_of", lambda *_: "c" * 40),
    )
    monkeypatch.setattr(BuiltinEngine, "gpu", "NVIDIA H200", raising=False)
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED, run.reason
    facts = run.judge.facts["answers"]
    assert facts["libraries"] == "no_such_package 1.5+gpu"
    assert facts["commit"] == "c" * 40
    assert facts["gpus"] == "NVIDIA H200"
    assert Judge.objects.count() == 1


def test_a_worker_without_them_leaves_the_work_to_others_and_the_run_says_so(
    as_alice, study, elsewhere
):
    run = lifecycle.start_run(study=study, name=NAME)
    chunk = Chunk.objects.filter(run=run).first()
    # Many times: it is no failure of the judge, and never given up.
    for _ in range(7):
        score_chunk.score_chunk(chunk_id=chunk.pk)
    chunk.refresh_from_db()
    run.refresh_from_db()
    assert (chunk.state, chunk.tries, chunk.leased_until) == (Chunk.State.WAITING, 0, None)
    assert run.state == Run.State.RUNNING
    assert run.reason.startswith("Waits for a worker that has its engines.")
    page = as_alice.get(reverse("runs", args=[study.slug])).content.decode()
    assert "Needs no_such_package" in page
    elsewhere()
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    assert (run.state, run.reason) == (Run.State.FINISHED, "")


def test_the_same_judge_started_again_is_the_same_run(study, elsewhere, monkeypatch):
    """The host that starts it knows neither the libraries nor the commit that made the first one's name."""
    first = lifecycle.start_run(study=study, name=NAME)
    first_judge = first.judge
    elsewhere()
    monkeypatch.setattr(weight_files, "commit_of", lambda *_: "c" * 40)
    score_chunk.work_off(run=first)
    assert Run.objects.get().state == Run.State.FINISHED
    # As the host saw it: the same provisional judge once more.
    monkeypatch.setattr(
        lifecycle,
        "frozen_judge",
        lambda **_: local_weights.judge_row(
            NAME, {f: getattr(first_judge, f) for f in registry.identity(NAME, {})}
        ),
    )
    again = lifecycle.start_run(study=study, name=NAME)
    assert again.pk != first.pk
    score_chunk.work_off(run=again)
    assert Run.objects.get().pk == first.pk


def test_the_command_that_would_work_here_refuses(study, elsewhere):
    with pytest.raises(CommandError, match="cannot run here. Needs no_such_package"):
        call_command("run_judge", study.slug, NAME, "--wait")


def test_another_gpu_makes_no_other_judge(study, monkeypatch):
    for name in ("NVIDIA H200", "NVIDIA A100"):
        monkeypatch.setattr(BuiltinEngine, "gpu", name, raising=False)
        run = lifecycle.start_run(study=study, name=NAME)
        score_chunk.work_off(run=run)
        run.scores.all().delete()
    judge = Judge.objects.get()
    assert judge.facts["answers"]["gpus"] == "NVIDIA A100, NVIDIA H200"
    assert Run.objects.get().state == Run.State.FINISHED


def test_another_commit_of_the_weights_is_another_judge(study, elsewhere, monkeypatch):
    elsewhere()
    monkeypatch.setattr(weight_files, "commit_of", lambda *_: "a" * 40)
    run = lifecycle.start_run(study=study, name=NAME)
    assert not local_weights.is_provisional(run.judge)
    monkeypatch.setattr(weight_files, "commit_of", lambda *_: "b" * 40)
    score_chunk.work_off(run=run)
    run.refresh_from_db()
    assert run.state == Run.State.STOPPED
    assert f"commit of answers was “{'a' * 40}” and is “{'b' * 40}” here" in run.reason


def test_a_library_is_asked_for_the_commit_that_the_cache_has(tmp_path, monkeypatch):
    folder = tmp_path / "models--owner--name"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs/main").write_text("d" * 40)
    (folder / "snapshots" / ("d" * 40)).mkdir(parents=True)
    monkeypatch.setattr(weight_files, "cache_folder", lambda: tmp_path)
    assert weight_files.pinned("owner/name") == "d" * 40
    assert weight_files.pinned("owner/name", "v2") == "v2"
    assert weight_files.pinned("owner/other") == "main"
    assert weight_files.pinned("owner/other", "e" * 40) == "e" * 40
    # A folder has no commit, whatever the cache holds.
    assert weight_files.commit_of(str(tmp_path)) == ""
