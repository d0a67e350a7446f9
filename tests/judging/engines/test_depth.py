"""Depth maps in the picture's own size, as the library's post-processing gives them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from jurybox_judging.engines.depth import Depth
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused
from tests.judging.engines.tiny_detectors import picture

PICTURES = [picture(1), picture(2, 50, 70), picture(3)]


def _save_dpt(folder):
    from transformers import DPTConfig, DPTForDepthEstimation, DPTImageProcessor

    config = DPTConfig(
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=4,
        num_attention_heads=2,
        backbone_out_indices=[0, 1, 2, 3],
        image_size=64,
        patch_size=16,
        neck_hidden_sizes=[8, 8, 8, 8],
        fusion_hidden_size=8,
    )
    _bold(DPTForDepthEstimation(config)).save_pretrained(folder)
    DPTImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)


def _save_depth_anything(folder, kind="relative"):
    from transformers import (
        DepthAnythingConfig,
        DepthAnythingForDepthEstimation,
        Dinov2Config,
        DPTImageProcessor,
    )

    config = DepthAnythingConfig(
        backbone_config=Dinov2Config(
            hidden_size=32,
            num_hidden_layers=4,
            num_attention_heads=2,
            image_size=56,
            patch_size=14,
            out_indices=[1, 2, 3, 4],
            apply_layernorm=True,
            reshape_hidden_states=False,
        ),
        reassemble_hidden_size=32,
        patch_size=14,
        neck_hidden_sizes=[8, 8, 8, 8],
        fusion_hidden_size=8,
        head_hidden_size=8,
        depth_estimation_type=kind,
    )
    _bold(DepthAnythingForDepthEstimation(config)).save_pretrained(folder)
    DPTImageProcessor(
        size={"height": 56, "width": 56}, keep_aspect_ratio=True, ensure_multiple_of=14
    ).save_pretrained(folder)


def _bold(model):
    """Random weights of the usual size see one plane; larger ones see hills."""
    torch = prepare()
    torch.manual_seed(0)
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(0, 0.2) if weight.ndim > 1 else weight.uniform_(0.1, 0.9)
    return model


@pytest.fixture(scope="module", params=[_save_dpt, _save_depth_anything])
def checkpoint(request, tmp_path_factory):
    prepare()
    folder = tmp_path_factory.mktemp("depth")
    request.param(folder)
    return str(folder)


def test_maps_are_those_of_the_library_in_the_size_of_the_picture(checkpoint):
    torch = prepare()
    from transformers import AutoImageProcessor, AutoModelForDepthEstimation

    model = AutoModelForDepthEstimation.from_pretrained(checkpoint).eval()
    look = AutoImageProcessor.from_pretrained(checkpoint)
    found = Depth(checkpoint, device="cpu").depths(PICTURES)
    for image, depth in zip(PICTURES, found, strict=True):
        with torch.inference_mode():
            seen = model(**look(images=image, return_tensors="pt"))
        (told,) = look.post_process_depth_estimation(seen, [(image.height, image.width)])
        assert depth.shape == (image.height, image.width)
        expected = told["predicted_depth"].numpy()
        assert np.ptp(expected) > 0
        assert np.abs(depth - expected).max() < 1e-5 * np.ptp(expected)


def _save_hybrid(folder):
    """The published judge's kind: a convolutional stem that checks the size of its pictures."""
    from transformers import BitConfig, DPTConfig, DPTForDepthEstimation, DPTImageProcessor

    stem = BitConfig(
        embedding_size=8,
        hidden_sizes=[8, 16, 32],
        depths=[1, 1, 1],
        layer_type="bottleneck",
        num_groups=2,
        global_padding="same",
        embedding_dynamic_padding=True,
        out_features=["stage1", "stage2", "stage3"],
    )
    config = DPTConfig(
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=4,
        num_attention_heads=2,
        backbone_out_indices=[0, 1, 2, 3],
        image_size=64,
        patch_size=16,
        neck_hidden_sizes=[8, 16, 32, 32],
        fusion_hidden_size=8,
        is_hybrid=True,
        backbone_config=stem,
        backbone_featmap_shape=[1, 32, 4, 4],
        neck_ignore_stages=[0, 1],
        readout_type="project",
    )
    _bold(DPTForDepthEstimation(config)).save_pretrained(folder)
    DPTImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)


@pytest.mark.parametrize("save", [_save_dpt, _save_hybrid])
def test_the_scripts_reading_is_that_of_its_own_steps_one_by_one(save, tmp_path):
    """3D_spatial_eval.py and model_bank_3d.py @ ed5367e2, generate_dataset_3d.py: the map of the
    picture at 480 × 480, stretched, in the picture's size, in 256 steps, and at 479 to 480 pixels."""
    torch = prepare()
    from torchvision import transforms
    from transformers import AutoModelForDepthEstimation

    save(tmp_path)
    model = AutoModelForDepthEstimation.from_pretrained(tmp_path).eval()
    if model.config.is_hybrid:
        model.dpt.embeddings.image_size = (480, 480)
    look = transforms.Compose(
        [transforms.Resize([480, 480]), transforms.ToTensor(), transforms.Normalize(0.5, 0.5)]
    )
    again = transforms.Resize(size=479, max_size=480)
    engine = Depth(str(tmp_path), device="cpu", reading="compbench")
    images = [picture(1), picture(2, 50, 70)]
    for image, found in zip(images, engine.depths(images), strict=True):
        with torch.inference_mode():
            depth = model(look(image.convert("RGB"))[None]).predicted_depth[0]
        depth = (depth - depth.min()) / (depth.max() - depth.min())
        depth = torch.nn.functional.interpolate(
            depth[None, None], size=image.size[::-1], mode="bilinear", align_corners=True
        )
        stored = Image.fromarray(255 * depth[0, 0].numpy()).convert("L")
        expected = np.array(again(stored)) / 255
        assert found.shape == expected.shape
        # One of 256 steps where the last digits of a sum differ.
        assert np.abs(found - expected).max() <= 1 / 255 + 1e-6
        assert (found == expected.astype(np.float32)).mean() > 0.99
        assert np.ptp(found) > 0.2


def test_a_model_that_tells_meters_is_refused(tmp_path):
    prepare()
    _save_depth_anything(tmp_path, kind="metric")
    with pytest.raises(EngineRefused, match="larger is farther"):
        Depth(str(tmp_path), device="cpu").load()


def test_a_missing_weight_stops_the_load(checkpoint, tmp_path):
    from pathlib import Path

    from safetensors.torch import load_file, save_file

    for file in Path(checkpoint).iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    state = load_file(tmp_path / "model.safetensors")
    lost = next(key for key in state if key.startswith("head."))
    del state[lost]
    save_file(state, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(EngineRefused, match="it lacks: head"):
        Depth(str(tmp_path), device="cpu").load()
