"""Two towers by transformers' AutoModel: SigLIP, SigLIP 2 and CLIP against the library's own call."""

import pytest

from jurybox_judging.engines.dual_encoder import DualEncoder
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused
from tests.judging.engines import tiny_clip, tiny_qwen, tiny_siglip
from tests.judging.engines.tiny_detectors import picture

CLOSE = 1e-5
PICTURES = [picture(1, 96, 64), picture(2, 64, 96)]
PAIRS = [(PICTURES[0], "a red cat"), (PICTURES[1], "two dogs"), (PICTURES[0], "a bus")]


def engine(folder, **options):
    return DualEncoder(str(folder), device="cpu", **options)


@pytest.fixture(scope="module", params=["siglip", "siglip2"])
def siglip(request, tmp_path_factory):
    return tiny_siglip.save(request.param, tmp_path_factory.mktemp(request.param))


def by_library(folder, image, text):
    """Logit and cosine as the library's own model returns them for one pair, filled up as in its examples."""
    torch = prepare()
    from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder).eval()
    given = AutoImageProcessor.from_pretrained(folder)(images=image, return_tensors="pt")
    words = AutoTokenizer.from_pretrained(folder)(
        [text], padding="max_length", max_length=tiny_siglip.LENGTH, return_tensors="pt"
    )
    with torch.inference_mode():
        out = model(**given, input_ids=words["input_ids"])
    cosine = (out.image_embeds @ out.text_embeds.T)[0, 0]
    return float(out.logits_per_image[0, 0].sigmoid()), float(cosine)


def test_the_probability_of_a_pair_is_the_librarys(siglip):
    found = engine(siglip, number="probability").similarities(PAIRS)
    expected = [by_library(siglip, *pair)[0] for pair in PAIRS]
    assert found == pytest.approx(expected, abs=CLOSE)
    assert len({round(one, 4) for one in found}) == 3


def test_the_cosine_of_a_pair_is_the_librarys_and_does_not_depend_on_its_batch(siglip):
    alone = engine(siglip, batch=1).similarities(PAIRS)
    assert alone == pytest.approx([by_library(siglip, *pair)[1] for pair in PAIRS], abs=CLOSE)
    assert engine(siglip).similarities(PAIRS) == pytest.approx(alone, abs=CLOSE)


def test_clip_needs_no_filling_up_and_has_no_probability(tmp_path):
    folder = tiny_clip.save_transformers_clip(tmp_path)
    torch = prepare()
    from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder).eval()
    given = AutoImageProcessor.from_pretrained(folder)(images=PICTURES[0], return_tensors="pt")
    words = AutoTokenizer.from_pretrained(folder)(["a red cat"], return_tensors="pt")
    with torch.inference_mode():
        out = model(**given, **words)
    expected = float((out.image_embeds @ out.text_embeds.T)[0, 0])
    assert engine(folder).similarities(PAIRS[:1]) == pytest.approx([expected], abs=CLOSE)
    with pytest.raises(EngineRefused, match="is a clip, which was not trained to say a prob"):
        engine(folder, number="probability").load()


def test_a_model_without_two_towers_says_what_it_is_and_what_is_needed(tmp_path):
    folder = tiny_qwen.save("qwen2_vl", tmp_path)
    with pytest.raises(EngineRefused, match=r"is a qwen2_vl, which has no tower.*SigLIP or CLIP"):
        engine(folder).load()
