"""Weights that are not here: the hub is asked once, and what it says becomes one sentence."""

import pytest

from jurybox_judging.engines.clip import OpenClip, TransformersClip
from jurybox_judging.engines.reward_head import RewardHead
from jurybox_judging.engines.shared import hub, weight_files
from jurybox_judging.errors import EngineRefused
from tests.judging.engines import tiny_clip

pytestmark = pytest.mark.neural
NAME = "owner/model"


class Api:
    """Stands in for the hub's own; `error` is what each question meets."""

    asked: list
    error: Exception | None

    def model_info(self, repository, revision=None, timeout=None):
        type(self).asked.append((repository, revision, timeout))
        if type(self).error is not None:
            raise type(self).error


@pytest.fixture
def api(monkeypatch, tmp_path):
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub, "HfApi", Api)
    monkeypatch.setattr(weight_files, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(hub, "_answered", set())
    Api.asked, Api.error = [], None
    return Api


def never(**_):
    raise AssertionError("the library was asked")


def test_without_a_network_there_is_one_attempt_and_one_sentence(api):
    api.error = ConnectionError("Name or service not known.\nand a traceback")
    with pytest.raises(EngineRefused) as refused:
        hub.from_hub(never, NAME)
    assert api.asked == [(NAME, None, hub.SECONDS)]
    assert hub.SECONDS <= 10
    assert refused.value.message == (
        "“owner/model” is not on this machine, and the hub does not answer: Name or service not known. "
        "Fetch it where there is a network (`hf download owner/model`), and copy the folder here or give "
        "its path."
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("GatedRepoError", "agreed to its terms"),
        ("RepositoryNotFoundError", "The hub has no “owner/model”, or not for this account"),
        ("RevisionNotFoundError", "“owner/model” has no version “v9”."),
        ("OfflineModeIsEnabled", "set to ask no hub"),
    ],
)
def test_what_the_hub_says_is_told_in_a_sentence(api, name, words):
    api.error = type(name, (Exception,), {})("403 Client Error")
    with pytest.raises(EngineRefused, match=words):
        hub.from_hub(never, NAME, "v9")
    assert api.asked == [(NAME, "v9", hub.SECONDS)]


def test_a_hub_that_answered_is_not_asked_again_for_the_next_file(api):
    for _ in range(3):
        assert hub.from_hub(lambda **given: given, NAME) == {}
    assert len(api.asked) == 1


def test_what_the_cache_holds_is_read_without_a_word_to_the_hub(api, monkeypatch, tmp_path):
    monkeypatch.setattr(weight_files, "in_cache", lambda *_: tmp_path)
    assert hub.from_hub(lambda **given: given, NAME) == {"local_files_only": True}
    assert api.asked == []


def test_where_the_cache_lacks_a_file_the_hub_is_asked_for_it(api, monkeypatch, tmp_path):
    monkeypatch.setattr(weight_files, "in_cache", lambda *_: tmp_path)

    def load(local_files_only=False):
        if local_files_only:
            raise OSError("no such file")
        return "loaded"

    assert hub.from_hub(load, NAME) == "loaded"
    assert len(api.asked) == 1


def test_a_folder_is_never_looked_for_on_the_hub(api, tmp_path):
    assert hub.from_hub(lambda **given: given, str(tmp_path)) == {}
    assert api.asked == []


@pytest.mark.parametrize(
    "engine",
    [
        TransformersClip("owner/model", device="cpu"),
        OpenClip("hf-hub:owner/model", device="cpu"),
        OpenClip("laion2b_s32b_b79k", model="ViT-H-14", device="cpu"),
        RewardHead("owner/model:head.safetensors", device="cpu", backbone="owner/backbone"),
    ],
)
def test_every_way_to_fetch_weights_asks_once_first(api, engine):
    api.error = ConnectionError("no network")
    with pytest.raises(EngineRefused, match="the hub does not answer: no network"):
        engine.load()
    assert len(api.asked) == 1


def test_a_model_of_another_kind_says_what_it_is_and_what_is_needed(tmp_path):
    from jurybox_judging.engines.depth import Depth
    from jurybox_judging.engines.image_text import ImageTextModel
    from tests.judging.engines import tiny_qwen

    clip = tiny_clip.save_transformers_clip(tmp_path / "clip")
    qwen = tiny_qwen.save("qwen2_vl", tmp_path / "qwen")
    with pytest.raises(EngineRefused, match="is a qwen2_vl; this judge needs a clip"):
        TransformersClip(str(qwen), device="cpu").load()
    with pytest.raises(
        EngineRefused, match="is a clip; .* reads pictures and text and writes text"
    ):
        ImageTextModel(str(clip), device="cpu", template="{question}").load()
    with pytest.raises(EngineRefused, match="is a clip; .* estimates depth"):
        Depth(str(clip), device="cpu").load()
