"""What a judge would read is told before it starts, from the headers of its files."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from judges.runs import check_weights
from jurybox_judging.engines.shared import weight_files
from tests.judging.engines import tiny_clip
from tests.judging.engines.published_layouts import rewrite

JUDGE = "clip-score-transformers"


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return tiny_clip.save_transformers_clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture(autouse=True)
def _allowed(settings, clip, tmp_path):
    settings.JUDGE_WEIGHTS = (str(clip.parent), str(tmp_path))


def _said(folder, *more):
    out = StringIO()
    option = f"similarity.checkpoint={folder}"
    call_command("check_weights", JUDGE, "--option", option, *more, stdout=out)
    return out.getvalue()


def test_files_sizes_memory_and_keys_are_told(clip):
    (told,) = json.loads(_said(clip, "--json"))
    file = clip / "model.safetensors"
    numbers = sum(t.count for t in weight_files.header(file).values())
    assert told["files"] == {"model.safetensors": file.stat().st_size}
    assert told["memory"] == {
        "float32": 4 * numbers,
        "bfloat16": 2 * numbers,
        "float16": 2 * numbers,
    }
    assert told["keys"] == f"all {len(weight_files.header(file))} fit"
    assert (told["download"], told["wrong"], told["seconds"]) == (False, "", None)


def test_the_words_name_the_folder_and_the_precision(clip):
    said = _said(clip)
    assert f"in {clip}\n" in said
    assert "this judge takes float32" in said


def test_a_key_that_is_missing_is_named_and_the_command_fails(clip, tmp_path, capsys):
    def without(state):
        return {key: value for key, value in state.items() if key != "text_projection.weight"}

    folder = rewrite(clip, tmp_path / "broken", without)
    out = StringIO()
    with pytest.raises(CommandError, match="cannot be used: similarity"):
        call_command(
            "check_weights", JUDGE, "--option", f"similarity.checkpoint={folder}", stdout=out
        )
    assert "WRONG: " in out.getvalue()
    assert "it lacks: text_projection.weight" in out.getvalue()


def test_measuring_says_how_long_an_image_takes(clip, monkeypatch):
    # Random weights see no red square.
    monkeypatch.setattr(check_weights.self_test, "check_engines", lambda parts, keep_alive: None)
    (told,) = json.loads(_said(clip, "--measure", "--json"))
    assert told["seconds"] > 0
    assert told["wrong"] == ""


def test_weights_that_fail_the_self_test_are_wrong(clip, monkeypatch):
    monkeypatch.setattr(check_weights.self_test, "_CHECKS", {"similarity": lambda engine: "no."})
    with pytest.raises(CommandError, match="cannot be used"):
        _said(clip, "--measure")


def test_a_repository_that_is_not_here_needs_a_download(monkeypatch, tmp_path):
    monkeypatch.setattr(weight_files, "cache_folder", lambda: tmp_path)
    out = StringIO()
    call_command("check_weights", JUDGE, stdout=out)
    assert "it is fetched on first use" in out.getvalue()


def test_the_commit_of_a_cached_repository_is_known(clip, monkeypatch, tmp_path):
    commit = "0123456789" * 4
    folder = tmp_path / "models--owner--name"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs/main").write_text(commit)
    rewrite(clip, folder / "snapshots" / commit, lambda state: state)
    monkeypatch.setattr(weight_files, "cache_folder", lambda: tmp_path)
    for revision in ("", "main", commit):
        found = weight_files.find("owner/name", revision)
        assert (found.commit, len(found.files)) == (commit, 1)
    assert weight_files.find("owner/name", "other") is None


def test_a_machine_without_the_engines_sends_to_a_worker(monkeypatch):
    monkeypatch.setattr(check_weights.registry, "why_not", lambda name: "Needs torch.")
    with pytest.raises(CommandError, match="cannot look: Needs torch. Ask on the page"):
        call_command("check_weights", JUDGE)


def test_a_judge_without_weights_says_so():
    out = StringIO()
    call_command("check_weights", "geneval-builtin", stdout=out)
    assert out.getvalue().strip() == "geneval-builtin reads no weights."
