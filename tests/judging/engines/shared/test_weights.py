"""Checkpoints that half fit are refused by name; nothing is made up at random."""

import os
import subprocess
import sys

import pytest

from jurybox_judging.engines.shared import tensor_files, weight_facts, weights
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused, MemoryFull


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A CLIP of a few thousand weights, saved as its makers would."""
    prepare().manual_seed(0)
    from transformers import CLIPConfig, CLIPModel

    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    config = CLIPConfig(
        text_config={**small, "num_attention_heads": 2, "vocab_size": 32},
        vision_config={**small, "num_attention_heads": 2, "image_size": 32, "patch_size": 16},
        projection_dim=8,
    )
    folder = tmp_path_factory.mktemp("clip")
    CLIPModel(config).save_pretrained(folder)
    return folder


def _changed(checkpoint, folder, change):
    """The same checkpoint with its tensors changed by hand."""
    from safetensors.torch import load_file, save_file

    for file in checkpoint.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    state = load_file(checkpoint / "model.safetensors")
    change(state)
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def _load(folder):
    from transformers import CLIPModel

    return weights.load_model(CLIPModel, str(folder), device="cpu")


def test_a_whole_checkpoint_loads_with_its_own_numbers(checkpoint):
    from safetensors.torch import load_file

    model = _load(checkpoint)
    saved = load_file(checkpoint / "model.safetensors")
    assert not model.training
    assert prepare().equal(model.state_dict()["logit_scale"], saved["logit_scale"])


def test_a_missing_weight_stops_with_its_name(checkpoint, tmp_path):
    folder = _changed(checkpoint, tmp_path, lambda state: state.pop("visual_projection.weight"))
    with pytest.raises(EngineRefused, match=r"it lacks: visual_projection\.weight"):
        _load(folder)


def test_a_weight_too_many_stops_with_its_name(checkpoint, tmp_path):
    def add(state):
        state["adapter.weight"] = prepare().zeros(2)

    with pytest.raises(EngineRefused, match=r"does not know: adapter\.weight"):
        _load(_changed(checkpoint, tmp_path, add))


def test_a_weight_of_another_shape_stops_the_load(checkpoint, tmp_path):
    def reshape(state):
        state["visual_projection.weight"] = prepare().zeros(8, 4)

    with pytest.raises(EngineRefused, match=r"visual_projection\.weight|mismatch"):
        _load(_changed(checkpoint, tmp_path, reshape))


def test_a_buffer_that_was_never_learned_may_be_absent():
    weights.check_keys("x", missing=["text.position_ids"], unexpected=["rotary.inv_freq"])


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(EngineRefused, match="cannot be loaded"):
        _load(tmp_path / "absent")


def test_no_checkpoint_at_all_is_a_sentence():
    with pytest.raises(EngineRefused, match="needs a checkpoint"):
        _load("")


def test_an_unknown_precision_is_a_sentence():
    with pytest.raises(EngineRefused, match="not “int7”"):
        weights.pick_precision("int7")


def test_a_pickle_that_runs_code_is_refused(tmp_path):
    import pickle

    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    (tmp_path / "trap.pt").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(EngineRefused, match=r"trap\.pt"):
        tensor_files.load_state(tmp_path / "trap.pt")
    assert not (tmp_path / "sprung").exists()


def test_plain_tensors_are_read_from_both_kinds_of_file(tmp_path):
    from safetensors.torch import save_file

    torch = prepare()
    state = {"a": torch.arange(3.0)}
    save_file(state, tmp_path / "a.safetensors")
    torch.save({"state_dict": state}, tmp_path / "a.pt")
    for name in ("a.safetensors", "a.pt"):
        assert tensor_files.load_state(tmp_path / name)["a"].tolist() == [0, 1, 2]


def test_the_content_of_a_checkpoint_is_part_of_its_facts(checkpoint, tmp_path):
    def nudge(state):
        state["logit_scale"] += 1e-3

    other = _changed(checkpoint, tmp_path, nudge)
    first, second = (weight_facts.facts(str(folder)) for folder in (checkpoint, other))
    assert first["content"] != second["content"]
    assert first == weight_facts.facts(str(checkpoint))
    assert str(checkpoint.parent) not in str(first)
    assert "torch 2" in first["libraries"]


def test_running_out_of_memory_is_told_apart_from_other_failures():
    torch = prepare()
    with pytest.raises(MemoryFull), weights.memory_guard():
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
    with pytest.raises(RuntimeError, match="else"), weights.memory_guard():
        raise RuntimeError("something else")


@pytest.mark.nightly("the engines' own tests import both")
def test_torchvision_imports_beside_any_build_of_torch():
    """In a process of its own: what this one has imported already would hide a failure."""
    code = (
        "from jurybox_judging.engines.shared.torch_setup import prepare; prepare()\n"
        "import torch\n"
        "from torchvision.transforms.v2 import Resize\n"
        "print(Resize(4)(torch.zeros(3, 8, 8)).shape[-1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "4", done.stderr


def test_naming_an_engine_imports_no_torch():
    code = "import sys, jurybox_judging.engines.shared.weights; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "False", done.stderr
