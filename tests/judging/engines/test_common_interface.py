"""Gemma 3, InternVL and Qwen3.5 without code of their own: the common interface of transformers gives the
numbers that the library gives for one picture and one question."""

import pytest
import torch

from jurybox_judging.engines.image_text import ImageTextModel
from jurybox_judging.engines.shared import weights
from jurybox_judging.protocols import Question, Talk
from tests.judging.engines.tiny_blip import picture
from tests.judging.engines.tiny_common import save_gemma3, save_internvl, save_qwen35

pytestmark = pytest.mark.neural
FAMILIES = {"gemma3": save_gemma3, "internvl": save_internvl, "qwen3.5": save_qwen35}
TEXTS = ["How many cats?", 'Does this figure show "a red apple"? Please answer yes or no.', "Why?"]
PICTURES = [picture(0, 64, 64), picture(1, 96, 64)]


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    return {name: save(tmp_path_factory.mktemp(name)) for name, save in FAMILIES.items()}


def alone(folder, image, text):
    """The library's own way: the chat template with the picture in it, then the next token."""
    weights.prepare()
    from transformers import AutoModelForImageTextToText, AutoProcessor

    processor = AutoProcessor.from_pretrained(folder)
    model = AutoModelForImageTextToText.from_pretrained(folder).eval()
    content = [{"type": "image", "image": image}, {"type": "text", "text": text}]
    given = processor.apply_chat_template(
        [{"role": "user", "content": content}],
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
    )
    with torch.inference_mode():
        logits = model(**given).logits[0, -1]
    return logits.float().softmax(-1), processor.tokenizer


@pytest.mark.parametrize("name", FAMILIES)
def test_many_questions_at_once_are_answered_as_one_alone(name, folders):
    engine = ImageTextModel(str(folders[name]), device="cpu")
    questions = [Question(text, ("Yes",)) for text in TEXTS]
    answers = engine.answer([(image, questions) for image in PICTURES])
    for image, row in zip(PICTURES, answers, strict=True):
        for text, answer in zip(TEXTS, row, strict=True):
            chances, words = alone(folders[name], image, text)
            (first, *_) = words.encode("Yes", add_special_tokens=False)
            assert answer.probability == pytest.approx(float(chances[first]), rel=1e-3), text
            assert answer.said == words.decode([int(chances.argmax())])
    # It does look at the picture.
    assert answers[0][0].probability != pytest.approx(answers[1][0].probability, rel=1e-3)


@pytest.mark.parametrize("name", FAMILIES)
def test_they_hold_conversations(name, folders):
    engine = ImageTextModel(str(folders[name]), device="cpu")
    ((first, second),) = engine.talk([(PICTURES[0], Talk(("How many cats?", "Why?"), 4))])
    assert isinstance(first, str)
    assert isinstance(second, str)
