"""What a judge needs before it can run here: said as far as it is known, never guessed."""

from dataclasses import replace

import pytest

from judges.runs import machine_memory
from judges.runs.readiness import readiness
from jurybox_judging import catalogue, registry
from jurybox_judging.recipes.read import read_one
from jurybox_judging.recipes.write import as_toml


@pytest.fixture(autouse=True)
def a_large_machine(settings):
    settings.JUDGE_MEMORY = 80


def of(name, **changes):
    entry = replace(catalogue.JUDGES[name], needs=(), **changes)
    return readiness(entry, registry.weights_of(entry))


def test_an_engine_without_weights_is_ready():
    assert of("geneval-builtin").title == "Ready"
    assert of("geneval-builtin").next_steps == ""


def test_weights_that_are_not_here_are_a_download_with_its_address_and_known_size():
    told = of("vqa-score")
    assert told.title == "Needs download (22.4 GB)"
    assert [need.address for need in told.needs] == [
        "https://huggingface.co/zhiqiulin/clip-flant5-xxl"
    ]
    # The recipe states it; else what is known of the weights.
    assert of("vqa-score", download_gb=30.0).title == "Needs download (30 GB)"


def test_a_published_tag_of_a_library_is_named_by_the_repository_that_is_fetched():
    (need,) = of("clip-score").needs
    assert need.address == "https://huggingface.co/timm/vit_large_patch14_clip_224.openai"
    assert need.words == "Fetches timm/vit_large_patch14_clip_224.openai (1.71 GB) on first use."


def test_weights_that_nobody_knows_get_neither_address_nor_size():
    entry = replace(catalogue.JUDGES["clip-score"], needs=())
    ready = readiness(entry, {"similarity.checkpoint": "own_tag", "similarity.model": "ViT-X"})
    assert (ready.needs[0].words, ready.needs[0].address) == ("Fetches own_tag on first use.", "")
    assert (ready.title, ready.wants_gb) == ("Needs download", None)


def test_what_several_engines_fetch_is_added():
    # Mask2Former .28, CLIP ViT-L/14 1.71.
    assert of("geneval-transformers").title == "Needs download (1.99 GB)"


@pytest.mark.parametrize(("has", "state"), [(23, "cannot run here"), (80, "needs"), (0, "needs")])
def test_weights_larger_than_the_machine_cannot_run_here(settings, monkeypatch, has, state):
    settings.JUDGE_MEMORY = has
    monkeypatch.setattr(machine_memory, "_here", lambda: None)
    ready = of("soft-tifa-gm-qwen3.5")
    assert ready.state == state
    if has == 23:
        assert ready.title == "Cannot run here (needs 54 GB, has 23)"
        assert "Ask a model server, or start it for a worker that has more" in ready.next_steps


def test_in_float32_the_same_weights_want_twice_as_much():
    entry = replace(catalogue.JUDGES["vqa-score-qwen3-vl"], needs=())
    options = {"answers.checkpoint": "Qwen/Qwen3-VL-8B-Instruct"}
    half = readiness(entry, options | {"answers.precision": "bfloat16"})
    whole = readiness(entry, options | {"answers.precision": "float32"})
    assert (half.wants_gb, whole.wants_gb) == (17.54, 35.08)


def test_every_judge_with_weights_of_the_catalogue_says_how_large_they_are():
    unknown = {
        name
        for name, entry in catalogue.JUDGES.items()
        if (ready := readiness(entry, registry.weights_of(entry))).wants_gb is None
        and any(need.kind == "download" for need in ready.needs)
    }
    assert unknown == set()


def test_the_authors_file_is_named_with_its_address():
    (need, _) = of("geneval").needs
    assert need.what.endswith("743b7d99.pth") and need.address.startswith(
        "https://download.openmmlab.com/"
    )
    assert "(0.28 GB)" in need.words


def test_the_memory_of_all_gpus_counts_before_that_of_the_machine(monkeypatch, tmp_path):
    command = tmp_path / "nvidia-smi"
    command.write_text("#!/bin/sh\necho 81559\necho 81559\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    machine_memory._here.cache_clear()
    assert machine_memory._here() == pytest.approx(171.04, abs=0.01)
    command.write_text("#!/bin/sh\nexit 1\n")
    machine_memory._here.cache_clear()
    assert machine_memory._here() == machine_memory._own()
    machine_memory._here.cache_clear()


def test_a_folder_that_is_here_needs_no_download(tmp_path):
    entry = replace(catalogue.JUDGES["vqa-score"], needs=())
    assert readiness(entry, {"answers.checkpoint": str(tmp_path)}).is_ready


@pytest.mark.parametrize(
    ("name", "title"),
    [("vqa-score-server", "Needs a server"), ("geneval-from-file", "Needs a file")],
)
def test_a_server_and_a_file_are_named_as_what_is_needed(name, title):
    assert of(name).title == title


def test_a_library_that_is_missing_is_named_with_the_command_that_installs_it():
    entry = replace(catalogue.JUDGES["geneval-builtin"], needs=("no_such_module",))
    told = readiness(entry, {})
    assert told.title == "Cannot run here"
    assert "no_such_module. Install with pip install -r requirements.txt" in told.next_steps


def test_the_size_stands_in_a_recipe():
    name, entry = read_one(as_toml("vqa-score", catalogue.JUDGES["vqa-score"]))
    assert (name, entry.download_gb) == ("vqa-score", 22.4)
