"""BLIP and BLIP-2 as matchers: the probability that the library's own call gives."""

from __future__ import annotations

import pytest

from jurybox_judging.engines.blip_itm import Blip2Itm, BlipItm, cleaned
from jurybox_judging.engines.shared.torch_setup import prepare
from tests.judging.engines import tiny_itm
from tests.judging.engines.tiny_detectors import picture

PICTURES = [picture(1), picture(2)]
PAIRS = [(PICTURES[0], "a red cat"), (PICTURES[1], "two apple on the bench"), (PICTURES[0], "one")]


@pytest.fixture(scope="module", params=["blip", "blip2"])
def pair(request, tmp_path_factory):
    """The engine, and the library's own call for one picture and one text."""
    torch = prepare()
    folder = tmp_path_factory.mktemp(request.param)
    from transformers import (
        AutoImageProcessor,
        AutoTokenizer,
        Blip2ForImageTextRetrieval,
        BlipForImageTextRetrieval,
    )

    if request.param == "blip":
        tiny_itm.save_blip(folder)
        model = BlipForImageTextRetrieval.from_pretrained(folder).eval()
        engine = BlipItm(str(folder), device="cpu", batch=2)
    else:
        tiny_itm.save_blip2(folder)
        model = Blip2ForImageTextRetrieval.from_pretrained(folder).eval()
        engine = Blip2Itm(str(folder), device="cpu", batch=2)
    look, words = AutoImageProcessor.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)

    def plain(image, text):
        given = look(images=image, return_tensors="pt")
        given |= {k: words(text, return_tensors="pt")[k] for k in ("input_ids", "attention_mask")}
        with torch.inference_mode():
            if request.param == "blip":
                logits = model(**given).itm_score
            else:
                logits = model(**given, use_image_text_matching_head=True).logits_per_image
        return float(logits.softmax(-1)[0, 1])

    return engine, plain


def test_the_same_probability_as_the_librarys_own_call(pair):
    engine, plain = pair
    found = engine.similarities(PAIRS)
    assert found == pytest.approx([plain(image, text) for image, text in PAIRS], abs=1e-5)
    assert max(found) - min(found) > 1e-3


def test_a_missing_weight_stops_the_load(pair, tmp_path):
    tiny_itm.refuses_without_a_weight(pair[0], tmp_path)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("A Red cat.", "a red cat"),
        ("two  dogs, (one: white)", "two dogs, one white"),
        ("word " * 60, " ".join(["word"] * 50)),
    ],
)
def test_texts_are_prepared_as_the_papers_code_does(text, clean):
    assert cleaned(text) == clean
