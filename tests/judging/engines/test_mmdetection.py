"""MMDetection without compiled operators: its own numbers, old and new checkpoints, no code run."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jurybox_judging.engines import mmdetection
from jurybox_judging.engines.detection.coco_names import COCO
from jurybox_judging.engines.mmdetection import MMDetection
from jurybox_judging.engines.shared import run_lengths
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused
from tests.judging.engines import tiny_detectors
from tests.judging.engines.tiny_detectors import SIDES, picture

PICTURE = picture(5, 120, 80)
SHIPPED = mmdetection.config_file


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """Small, in the place of those that the library ships."""
    small = tiny_detectors.mmdetection_config(tmp_path_factory.mktemp("mmdetection"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mmdetection, "config_file", lambda name: small)
        yield small


@pytest.fixture(scope="module")
def checkpoint(config):
    return tiny_detectors.save_mmdetection(config.parent, config)


def _engine(checkpoint, config, **options):
    return MMDetection(str(checkpoint), device="cpu", **SIDES, **options)


@pytest.mark.filterwarnings("ignore")
def test_the_same_numbers_as_the_librarys_own_inference(checkpoint, config):
    mmdetection.library()
    from mmdet.apis import inference_detector, init_detector

    official = init_detector(str(config), str(checkpoint), device="cpu")
    bgr = np.ascontiguousarray(np.array(PICTURE)[:, :, ::-1])
    seen = inference_detector(official, bgr).pred_instances
    expected = [at for at in range(len(seen)) if seen.scores[at] > 0.01]
    (found,) = _engine(checkpoint, config, floor=0.01).detect([PICTURE])

    assert len(found) == len(expected) > 20
    for detection, at in zip(found, expected, strict=True):
        assert detection["class"] == mmdetection.geneval_names(COCO)[int(seen.labels[at])]
        assert detection["score"] == pytest.approx(float(seen.scores[at]), abs=1e-4)
        assert detection["box"] == seen.bboxes[at].tolist()
        mask = run_lengths.decode(detection["mask"])
        assert (mask != seen.masks[at].numpy()).mean() < 1e-3


def test_a_checkpoint_of_the_2x_line_is_the_same_judge(checkpoint, config, tmp_path):
    held = prepare().load(checkpoint, weights_only=True)
    old = tmp_path / "old.pth"
    old_keys = {_key_of_2x(key): value for key, value in held["state_dict"].items()}
    assert old_keys.keys() != held["state_dict"].keys()
    prepare().save({"state_dict": old_keys, "meta": {}}, old)
    assert _engine(old, config).detect([PICTURE]) == _engine(checkpoint, config).detect([PICTURE])


def _key_of_2x(key):
    """The attentions and feed-forward nets of a layer were numbered, in the order of their use."""
    if ".pixel_decoder.encoder." in key:
        return key.replace(".self_attn.", ".attentions.0.").replace(".ffn.", ".ffns.0.")
    if ".transformer_decoder." in key:
        key = key.replace(".cross_attn.", ".attentions.0.")
        return key.replace(".self_attn.", ".attentions.1.").replace(".ffn.", ".ffns.0.")
    return key


class History:
    """What a training run leaves in its checkpoints."""

    def __init__(self):
        self.values = np.arange(3.0)
        self.last = np.float64(0.5)


class Calls:
    """What somebody who means harm puts there."""

    def __init__(self, function, *given):
        self.call = function, given

    def __reduce__(self):
        return self.call


def test_objects_beside_the_tensors_are_left_out(checkpoint, config, tmp_path, caplog):
    held = prepare().load(checkpoint, weights_only=True)
    trained = tmp_path / "trained.pth"
    prepare().save({**held, "message_hub": {"loss": History()}}, trained)
    with pytest.raises(pickle.UnpicklingError):
        prepare().load(trained, weights_only=True)
    with caplog.at_level(logging.WARNING):
        state, meta = mmdetection.read_checkpoint(str(trained))
    assert "holds more than tensors" in caplog.text
    assert tuple(meta["CLASSES"]) == COCO
    assert state.keys() == held["state_dict"].keys()
    assert all(prepare().equal(state[key], held["state_dict"][key]) for key in state)


@pytest.mark.parametrize("function", [os.mkdir, Path.mkdir, shutil.copytree])
def test_what_they_would_call_never_runs(function, checkpoint, tmp_path):
    held = prepare().load(checkpoint, weights_only=True)
    sprung = tmp_path / "sprung"
    given = (str(tmp_path), str(sprung)) if function is shutil.copytree else (str(sprung),)
    prepare().save({**held, "message_hub": Calls(function, *given)}, tmp_path / "trap.pth")
    with contextlib.suppress(EngineRefused):
        mmdetection.read_checkpoint(str(tmp_path / "trap.pth"))
    assert not sprung.exists()


def test_a_weight_of_another_shape_stops_the_load(checkpoint, config, tmp_path):
    held = prepare().load(checkpoint, weights_only=True)
    held["state_dict"]["panoptic_head.cls_embed.bias"] = prepare().zeros(7)
    held["state_dict"]["panoptic_head.extra"] = prepare().zeros(7)
    prepare().save(held, tmp_path / "other.pth")
    with pytest.raises(EngineRefused) as refused:
        _engine(tmp_path / "other.pth", config).load()
    assert "does not know: panoptic_head.extra" in str(refused.value)
    assert "in another shape: panoptic_head.cls_embed.bias" in str(refused.value)


def test_a_file_that_is_no_checkpoint_is_a_sentence(config, tmp_path):
    (tmp_path / "page.pth").write_text("<html>not found</html>")
    with pytest.raises(EngineRefused, match=r"“page\.pth” is a web page"):
        _engine(tmp_path / "page.pth", config).load()


def test_the_shipped_configuration_is_that_of_geneval():
    model = mmdetection.build(SHIPPED(mmdetection.CONFIG))
    assert model.panoptic_head.num_queries == 100
    assert [len(stage.blocks) for stage in model.backbone.stages] == [2, 2, 18, 2]
    assert sum(weight.numel() for weight in model.parameters()) == 68_739_547


def test_an_unknown_configuration_is_a_sentence():
    with pytest.raises(EngineRefused, match="no Mask2Former config “yolo”"):
        SHIPPED("yolo")


def test_every_configuration_that_can_be_chosen_is_shipped():
    assert all(SHIPPED(name).is_file() for name in mmdetection.CONFIGS)


@pytest.mark.parametrize("config", ["../../../../../etc/passwd", "/tmp/mine", "small", ""])
def test_a_configuration_that_is_not_shipped_is_refused(config):
    with pytest.raises(ValueError, match="“config” must be one of mask2former_"):
        MMDetection("here", config=config)


def test_a_compiled_operator_that_is_missing_says_what_to_install():
    mmdetection.library()
    from mmcv.ops import nms

    if "mmcv._ext" in sys.modules:
        pytest.skip("mmcv has its operators here")
    boxes = prepare().tensor([[0.0, 0, 1, 1]])
    with pytest.raises(EngineRefused, match="compiled operator “nms”"):
        nms(boxes, prepare().ones(1), 0.5)


def test_making_the_engine_imports_no_library():
    code = (
        "import sys; from jurybox_judging.engines.mmdetection import MMDetection; MMDetection('x').facts\n"
        "print(any(name in sys.modules for name in ('torch', 'mmdet', 'mmcv', 'mmengine')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "False", done.stderr
