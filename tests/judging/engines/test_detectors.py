"""What every detector owes: one contract for all families, on small weights of the true shape."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from jurybox_judging.engines import mask2former, mmdetection, open_vocabulary
from jurybox_judging.engines.clip import OpenClip
from jurybox_judging.engines.detection.coco_names import COCO, GENEVAL
from jurybox_judging.engines.preference import ImageReward
from jurybox_judging.engines.shared import run_lengths
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused
from tests.judging.engines import tiny_detectors
from tests.judging.engines.tiny_detectors import SIDES, picture

PICTURES = [picture(1), picture(2), picture(3, 64, 64)]
NAMES = [("cat", "red bus"), ("dog",), ("cat", "dog", "zebra")]
FAMILIES = ("mask2former", "mmdetection", "owlv2", "grounding_dino")


@pytest.fixture(scope="module", autouse=True)
def small_config(tmp_path_factory):
    """In the place of those that MMDetection ships."""
    small = tiny_detectors.mmdetection_config(tmp_path_factory.mktemp("config"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mmdetection, "config_file", lambda name: small)
        yield


def _mmdetection(folder):
    return tiny_detectors.save_mmdetection(folder, mmdetection.config_file("")), SIDES


@pytest.fixture(scope="module", params=FAMILIES)
def made(request, tmp_path_factory):
    """How to make the engine: its class, its checkpoint and the options for so small a one."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "mmdetection":
        return mmdetection.MMDetection, *_mmdetection(folder)
    if request.param == "mask2former":
        return mask2former.Mask2Former, tiny_detectors.save_mask2former(folder), SIDES
    if request.param == "owlv2":
        return open_vocabulary.Owlv2, tiny_detectors.save_owlv2(folder), {}
    return open_vocabulary.GroundingDino, tiny_detectors.save_grounding_dino(folder), {}


@pytest.fixture(scope="module")
def detector(made):
    kind, checkpoint, options = made
    return kind(str(checkpoint), device="cpu", **options)


@pytest.fixture(scope="module")
def found(detector):
    return detector.detect(PICTURES, NAMES)


def test_something_is_found_in_every_picture(found):
    assert len(found) == len(PICTURES)
    assert all(found)


def test_every_detection_has_a_known_name_a_score_and_a_box_in_the_picture(detector, found):
    for image, names, detections in zip(PICTURES, NAMES, found, strict=True):
        for detection in detections:
            assert detection["class"] in (detector.classes or names)
            assert detector.floor < detection["score"] <= 1
            left, above, right, below = detection["box"]
            assert left < right and above < below
            if "mask" in detection:
                assert left >= 0 and above >= 0
                assert right <= image.width and below <= image.height


def test_a_box_is_the_extent_of_its_mask(found):
    for detections in found:
        for detection in (d for d in detections if "mask" in d):
            rows, columns = np.nonzero(run_lengths.decode(detection["mask"]))
            extent = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
            assert detection["box"] == extent


def test_neighbors_in_a_batch_change_nothing(detector, found):
    for image, names, together in zip(PICTURES, NAMES, found, strict=True):
        (alone,) = detector.detect([image], [names])
        assert [d["class"] for d in alone] == [d["class"] for d in together]
        for one, other in zip(alone, together, strict=True):
            assert one["score"] == pytest.approx(other["score"], abs=1e-4)
            assert one["box"] == pytest.approx(other["box"], abs=1e-2)


def test_two_threads_at_once_see_what_one_sees(detector, found):
    with ThreadPoolExecutor(2) as threads:
        twice = list(threads.map(lambda _: detector.detect(PICTURES, NAMES), range(2)))
    for seen in twice:
        scores = [[d["score"] for d in detections] for detections in seen]
        for ours, theirs in zip(scores, found, strict=True):
            assert ours == pytest.approx([d["score"] for d in theirs], abs=1e-5)


def test_no_picture_no_detection(detector):
    assert detector.detect([], []) == []


def test_facts_are_told_without_loading(made):
    kind, checkpoint, options = made
    facts = kind(str(checkpoint), precision="bfloat16", floor=0.2, **options).facts
    assert facts["precision"] == "bfloat16"
    assert facts["floor"] == "0.2"
    assert len(facts["content"]) == 16
    assert "torch 2" in facts["libraries"]
    assert all(isinstance(fact, str) for fact in facts.values())
    assert str(checkpoint.parent) not in str(facts)


def test_a_missing_weight_stops_the_load_with_its_name(made, tmp_path):
    kind, checkpoint, options = made
    copy = _without_one_weight(checkpoint, tmp_path)
    with pytest.raises(EngineRefused, match=r"do not fit this model; it lacks: \w\S+\.weight\."):
        kind(str(copy), device="cpu", **options).load()


def _without_one_weight(checkpoint, folder):
    if checkpoint.is_file():
        held = prepare().load(checkpoint, weights_only=True)
        del held["state_dict"]["panoptic_head.cls_embed.weight"]
        prepare().save(held, folder / checkpoint.name)
        return folder / checkpoint.name
    from safetensors.torch import load_file, save_file

    for file in checkpoint.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    state = load_file(checkpoint / "model.safetensors")
    del state[next(key for key in state if key.endswith(("fc1.weight", "dense.weight")))]
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@pytest.mark.parametrize("family", ["mask2former", "mmdetection"])
def test_a_lower_precision_is_nearly_the_same(family, tmp_path):
    torch = prepare()
    if family == "mmdetection":
        checkpoint, options = _mmdetection(tmp_path)
        kind = mmdetection.MMDetection
    else:
        checkpoint, options = tiny_detectors.save_mask2former(tmp_path), SIDES
        kind = mask2former.Mask2Former
    logits = []
    for precision in ("float32", "bfloat16"):
        engine = kind(str(checkpoint), device="cpu", precision=precision, **options)
        assert engine.detect(PICTURES[:1])[0]
        with torch.inference_mode(), engine._lowered():
            pixels = engine._framed(PICTURES[:1], (96, 144))
            logits.append(engine._queries(pixels)[0].float())
    assert not torch.equal(*logits)
    assert (logits[0] - logits[1]).abs().median() < 0.05 * logits[0].std()


@pytest.mark.parametrize("kind", [mmdetection.MMDetection, OpenClip, ImageReward])
def test_a_revision_that_would_be_ignored_is_refused(kind):
    with pytest.raises(ValueError, match="knows no revisions"):
        kind("here", revision="abc")


def test_names_are_those_of_geneval_in_the_order_of_coco():
    assert len(GENEVAL) == 80
    differing = {old: new for old, new in zip(COCO, GENEVAL, strict=True) if old != new}
    assert differing == {
        "mouse": "computer mouse",
        "remote": "tv remote",
        "keyboard": "computer keyboard",
    }


@pytest.mark.parametrize("names", [[], [()], [("cat",), ("dog",)]])
def test_an_open_vocabulary_must_be_told_what_to_look_for(names):
    with pytest.raises(ValueError, match="must be told what to look for"):
        open_vocabulary.Owlv2("nowhere").detect([PICTURES[0]], names)
