"""Thirty mistakes with files of weights: each ends with a sentence that names the key or the file."""

from __future__ import annotations

import importlib.util
import json
import pickle
import shutil

import pytest

from jurybox_judging.engines.clip import OpenClip, TransformersClip
from jurybox_judging.engines.image_text import ImageTextModel
from jurybox_judging.engines.mmdetection import read_checkpoint
from jurybox_judging.engines.preference import ImageReward
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused
from tests.judging.engines import tiny_blip, tiny_clip, tiny_llava, tiny_reward

WEIGHTS = "model.safetensors"
KEY = "visual_projection.weight"


def _tensors(change):
    """A mistake in what the file holds."""

    def make(folder):
        from safetensors.torch import load_file, save_file

        state = load_file(folder / WEIGHTS)
        state = change(state) or state
        save_file(state, folder / WEIGHTS, metadata={"format": "pt"})

    return make


def _settings(**changes):
    def make(folder):
        told = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**told, **changes}))

    return make


def _bytes(content):
    return lambda folder: (folder / WEIGHTS).write_bytes(content)


def _half(folder):
    whole = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(whole[: len(whole) // 2])


def _index(weight_map):
    def make(folder):
        (folder / WEIGHTS).rename(folder / "model-00001-of-00002.safetensors")
        index = json.dumps({"metadata": {}, "weight_map": weight_map})
        (folder / f"{WEIGHTS}.index.json").write_text(index)

    return make


def _another_model(folder):
    shutil.copy(tiny_blip.save_blip(folder / "other") / WEIGHTS, folder / WEIGHTS)


def _trap(folder):
    class Trap:
        def __reduce__(self):
            return open, (str(folder / "sprung"), "w")

    (folder / WEIGHTS).unlink()
    trap = pickle.dumps({"a": Trap(), "b": "x" * 99}, protocol=2)
    (folder / "pytorch_model.bin").write_bytes(trap)


def _other_word_table(state):
    state["text_model.embeddings.token_embedding.weight"] = prepare().zeros(3, 32)


FOLDERS = {
    "a key dropped": (
        _tensors(lambda s: {k: v for k, v in s.items() if k != KEY}),
        f"lacks: {KEY}",
    ),
    "a key renamed": (
        _tensors(lambda s: {("visual_proj.weight" if k == KEY else k): v for k, v in s.items()}),
        f"lacks: {KEY}",
    ),
    "a key too many": (
        _tensors(lambda s: {**s, "lora.weight": s[KEY].clone()}),
        r"know: lora\.weight",
    ),
    "another shape": (_tensors(lambda s: {**s, KEY: prepare().zeros(2, 2)}), KEY),
    "another table of words": (_tensors(_other_word_table), r"token_embedding\.weight"),
    "a prefix too many": (
        _tensors(lambda s: {f"student.{k}": v for k, v in s.items()}),
        r"lacks: .* and \d+ more",
    ),
    "a prefix forgotten": (
        _tensors(
            lambda s: {
                k.removeprefix("vision_model."): v for k, v in s.items() if "text_model" not in k
            }
        ),
        r"lacks: .*model\.",
    ),
    "another model's file": (_another_model, "lacks: "),
    "nothing but a header": (_tensors(lambda s: {"x": s[KEY]}), "lacks: "),
    "not a number": (
        _tensors(lambda s: {**s, KEY: s[KEY] * float("nan")}),
        f"none at all in {KEY}",
    ),
    "infinite": (_tensors(lambda s: {**s, KEY: s[KEY] / 0}), f"infinite numbers .* in {KEY}"),
    "whole numbers": (
        _tensors(lambda s: {**s, KEY: s[KEY].to(prepare().int8)}),
        rf"quantised \({KEY}\)",
    ),
    "a library for quantised weights that is not here": (
        _settings(quantization_config={"quant_method": "bitsandbytes", "load_in_8bit": True}),
        "cannot be loaded: .*(bitsandbytes|accelerate|GPU|CUDA)",
    ),
    "an empty file": (_bytes(b""), rf"“{WEIGHTS}” is empty: get it again"),
    "half a file": (_half, rf"“{WEIGHTS}” breaks off: it has [\d,]+ of [\d,]+ bytes"),
    "a web page": (_bytes(b"<!DOCTYPE html><title>Log in</title>" * 9), "is a web page"),
    "a pointer": (
        _bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n" * 2),
        "git lfs pull",
    ),
    "noise": (_bytes(b"\xff" * 999), "is no safetensors file"),
    "a header that is no JSON": (_bytes((9).to_bytes(8, "little") + b"{not json" * 9), "a header"),
    "a pickle with code": (_trap, "cannot be loaded"),
    "an index of a file that is not there": (
        _index({KEY: "model-00002-of-00002.safetensors"}),
        "not there: model-00002-of-00002.safetensors",
    ),
    "an index that is none": (_index(None), "is no index of weights"),
    "no weights": (lambda folder: (folder / WEIGHTS).unlink(), "holds no weights"),
    "no settings": (lambda folder: (folder / "config.json").unlink(), "has no config.json"),
    "settings that are no JSON": (
        lambda folder: (folder / "config.json").write_text("{"),
        "config.json of .* is no JSON",
    ),
    "an adapter without its library": (
        lambda folder: (folder / "adapter_config.json").write_text("{}"),
        "needs the library peft",
    ),
}


def without(monkeypatch, library):
    """As on a machine on which it was not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec",
        lambda name, package=None: None if name == library else find(name, package),
    )


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return tiny_clip.save_transformers_clip(tmp_path_factory.mktemp("clip"))


@pytest.mark.parametrize("mistake", FOLDERS)
def test_a_mistake_in_a_folder_is_named(mistake, clip, tmp_path, monkeypatch):
    make, sentence = FOLDERS[mistake]
    if "without its library" in mistake:
        without(monkeypatch, "peft")
    folder = tmp_path / "weights"
    shutil.copytree(clip, folder)
    make(folder)
    with pytest.raises(EngineRefused, match=sentence):
        TransformersClip(str(folder), device="cpu").load()
    assert not (folder / "sprung").exists()


def test_a_file_where_a_folder_is_wanted_is_named(clip):
    with pytest.raises(EngineRefused, match=rf"“{WEIGHTS}” is a file; this engine reads a folder"):
        TransformersClip(str(clip / WEIGHTS), device="cpu").load()


def test_a_head_that_is_absent_and_not_tied_is_missed(tmp_path):
    folder = tiny_llava.save_llava(tmp_path)
    _tensors(lambda s: {k: v for k, v in s.items() if "lm_head" not in k})(folder)
    with pytest.raises(EngineRefused, match=r"lacks: lm_head\.weight"):
        ImageTextModel(str(folder), device="cpu").load()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", r"“it\.pth” is empty"),
        (b"<html>" * 99, r"“it\.pth” is a web page"),
        (b"\x80\x04K\x01." + b"." * 99, r"“it\.pth” cannot be read"),
    ],
)
def test_a_single_file_that_holds_no_weights_is_named(content, sentence, tmp_path):
    (tmp_path / "it.pth").write_bytes(content)
    with pytest.raises(EngineRefused, match=sentence):
        read_checkpoint(str(tmp_path / "it.pth"))


def test_an_official_file_of_another_model_is_named(tmp_path):
    reward = tiny_reward.save(tmp_path)
    state = prepare().load(reward.file, weights_only=True)
    prepare().save({"model": {k: v for k, v in state.items() if "mlp" not in k}}, reward.file)
    with pytest.raises(EngineRefused, match="lacks: "):
        ImageReward(str(reward.file), device="cpu", tokenizer=str(reward.words)).load()


def test_an_open_clip_folder_with_half_a_file_is_named(tmp_path):
    folder = tiny_clip.save_open_clip(tmp_path)
    file = folder / "open_clip_model.safetensors"
    file.write_bytes(file.read_bytes()[:5000])
    with pytest.raises(
        EngineRefused, match=r"“open_clip_model\.safetensors” .*(breaks off|beginning)"
    ):
        OpenClip(str(folder), device="cpu").load()


def test_the_list_of_mistakes_is_long_enough():
    single = 3 + 4  # the three single files, and the four tests with one mistake each
    assert len(FOLDERS) + single >= 30
