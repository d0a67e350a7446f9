"""A judge that is too large stops before its weights are read; others are let go first."""

from __future__ import annotations

import numpy as np
import pytest

from jurybox_judging import registry
from jurybox_judging.engines.clip import TransformersClip
from jurybox_judging.engines.shared import memory, weight_files
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weight_files import Tensor
from jurybox_judging.errors import EngineRefused
from tests.judging.engines import tiny_clip

HALF_A_GIB = {"a.weight": Tensor("F16", (16384, 16384))}


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return tiny_clip.save_transformers_clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture
def room(monkeypatch):
    """The free bytes of each device, as a test says."""
    told = {"cpu": 100 * memory.GIB, "cuda": 100 * memory.GIB}
    monkeypatch.setattr(memory, "free", lambda device: told.get(device))
    monkeypatch.setattr(memory, "_room_makers", [])
    # A whole collection walks over all that the tests have loaded.
    monkeypatch.setattr(memory.gc, "collect", lambda: 0)
    return told


def test_a_judge_too_large_for_the_device_stops_with_the_gib_that_it_wants(room):
    room["cuda"] = memory.GIB // 4
    with pytest.raises(
        EngineRefused, match=r"“big” wants 1\.0 GiB .* in float32, and cuda has 0\.2 GiB free"
    ):
        memory.expect_room("big", HALF_A_GIB, "cuda", "float32")


def test_a_smaller_precision_is_offered_only_where_it_is_smaller(room):
    room["cpu"] = memory.GIB // 4
    with pytest.raises(EngineRefused, match=r"precision=bfloat16 \(0\.5 GiB\)"):
        memory.expect_room("big", HALF_A_GIB, "cpu", "float32")
    with pytest.raises(EngineRefused, match=r"larger machine\.$"):
        memory.expect_room("big", HALF_A_GIB, "cpu", "float16")


def test_other_engines_are_let_go_before_anything_is_refused(room, monkeypatch):
    room["cuda"] = 0

    def let_go():
        room["cuda"] = 2 * memory.GIB

    monkeypatch.setattr(memory, "_room_makers", [let_go])
    memory.expect_room("big", HALF_A_GIB, "cuda", "float32")
    assert room["cuda"] == 2 * memory.GIB


def test_where_nobody_tells_what_is_free_nothing_is_refused(room):
    memory.expect_room("big", HALF_A_GIB, "mps", "float32")


@pytest.fixture
def two_gpus(room, monkeypatch):
    cuda = prepare().cuda
    monkeypatch.setattr(cuda, "is_available", lambda: True)
    monkeypatch.setattr(cuda, "device_count", lambda: 2)
    monkeypatch.setattr(cuda, "empty_cache", lambda: None)
    room |= {"cuda:0": 100 * memory.GIB, "cuda:1": 100 * memory.GIB}
    return room


def test_a_model_that_one_gpu_holds_is_not_split(two_gpus):
    assert memory.several_gpus("big", HALF_A_GIB, "float32") == {}


def test_one_that_exceeds_a_gpu_is_laid_on_all_of_them_with_room_for_pictures(two_gpus):
    two_gpus |= {"cuda": memory.GIB // 2, "cuda:0": memory.GIB // 2, "cuda:1": memory.GIB}
    shares = memory.several_gpus("big", HALF_A_GIB, "float32")
    # 90 % of 0.5 and of 1 GiB.
    assert shares == {0: 483_183_820, 1: 966_367_641}


def test_one_too_large_for_all_gpus_stops_with_the_gib_that_it_wants(two_gpus):
    two_gpus |= {"cuda": memory.GIB // 2, "cuda:0": memory.GIB // 2, "cuda:1": memory.GIB // 2}
    with pytest.raises(
        EngineRefused,
        match=r"“big” wants 1\.0 GiB .* in float32, and 2 GPUs together have 1\.0 GiB free, a tenth",
    ):
        memory.several_gpus("big", HALF_A_GIB, "float32")


def test_only_an_engine_that_may_be_split_is_split(two_gpus, clip):
    two_gpus |= {"cuda": 1000}
    engine = TransformersClip(str(clip))
    with pytest.raises(EngineRefused, match=r"cuda has 0\.0 MiB free"):
        engine.load()


def test_an_engine_asks_before_it_reads_its_weights(clip, room):
    room["cpu"] = 1000
    engine = TransformersClip(str(clip), device="cpu")
    with pytest.raises(EngineRefused, match=r"wants 0\.1 MiB for its weights in float32"):
        engine.load()
    assert not hasattr(engine, "_net")


@pytest.mark.parametrize(("precision", "size"), [("float32", 4), ("bfloat16", 2), ("float16", 2)])
def test_the_figure_from_the_header_is_the_memory_of_the_loaded_weights(clip, precision, size):
    from transformers import CLIPModel

    tensors = weight_files.headers(weight_files.find(str(clip)))
    model = CLIPModel.from_pretrained(clip, dtype=getattr(prepare(), precision))
    measured = sum(weight.nbytes for weight in model.parameters())
    assert memory.count_bytes(tensors, precision) == pytest.approx(measured, rel=0.1)
    assert measured == size * sum(int(np.prod(t.shape)) for t in tensors.values())


def test_what_this_machine_has_free_is_read():
    assert memory.free("cpu") > 1 << 20


def test_the_engines_of_the_judge_in_hand_stay():
    registry.forget_engines()
    first = registry.build("geneval-builtin", {"objects.batch": 3})
    second = registry.build("tifa-builtin", {})
    registry.take_in_hand(second)
    registry.let_others_go()
    assert registry.build("tifa-builtin", {}).parts["answers"] is second.parts["answers"]
    assert (
        registry.build("geneval-builtin", {"objects.batch": 3}).parts["objects"]
        is not first.parts["objects"]
    )


def test_weights_that_outgrow_the_memory_get_a_second_try_without_the_others(monkeypatch):
    torch, tried = prepare(), []

    class Full(TransformersClip):
        def _load(self):
            tried.append(1)
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    monkeypatch.setattr(memory, "_room_makers", [lambda: tried.append(2)])
    with pytest.raises(EngineRefused, match=r"does not fit into memory: CUDA .* 2\.00 GiB"):
        Full("x", device="cpu").load()
    assert tried == [1, 2, 1]
