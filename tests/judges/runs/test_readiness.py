"""What a judge needs before it can run here: said as far as it is known, never guessed."""

from dataclasses import replace

import pytest

from judges import catalogue, registry
from judges.recipes.read import read_one
from judges.recipes.write import as_toml
from judges.runs.readiness import readiness


def of(name, **changes):
    entry = replace(catalogue.JUDGES[name], needs=(), **changes)
    return readiness(entry, registry.checkpoints_of(entry))


def test_an_engine_without_weights_is_ready():
    assert of("geneval-builtin").title == "Ready"
    assert of("geneval-builtin").words == ""


def test_weights_that_are_not_here_are_a_download_with_its_address_and_known_size():
    told = of("vqa-score")
    assert told.title == "Needs download (22.4 GB)"
    assert [need.address for need in told.needs] == [
        "https://huggingface.co/zhiqiulin/clip-flant5-xxl"
    ]
    assert of("vqa-score", download_gb=None).title == "Needs download"


def test_a_published_tag_of_a_library_gets_no_invented_address():
    (need,) = of("clip-score").needs
    assert (need.kind, need.address) == ("download", "")


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
    assert "no_such_module. Install with pip install -r requirements.txt" in told.words


def test_the_size_stands_in_a_recipe():
    name, entry = read_one(as_toml("vqa-score", catalogue.JUDGES["vqa-score"]))
    assert (name, entry.download_gb) == ("vqa-score", 22.4)
