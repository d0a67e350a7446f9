"""Several worker processes share the machine: each sees one of several GPUs, and takes its cores."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from celery.signals import worker_init

from annotations.pictures import decode_process
from audit import celery


@pytest.mark.parametrize(
    ("chosen", "cards"),
    [("0,2", ["0", "2"]), ("GPU-aa, GPU-bb", ["GPU-aa", "GPU-bb"]), ("", [])],
)
def test_the_chosen_gpus_are_the_ones(chosen, cards, tmp_path):
    assert celery.gpus(chosen, tmp_path) == cards


def test_without_a_choice_all_of_the_driver_are(tmp_path):
    for name in ("0000:01:00.0", "0000:02:00.0"):
        (tmp_path / name).mkdir()
    assert celery.gpus(None, tmp_path) == ["0", "1"]
    assert celery.gpus(None, tmp_path / "no driver") == []


@pytest.mark.parametrize(("index", "card"), [(0, "4"), (1, "7"), (2, "4")])
def test_processes_take_turns(index, card, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    monkeypatch.setattr(celery, "current_process", lambda: type("Process", (), {"index": index}))
    celery.take_one_gpu()
    assert os.environ["CUDA_VISIBLE_DEVICES"] == card


def test_a_single_gpu_is_shared(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4")
    celery.take_one_gpu()
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "4"


@pytest.mark.parametrize(
    ("processes", "threads"), [(1, "8"), (3, "2"), (8, "1"), (20, "1"), ("auto", "1")]
)
def test_the_processes_of_a_worker_share_its_cores(processes, threads, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(decode_process, "cores", lambda: 8)
    celery.share_cores(SimpleNamespace(concurrency=processes))
    assert os.environ["OMP_NUM_THREADS"] == threads


def test_threads_that_somebody_has_set_stay_as_they_are(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    celery.share_cores(SimpleNamespace(concurrency=2))
    assert os.environ["OMP_NUM_THREADS"] == "5"


def test_a_worker_says_it_before_it_starts_its_processes(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(decode_process, "cores", lambda: 8)
    worker_init.send(sender=type("Worker", (), {"concurrency": 4}))
    assert os.environ["OMP_NUM_THREADS"] == "2"


def test_torch_heeds_it_where_no_library_of_the_parent_has_counted_the_cores():
    code = (
        "import os, numpy, scipy.ndimage\n"
        "os.environ['OMP_NUM_THREADS'] = '1'\n"
        "from jurybox_judging.engines.shared.torch_setup import prepare\n"
        "print(prepare().get_num_threads())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "1"
