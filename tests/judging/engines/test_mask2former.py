"""Mask2Former in transformers: the same numbers as the library's own post-processing, and as the
official rule written out step by step for all queries at full size."""

from __future__ import annotations

import numpy as np
import pytest

from jurybox_judging.engines.mask2former import Mask2Former
from jurybox_judging.engines.shared import run_lengths
from jurybox_judging.engines.shared.torch_setup import prepare
from tests.judging.engines import tiny_detectors
from tests.judging.engines.tiny_detectors import SIDES, picture

PICTURE = picture(5, 120, 80)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return tiny_detectors.save_mask2former(tmp_path_factory.mktemp("mask2former"))


@pytest.fixture(scope="module")
def library(checkpoint):
    prepare()
    from transformers import AutoImageProcessor, Mask2FormerForUniversalSegmentation

    model = Mask2FormerForUniversalSegmentation.from_pretrained(checkpoint).eval()
    return model, AutoImageProcessor.from_pretrained(checkpoint)


def test_read_as_transformers_reads_it(checkpoint, library):
    model, processor = library
    with prepare().inference_mode():
        seen = model(**processor(images=[PICTURE], return_tensors="pt"))
    (official,) = processor.post_process_instance_segmentation(
        seen, threshold=0.05, target_sizes=[(80, 120)], return_binary_maps=True
    )
    engine = Mask2Former(str(checkpoint), device="cpu", reading="transformers")
    (found,) = engine.detect([PICTURE])

    assert len(found) == len(official["segments_info"]) > 5
    for detection, info, mask in zip(
        found, official["segments_info"], official["segmentation"], strict=True
    ):
        assert detection["class"] == engine.classes[info["label_id"]]
        assert detection["score"] == pytest.approx(info["score"], abs=1e-5)
        assert np.array_equal(run_lengths.decode(detection["mask"]), mask.numpy() > 0)


def test_read_as_geneval_reads_it(checkpoint, library):
    """The official way: every mask of the hundred drawn at full size, boxes one by one."""
    torch = prepare()
    model, _ = library
    engine = Mask2Former(str(checkpoint), device="cpu", **SIDES)
    (found,) = engine.detect([PICTURE])

    pixels = torch.from_numpy(np.array(PICTURE)).permute(2, 0, 1)[None].float()
    # min(160/120, 96/80) = 1.2: 120 × 80 becomes 144 × 96, padded to 160 × 96
    pixels = torch.nn.functional.interpolate(pixels, (96, 144), mode="bilinear")
    mean = torch.tensor([123.675, 116.28, 103.53])[:, None, None]
    spread = torch.tensor([58.395, 57.12, 57.375])[:, None, None]
    pixels = torch.nn.functional.pad((pixels - mean) / spread, (0, 16))
    with torch.inference_mode():
        seen = model(pixel_values=pixels)
    maps = torch.nn.functional.interpolate(seen.masks_queries_logits, (96, 160), mode="bilinear")[
        ..., :144
    ]
    maps = torch.nn.functional.interpolate(maps, (80, 120), mode="bilinear")[0]
    chances = seen.class_queries_logits[0].softmax(-1)[:, :80].flatten()
    expected = []
    for place in chances.topk(100, sorted=False).indices.tolist():
        inside = maps[place // 80] > 0
        if inside.any():
            sure = maps[place // 80].sigmoid()[inside].mean()
            rows, columns = inside.nonzero(as_tuple=True)
            box = [int(v) for v in (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)]
            expected.append((engine.classes[place % 80], float(chances[place] * sure), box))

    expected = [one for one in expected if one[1] > 0.05]
    assert [(d["class"], d["box"]) for d in found] == [(name, box) for name, _, box in expected]
    assert [d["score"] for d in found] == pytest.approx([s for _, s, _ in expected], abs=1e-5)


def test_a_lower_floor_adds_detections_and_changes_none(checkpoint):
    high, low = (
        Mask2Former(str(checkpoint), device="cpu", floor=floor, **SIDES).detect([PICTURE])[0]
        for floor in (0.1, 0.02)
    )
    assert len(high) < len(low)
    assert [d for d in low if d["score"] > 0.1] == high


def test_only_two_readings_are_known():
    with pytest.raises(ValueError, match="one of geneval, transformers, not 'coco'"):
        Mask2Former(reading="coco")
