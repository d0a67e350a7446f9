"""Files that are no safetensors are checked by their headers too: keys and memory, no tensor read."""

from __future__ import annotations

import pytest

from jurybox_judging.engines import mmdetection
from jurybox_judging.engines.blip_vqa import BlipVqa
from jurybox_judging.engines.clip import OpenClip
from jurybox_judging.engines.mmdetection import MMDetection
from jurybox_judging.engines.preference import HPSv2, ImageReward
from jurybox_judging.engines.shared import memory, tensor_files, weight_files
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused
from tests.judging.engines import tiny_blip, tiny_clip, tiny_detectors, tiny_reward
from tests.judging.engines.test_blip_vqa import _official_state

CLIP_FILE = "open_clip_pytorch_model.bin"


def _blip_vqa(folder, patch):
    words = tiny_blip.save_blip(folder)
    file = folder / "model_vqa.pth"
    prepare().save({"model": _official_state()[1]}, file)
    return BlipVqa(str(file), device="cpu", tokenizer=str(words)), file


def _image_reward(folder, patch):
    made = tiny_reward.save(folder)
    return ImageReward(str(made.file), device="cpu", tokenizer=str(made.words)), made.file


def _mmdetection(folder, patch):
    config = tiny_detectors.mmdetection_config(folder)
    patch.setattr(mmdetection, "config_file", lambda name: config)
    file = tiny_detectors.save_mmdetection(folder, config)
    return MMDetection(str(file), device="cpu", **tiny_detectors.SIDES), file


def _open_clip(kind):
    def make(folder, patch):
        from safetensors.torch import load_file

        tiny_clip.save_open_clip(folder)
        (there,) = folder.glob("*.safetensors")
        prepare().save(load_file(there), folder / CLIP_FILE)
        there.unlink()
        return kind(f"local-dir:{folder}", device="cpu"), folder / CLIP_FILE

    return make


# The engine, and a weight that it cannot do without, by its name in the file.
FAMILIES = {
    "blip-vqa, the official file": (_blip_vqa, "text_encoder.embeddings.word_embeddings.weight"),
    "image-reward": (_image_reward, "mlp.layers.7.weight"),
    "mmdetection": (_mmdetection, "panoptic_head.cls_embed.weight"),
    "open-clip": (_open_clip(OpenClip), "text_projection"),
    "hps-v2": (_open_clip(HPSv2), "text_projection"),
}


@pytest.fixture(params=FAMILIES)
def family(request, tmp_path, monkeypatch):
    make, key = FAMILIES[request.param]
    engine, file = make(tmp_path, monkeypatch)
    return engine, file, key


def _tensors(file):
    return tensor_files.headers(weight_files.find(str(file)))


def test_the_memory_told_is_that_of_the_loaded_weights(family):
    engine, file, _ = family
    told = memory.count_bytes(_tensors(file), engine.precision)
    engine.load()
    model = engine._blip if hasattr(engine, "_blip") else engine._net
    loaded = {weight.data_ptr(): weight.nbytes for weight in model.parameters()}
    assert told == pytest.approx(sum(loaded.values()), rel=0.1)


def test_its_keys_fit_and_none_of_its_tensors_was_read(family, monkeypatch):
    engine, _, _ = family
    torch, load = prepare(), prepare().load

    def headers_alone(*given, map_location, **more):
        assert map_location == "meta"
        return load(*given, map_location=map_location, **more)

    monkeypatch.setattr(torch, "load", headers_alone)
    assert engine.compare_keys()
    assert not engine._is_loaded


def test_a_weight_that_is_missing_is_named(family):
    engine, file, key = family
    held = prepare().load(file, weights_only=True)
    state = held.get("state_dict", held.get("model", held))
    del state[key]
    prepare().save(held, file)
    with pytest.raises(EngineRefused, match=key.rpartition(".")[0].rpartition(".")[2] or key):
        engine.compare_keys()


def test_a_file_of_the_old_kind_has_no_header(tmp_path):
    file = tmp_path / "old.pth"
    state = {"a": prepare().zeros(64)}
    prepare().save(state, file, _use_new_zipfile_serialization=False)
    assert _tensors(file) is None


def test_a_table_under_two_names_counts_once(tmp_path):
    table = prepare().zeros(8, 4)
    prepare().save({"state_dict": {"a": table, "b": table}, "epoch": 3}, tmp_path / "tied.pth")
    assert memory.count_bytes(_tensors(tmp_path / "tied.pth"), "float32") == 8 * 4 * 4
