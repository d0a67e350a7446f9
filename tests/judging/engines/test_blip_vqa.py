"""BLIP's answers, many at a time, are those of one plain pass for each question."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from jurybox_judging.engines.blip_vqa import BlipVqa
from jurybox_judging.engines.shared import weights
from jurybox_judging.errors import EngineRefused
from jurybox_judging.protocols import Question
from tests.judging.engines.tiny_blip import SPECIAL, WORDS, picture, save_blip

pytestmark = pytest.mark.neural

TEXTS = [
    "a red apple?",
    "how many cats are there in the image?",
    "",
    "is 'the {bench}' wooden – ünï?",
    "a " * 60 + "cat?",
    "bench?",
]


@pytest.fixture(scope="session")
def tiny_blip(tmp_path_factory):
    return save_blip(tmp_path_factory.mktemp("blip"))


@pytest.fixture(scope="module")
def engine(tiny_blip):
    return BlipVqa(str(tiny_blip))


@pytest.fixture(scope="module")
def plain(tiny_blip):
    """The library's own model and image processor: one picture, one question, one pass."""
    weights.prepare()
    from transformers import BertTokenizer, BlipForQuestionAnswering, BlipImageProcessorPil

    model = BlipForQuestionAnswering.from_pretrained(tiny_blip).eval()
    tokenizer = BertTokenizer.from_pretrained(tiny_blip)
    processor = BlipImageProcessorPil(size={"height": 32, "width": 32})

    def logits(image, text, mark="enc", answer=()):
        pixels = processor(image, return_tensors="pt")["pixel_values"]
        asked = tokenizer(text, return_tensors="pt", truncation=True, max_length=35)
        if mark == "enc":
            asked["input_ids"][:, 0] = model.config.text_config.bos_token_id + 1
        with torch.no_grad():
            seen = model.vision_model(pixels).last_hidden_state
            read = model.text_encoder(**_named(asked), encoder_hidden_states=seen)
            line = torch.tensor([[model.config.text_config.bos_token_id, *answer]])
            out = model.text_decoder(line, encoder_hidden_states=read.last_hidden_state)
        return out.logits[0]

    logits.tokenizer = tokenizer
    return logits


def _named(asked):
    return {"input_ids": asked["input_ids"], "attention_mask": asked["attention_mask"]}


def share(text):
    return Question(text, ("yes", "no"), "share")


def _share(plain, image, text, **options):
    yes, no = (plain.tokenizer.convert_tokens_to_ids(word) for word in ("yes", "no"))
    p = plain(image, text, **options)[0].softmax(-1)
    return (p[yes] / (p[yes] + p[no])).item()


def probabilities(answers):
    return [[answer.probability for answer in row] for row in answers]


def test_many_pictures_and_questions_at_once_agree_with_one_pass_for_each(engine, plain):
    asked = [
        (picture(1), [share(text) for text in TEXTS]),
        (picture(2, 31, 90), []),
        (picture(3, 32, 32), [share(text) for text in TEXTS[3:]]),
        (picture(4, 7, 200), [share(TEXTS[0])]),
    ]
    wanted = [[_share(plain, image, q.text) for q in own] for image, own in asked]
    found = probabilities(engine.answer(asked))
    for one, other in zip(found, wanted, strict=True):
        assert one == pytest.approx(other, abs=1e-5)
    # The answers do depend on what is asked about what.
    assert np.ptp([p for row in wanted for p in row]) > 0.2


def test_the_order_of_pictures_and_questions_changes_nothing(engine):
    asked = [(picture(n), [share(text) for text in TEXTS[:3]]) for n in range(3)]
    forth = probabilities(engine.answer(asked))
    back = probabilities(engine.answer([(i, own[::-1]) for i, own in asked[::-1]]))
    assert np.array([row[::-1] for row in back[::-1]]) == pytest.approx(np.array(forth), abs=1e-5)


def test_asked_again_it_answers_the_same(engine):
    asked = [(picture(1), [share("a cat?")])]
    assert probabilities(engine.answer(asked)) == probabilities(engine.answer(asked))


def test_the_other_rules_read_the_same_scores(engine, plain):
    image, text = picture(5), "a red apple?"
    question = Question(text, ("yes", "no"), "first_tokens")
    (answers,) = engine.answer(
        [(image, [question, replace(question, rule="sequence", answers=("blue",)), share(text)])]
    )
    first = plain(image, text)[0].softmax(-1)
    yes, no, bl, ue, sep = (
        plain.tokenizer.convert_tokens_to_ids(w) for w in ("yes", "no", "bl", "##ue", "[SEP]")
    )
    assert answers[0].probability == pytest.approx((first[yes] + first[no]).item(), abs=1e-5)
    # The answer's tokens one after the other, then the end mark.
    rows = plain(image, text, answer=(bl, ue)).log_softmax(-1)
    mean = (rows[0, bl] + rows[1, ue] + rows[2, sep]) / 3
    assert answers[1].probability == pytest.approx(math.exp(mean), abs=1e-5)
    assert answers[2].probability == pytest.approx(_share(plain, image, text), abs=1e-5)


def test_the_mark_before_a_question_is_blips_own_and_the_librarys_by_option(tiny_blip, plain):
    image, text = picture(6), "is the bench wooden?"
    (((answer,),)) = BlipVqa(str(tiny_blip), first_token="cls").answer([(image, [share(text)])])
    assert answer.probability == pytest.approx(_share(plain, image, text, mark="cls"), abs=1e-5)
    assert answer.probability != pytest.approx(_share(plain, image, text), abs=1e-3)


def test_the_librarys_whole_model_agrees(tiny_blip, engine, plain):
    """`generate` of the library itself, for a question that needs no padding."""
    from transformers import BlipForQuestionAnswering

    model = BlipForQuestionAnswering.from_pretrained(tiny_blip).eval()
    image, text = picture(7), "a red apple?"
    from transformers import BlipImageProcessorPil

    pixels = BlipImageProcessorPil(size={"height": 32, "width": 32})(image, return_tensors="pt")
    asked = plain.tokenizer(text, return_tensors="pt")
    kept = []
    model.text_decoder.register_forward_hook(lambda *call: kept.append(call[-1].logits))
    model.generate(pixel_values=pixels["pixel_values"], **_named(asked), max_new_tokens=1)
    p = kept[0][0, -1].softmax(-1)
    yes, no = (plain.tokenizer.convert_tokens_to_ids(word) for word in ("yes", "no"))
    (((answer,),)) = BlipVqa(str(tiny_blip), first_token="cls").answer([(image, [share(text)])])
    assert answer.probability == pytest.approx((p[yes] / (p[yes] + p[no])).item(), abs=1e-5)


def test_a_picture_in_another_size_is_looked_at_with_the_position_table_stretched(tiny_blip):
    from transformers import BertTokenizer, BlipForQuestionAnswering, BlipImageProcessorPil

    image, text = picture(8), "a cat?"
    (((answer,),)) = BlipVqa(str(tiny_blip), size=48).answer([(image, [share(text)])])
    model = BlipForQuestionAnswering.from_pretrained(tiny_blip).eval()
    tokenizer = BertTokenizer.from_pretrained(tiny_blip)
    pixels = BlipImageProcessorPil(size={"height": 48, "width": 48})(image, return_tensors="pt")
    asked = tokenizer(text, return_tensors="pt")
    asked["input_ids"][:, 0] = model.config.text_config.bos_token_id + 1
    with torch.no_grad():
        seen = model.vision_model(**pixels, interpolate_pos_encoding=True).last_hidden_state
        read = model.text_encoder(**_named(asked), encoder_hidden_states=seen)
        line = torch.tensor([[model.config.text_config.bos_token_id]])
        out = model.text_decoder(line, encoder_hidden_states=read.last_hidden_state)
    p = out.logits[0, 0].softmax(-1)
    yes, no = (tokenizer.convert_tokens_to_ids(word) for word in ("yes", "no"))
    assert answer.probability == pytest.approx((p[yes] / (p[yes] + p[no])).item(), abs=1e-5)


# --- the official file

NAMES = {
    "vision_model.embeddings.class_embedding": "visual_encoder.cls_token",
    "vision_model.embeddings.position_embedding": "visual_encoder.pos_embed",
    "vision_model.embeddings.patch_embedding.": "visual_encoder.patch_embed.proj.",
    "vision_model.post_layernorm.": "visual_encoder.norm.",
    "vision_model.encoder.layers.": "visual_encoder.blocks.",
    ".layer_norm1.": ".norm1.",
    ".layer_norm2.": ".norm2.",
    ".self_attn.qkv.": ".attn.qkv.",
    ".self_attn.projection.": ".attn.proj.",
}


def _official_state():
    """Tensors under the names of the official file; heads of 64, as there."""
    from transformers import BlipConfig, BlipForQuestionAnswering

    size = {"hidden_size": 128, "intermediate_size": 512, "num_attention_heads": 2}
    words = len(SPECIAL + WORDS)
    text = {"vocab_size": words + 2, "bos_token_id": words, "encoder_hidden_size": 128}
    torch.manual_seed(3)
    model = BlipForQuestionAnswering(
        BlipConfig(
            text_config={**size, **text, "num_hidden_layers": 3, "max_position_embeddings": 512},
            vision_config={
                **size,
                "num_hidden_layers": 2,
                "image_size": 24,
                "patch_size": 8,
                "layer_norm_eps": 1e-6,
            },
        )
    )
    state = {}
    for key, value in model.state_dict().items():
        for ours, theirs in NAMES.items():
            key = key.replace(ours, theirs)
        state[key] = value
    return model.eval(), state


def test_the_official_file_is_read_by_its_own_names(tiny_blip, tmp_path):
    model, state = _official_state()
    torch.save({"model": state}, tmp_path / "model_vqa.pth")
    engine = BlipVqa(str(tmp_path / "model_vqa.pth"), tokenizer=str(tiny_blip))
    engine.load()
    loaded = engine._blip.state_dict()
    for key, value in model.state_dict().items():
        assert torch.equal(loaded[key], value), key
    for name in ("vision_config", "text_config"):
        ours, theirs = getattr(engine._blip.config, name), getattr(model.config, name)
        for key in ("hidden_size", "intermediate_size", "num_attention_heads", "layer_norm_eps"):
            assert getattr(ours, key) == getattr(theirs, key)
    assert engine._blip.config.vision_config.image_size == 24
    (((answer,),)) = engine.answer([(picture(1), [share("a cat?")])])
    assert 0 < answer.probability < 1


@pytest.mark.parametrize("key", ["text_encoder.encoder.layer.1.output.dense.weight", "added"])
def test_an_official_file_that_does_not_fit_is_refused_by_name(tiny_blip, tmp_path, key):
    _, state = _official_state()
    if state.pop(key, None) is None:
        state[key] = torch.zeros(2)
    torch.save(state, tmp_path / "model_vqa.pth")
    engine = BlipVqa(str(tmp_path / "model_vqa.pth"), tokenizer=str(tiny_blip))
    with pytest.raises(EngineRefused, match=key.replace(".", r"\.")):
        engine.load()


def test_a_file_that_is_no_blip_is_a_sentence(tiny_blip, tmp_path):
    torch.save({"weight": torch.zeros(2)}, tmp_path / "other.pth")
    with pytest.raises(EngineRefused, match=r"“other\.pth” is no BLIP"):
        BlipVqa(str(tmp_path / "other.pth"), tokenizer=str(tiny_blip)).load()


def test_the_official_file_needs_a_vocabulary_beside_it(tmp_path):
    _, state = _official_state()
    torch.save(state, tmp_path / "model_vqa.pth")
    with pytest.raises(EngineRefused, match="option tokenizer"):
        BlipVqa(str(tmp_path / "model_vqa.pth")).load()


def test_an_unknown_first_token_is_refused():
    with pytest.raises(ValueError, match="“first_token” must be one of enc, cls"):
        BlipVqa("x", first_token="dec")


def test_nothing_is_loaded_until_something_is_asked(tmp_path):
    engine = BlipVqa(str(tmp_path / "absent"))
    assert engine.facts["precision"] == "float32"
    with pytest.raises(EngineRefused, match="cannot be loaded"):
        engine.load()


def test_a_prompt_that_holds_the_models_own_mark_is_refused(engine):
    with pytest.raises(ValueError, match=r"“\[SEP\]”, a mark of the model's own"):
        engine.answer([(picture(1), [share("a cat [SEP] yes")])])
