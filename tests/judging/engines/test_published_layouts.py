"""Files as they were published load into today's classes, with every weight in its place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jurybox_judging.engines.blip_itm import Blip2Itm, BlipItm
from jurybox_judging.engines.blip_vqa import BlipVqa
from jurybox_judging.engines.clip import TransformersClip
from jurybox_judging.engines.clip_flant5 import ClipFlanT5
from jurybox_judging.engines.depth import Depth
from jurybox_judging.engines.image_text import ImageTextModel
from jurybox_judging.engines.mask2former import Mask2Former
from jurybox_judging.engines.open_vocabulary import GroundingDino, Owlv2
from jurybox_judging.engines.preference import PickScore
from jurybox_judging.engines.qwen_vl import QwenVL
from jurybox_judging.engines.shared import memory, weight_files
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused
from tests.judging.engines import (
    test_depth,
    tiny_blip,
    tiny_clip,
    tiny_detectors,
    tiny_flant5,
    tiny_itm,
    tiny_llava,
    tiny_qwen,
)
from tests.judging.engines.published_layouts import ELSEWHERE, LAYOUTS, rewrite

# The engine, its small checkpoint, its options, and a weight that no judge can do without: by the
# name that it has in the file.
CASES = {
    "mask2former": (Mask2Former, tiny_detectors.save_mask2former, "class_predictor.weight"),
    "mask2former, first version": (
        Mask2Former,
        tiny_detectors.save_mask2former,
        "model.transformer_module.queries_features.weight",
    ),
    "depth": (
        Depth,
        test_depth._save_dpt,
        "neck.fusion_stage.layers.1.residual_layer1.convolution1.weight",
    ),
    "clip": (TransformersClip, tiny_clip.save_transformers_clip, "visual_projection.weight"),
    "pick-score": (PickScore, tiny_clip.save_transformers_clip, "text_projection.weight"),
    "owlv2": (Owlv2, tiny_detectors.save_owlv2, "class_head.dense0.weight"),
    "grounding-dino": (
        GroundingDino,
        tiny_detectors.save_grounding_dino,
        "model.enc_output.weight",
    ),
    "blip-vqa": (BlipVqa, tiny_blip.save_blip, "text_encoder.embeddings.word_embeddings.weight"),
    "blip-itm": (BlipItm, tiny_itm.save_blip, "itm_head.weight"),
    "blip2-itm": (Blip2Itm, tiny_itm.save_blip2, "itm_head.weight"),
    "llava": (ImageTextModel, tiny_llava.save_llava, "language_model.model.norm.weight"),
    "instructblip": (ImageTextModel, tiny_llava.save_instructblip, "language_projection.weight"),
    "clip-flant5": (ClipFlanT5, tiny_flant5.save_clip_flant5, "mm_projector.0.weight"),
    "qwen2_vl": (
        QwenVL,
        lambda folder: tiny_qwen.save("qwen2_vl", folder),
        "visual.merger.ln_q.weight",
    ),
    "qwen2_5_vl": (
        QwenVL,
        lambda folder: tiny_qwen.save("qwen2_5_vl", folder),
        "visual.merger.ln_q.weight",
    ),
    "qwen3_vl": (
        QwenVL,
        lambda folder: tiny_qwen.save("qwen3_vl", folder),
        "model.visual.merger.norm.weight",
    ),
}


def _engine(name, folder, plain):
    options = {}
    if name == "instructblip":
        options["template"] = "{question}"
    if name == "clip-flant5":
        options["vision"] = str(plain / "tower")
    if name == "pick-score":
        options["processor"] = str(plain)
    return CASES[name][0](str(folder), device="cpu", **options)


def _model(engine):
    return next(
        getattr(engine, where) for where in ("_net", "_t5", "_blip") if hasattr(engine, where)
    )


def _weights(engine):
    return _model(engine).state_dict()


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Each small checkpoint as the library saves it today, made once."""
    made = {}

    def folder(name):
        if name not in made:
            path = tmp_path_factory.mktemp("plain") / "weights"
            path.mkdir()
            CASES[name][1](path)
            made[name] = path
        return made[name]

    return folder


def test_every_layout_is_tried():
    assert CASES.keys() == LAYOUTS.keys()
    assert all((Path(__file__).parent / test).is_file() for _, test in ELSEWHERE.values())


@pytest.mark.parametrize("name", CASES)
def test_a_published_file_gives_the_weights_of_the_model_that_it_was_made_of(name, plain, tmp_path):
    layout = LAYOUTS[name]
    published = rewrite(plain(name), tmp_path / "published", layout.published)
    engine, reference = (
        _engine(name, published, plain(name)),
        _engine(name, plain(name), plain(name)),
    )
    engine.load()
    reference.load()
    got, wanted = _weights(engine), _weights(reference)
    assert got.keys() == wanted.keys()
    unused = re.compile("|".join(engine.never_used) or "(?!)")
    differ = [k for k in wanted if not unused.search(k) and not prepare().equal(got[k], wanted[k])]
    assert not differ


@pytest.mark.parametrize("name", CASES)
def test_a_weight_that_is_needed_is_missed_by_its_name(name, plain, tmp_path):
    key = CASES[name][2]

    def without(state):
        state = LAYOUTS[name].published(state)
        del state[key]
        return state

    broken = rewrite(plain(name), tmp_path / "broken", without)
    # The sentence has today's name of the weight, which may have another prefix.
    with pytest.raises(
        EngineRefused, match=rf"it lacks: .*{re.escape('.'.join(key.split('.')[-2:]))}"
    ):
        _engine(name, broken, plain(name)).load()


def _answers(engine):
    """What the engine says about a picture, of whatever kind it is."""
    image = tiny_detectors.picture(1)
    if isinstance(engine, Depth):
        return [depth.tolist() for depth in engine.depths([image])]
    return engine.detect([image], [("cat", "dog")])


@pytest.mark.parametrize("name", ["mask2former", "depth", "grounding-dino"])
def test_what_may_be_absent_changes_no_answer(name, plain, tmp_path):
    pattern = re.compile("|".join(CASES[name][0].never_used))
    filled = []

    def with_other_numbers(state):
        filled.extend(key for key in state if pattern.search(key))
        return {k: v * 0 + 37 if pattern.search(k) else v for k, v in state.items()}

    other = rewrite(plain(name), tmp_path / "other", with_other_numbers)
    first, second = (_engine(name, folder, plain(name)) for folder in (plain(name), other))
    for engine in (first, second):
        if hasattr(engine, "floor"):
            engine.floor = 0.0
    said = _answers(first)
    assert filled
    assert said[0]
    assert _answers(second) == said


def test_engines_with_something_never_used_say_why():
    declared = {case[0] for case in CASES.values() if case[0].never_used}
    assert declared == {Mask2Former, Depth, GroundingDino}
    assert all(reason for engine in declared for reason in engine.never_used.values())


@pytest.mark.parametrize("name", CASES)
def test_the_headers_alone_tell_whether_a_file_fits(name, plain, tmp_path):
    """As loading does, but no tensor is read."""
    whole = rewrite(plain(name), tmp_path / "whole", LAYOUTS[name].published)
    assert _engine(name, whole, plain(name)).compare_keys()

    def without(state):
        state = LAYOUTS[name].published(state)
        del state[CASES[name][2]]
        return state

    broken = rewrite(plain(name), tmp_path / "broken", without)
    with pytest.raises(EngineRefused, match="it lacks: "):
        _engine(name, broken, plain(name)).compare_keys()


@pytest.mark.parametrize("name", CASES)
def test_the_memory_told_from_the_headers_is_that_of_the_loaded_weights(name, plain, tmp_path):
    """Within a tenth: a file may repeat a table that the model shares, or lack one that is not used."""
    published = rewrite(plain(name), tmp_path / "published", LAYOUTS[name].published)
    engine = _engine(name, published, plain(name))
    engine.load()
    weights = {weight.data_ptr(): weight.nbytes for weight in _model(engine).parameters()}
    tensors = weight_files.headers(weight_files.find(str(published)))
    assert memory.count_bytes(tensors, engine.precision) == pytest.approx(
        sum(weights.values()), rel=0.1
    )
