"""Depth maps in the picture's own size, as the library's post-processing gives them."""

from __future__ import annotations

import numpy as np
import pytest

from judges.engines.depth import Depth
from judges.engines.shared.torch_setup import prepare
from judges.errors import EngineRefused
from tests.judges.engines.tiny_detectors import picture

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
