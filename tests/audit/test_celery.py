"""Several GPUs, several worker processes: each process sees one."""

import os

import pytest

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
