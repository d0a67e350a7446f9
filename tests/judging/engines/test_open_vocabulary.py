"""OWLv2 and Grounding DINO: boxes and scores as the library's own post-processing gives them."""

from __future__ import annotations

import re

import pytest

from jurybox_judging.engines.open_vocabulary import GroundingDino, Owlv2, one_text
from jurybox_judging.engines.shared.torch_setup import prepare
from tests.judging.engines import tiny_detectors
from tests.judging.engines.tiny_detectors import picture

PICTURE = picture(7, 120, 80)
NAMES = ("cat", "red bus")


@pytest.fixture(scope="module")
def owlv2(tmp_path_factory):
    return str(tiny_detectors.save_owlv2(tmp_path_factory.mktemp("owlv2")))


@pytest.fixture(scope="module")
def grounding_dino(tmp_path_factory):
    return str(tiny_detectors.save_grounding_dino(tmp_path_factory.mktemp("grounding_dino")))


def test_owlv2_as_the_library_reads_it(owlv2):
    torch = prepare()
    from transformers import AutoTokenizer, Owlv2ForObjectDetection, Owlv2ImageProcessor

    model = Owlv2ForObjectDetection.from_pretrained(owlv2).eval()
    look = Owlv2ImageProcessor.from_pretrained(owlv2)
    words = AutoTokenizer.from_pretrained(owlv2)(
        ["a photo of a cat", "a photo of a red bus"],
        padding="max_length",
        max_length=24,
        return_tensors="pt",
    )
    with torch.inference_mode():
        seen = model(
            pixel_values=look(images=[PICTURE], return_tensors="pt")["pixel_values"],
            input_ids=words["input_ids"],
        )
    (official,) = look.post_process_object_detection(seen, 0.1, target_sizes=[(80, 120)])
    (found,) = Owlv2(owlv2, device="cpu").detect([PICTURE], [NAMES])

    assert len(found) == len(official["scores"]) > 3
    assert [NAMES.index(d["class"]) for d in found] == official["labels"].tolist()
    assert [d["score"] for d in found] == pytest.approx(official["scores"].tolist(), abs=1e-5)
    for detection, box in zip(found, official["boxes"].tolist(), strict=True):
        assert detection["box"] == pytest.approx(box, abs=1e-3)


def test_a_neighbor_that_asks_for_more_names_changes_nothing(owlv2):
    engine = Owlv2(owlv2, device="cpu")
    (alone,) = engine.detect([PICTURE], [NAMES])
    together, _ = engine.detect([PICTURE, PICTURE], [NAMES, ("dog", "light", "zebra", "photo")])
    assert [d["class"] for d in alone] == [d["class"] for d in together]
    assert [d["score"] for d in alone] == pytest.approx([d["score"] for d in together], abs=1e-5)


def test_grounding_dino_as_the_library_reads_it(grounding_dino):
    torch = prepare()
    from transformers import (
        AutoTokenizer,
        GroundingDinoForObjectDetection,
        GroundingDinoImageProcessor,
        GroundingDinoProcessor,
    )

    model = GroundingDinoForObjectDetection.from_pretrained(grounding_dino).eval()
    processor = GroundingDinoProcessor(
        GroundingDinoImageProcessor.from_pretrained(grounding_dino),
        AutoTokenizer.from_pretrained(grounding_dino),
    )
    given = processor(images=PICTURE, text="cat. red bus.", return_tensors="pt")
    with torch.inference_mode():
        seen = model(**given)
    (official,) = processor.post_process_grounded_object_detection(
        seen, given["input_ids"], threshold=0.1, text_threshold=0.1, target_sizes=[(80, 120)]
    )
    (found,) = GroundingDino(grounding_dino, device="cpu").detect([PICTURE], [NAMES])

    # The library also tells boxes that no word lights up for, with an empty name.
    theirs = [
        (score, box, name)
        for score, box, name in zip(
            official["scores"].tolist(),
            official["boxes"].tolist(),
            official["text_labels"],
            strict=True,
        )
        if re.search(r"cat|red|bus", name)
    ]
    assert len(found) == len(theirs) > 3
    for detection, (score, box, name) in zip(found, theirs, strict=True):
        assert detection["score"] == pytest.approx(score, abs=1e-5)
        assert detection["box"] == pytest.approx(box, abs=1e-3)
        assert any(word in name for word in detection["class"].split())


def test_names_stand_in_one_text_each_ended_by_a_full_stop():
    assert one_text([" Cat", "red bus"]) == ("cat. red bus.", [(0, 3), (5, 12)])


def test_a_name_of_stops_only_is_refused():
    with pytest.raises(ValueError, match="“..” is no name"):
        one_text([".."])


def test_more_names_than_the_text_holds_are_refused(grounding_dino):
    many = tuple(["traffic light"] * 20)
    with pytest.raises(ValueError, match="more than 32 tokens"):
        GroundingDino(grounding_dino, device="cpu").detect([PICTURE], [many])
