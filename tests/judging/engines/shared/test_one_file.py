"""“owner/name:file”: one file of a repository, by a hub that stands in for the real one."""

from __future__ import annotations

import hashlib

import pytest

from judges import host
from jurybox_judging.engines.clip import OpenClip
from jurybox_judging.engines.preference import ImageReward
from jurybox_judging.engines.shared import weight_files
from jurybox_judging.errors import EngineRefused, JudgeRefused
from jurybox_judging.options import declared

pytestmark = pytest.mark.neural

NAME = "owner/name:some/weights.pt"
CONTENT = b"weights"
COMMIT = "c" * 40


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """Lays files out as the library's cache does; returns what was asked of it."""
    import huggingface_hub

    asked, told = [], {"content": CONTENT}

    def download(repository, name, revision):
        asked.append((repository, name, revision))
        if told["content"] is None:
            raise huggingface_hub.errors.LocalEntryNotFoundError("no network\nand more")
        folder = tmp_path / f"models--{repository.replace('/', '--')}"
        blob = folder / "blobs" / hashlib.sha256(CONTENT).hexdigest()
        file = folder / "snapshots" / COMMIT / name
        for path in (blob, file, folder / "refs/main"):
            path.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(told["content"])
        file.symlink_to(blob)
        (folder / "refs/main").write_text(COMMIT)
        return str(file)

    monkeypatch.setattr(weight_files, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    monkeypatch.setattr("jurybox_judging.engines.shared.hub.expect_reachable", lambda *_: None)
    return asked, told


def test_a_file_of_a_repository_is_fetched_once_and_then_read_from_the_cache(hub):
    assert weight_files.find(NAME) is None
    weight_files.fetch(NAME)
    weight_files.fetch(NAME)
    assert hub[0] == [("owner/name", "some/weights.pt", "main")]
    found = weight_files.find(NAME)
    assert found.files[0].read_bytes() == CONTENT
    assert weight_files.local(NAME) == str(found.files[0])
    assert (found.commit, weight_files.commit_of(NAME)) == (COMMIT, COMMIT)


def test_other_contents_than_the_hub_tells_are_refused_and_removed(hub):
    hub[1]["content"] = b"something else"
    with pytest.raises(EngineRefused, match="came with other contents than the hub tells"):
        weight_files.fetch(NAME)
    assert weight_files.find(NAME) is None


def test_without_a_network_the_sentence_says_what_to_do(hub):
    hub[1]["content"] = None
    with pytest.raises(
        EngineRefused,
        match=r"not on this machine and could not be fetched \(no network\)\. Fetch it where .* its path",
    ):
        ImageReward(NAME, device="cpu").load()


def test_an_engine_reads_the_file_and_its_facts_hold_the_commit(hub):
    engine = ImageReward(NAME, device="cpu")
    assert "commit" not in engine.facts
    # Seven bytes are no weights: what is refused is the file that was fetched.
    with pytest.raises(EngineRefused, match="weights.pt"):
        engine.load()
    assert (engine.facts["checkpoint"], engine.facts["commit"]) == (NAME, COMMIT)
    assert engine.weights_at.endswith("some/weights.pt")


@pytest.mark.parametrize(
    "text", ["openai", "owner/name", "hf-hub:owner/name", "/a/b:c", "a/b:../c", ""]
)
def test_other_names_are_no_file_of_a_repository(text):
    assert weight_files.one_file(text) is None
    assert weight_files.local(text) == text


def test_whoever_allows_a_repository_allows_its_files(settings):
    option = declared(OpenClip)["checkpoint"]
    settings.JUDGE_WEIGHTS = ["owner/name", "other/*"]
    for text in (NAME, "other/x:y.pt"):
        host.check("checkpoint", option, text)
    for text in ("owner/names:y.pt", "owner/name:../y.pt", "third/x:y.pt"):
        with pytest.raises(JudgeRefused, match="may not be"):
            host.check("checkpoint", option, text)
