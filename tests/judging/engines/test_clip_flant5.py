"""CLIP-FlanT5's answers, many at a time, are those of a plain pass for each, worked out apart."""

import math
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from jurybox_judging.engines.clip_flant5 import CHAT, ClipFlanT5
from jurybox_judging.engines.shared import weights
from jurybox_judging.engines.shared.clip_pixels import padded
from jurybox_judging.errors import EngineRefused
from jurybox_judging.protocols import Question
from tests.judging.engines.tiny_blip import picture
from tests.judging.engines.tiny_flant5 import save_clip_flant5

pytestmark = pytest.mark.neural

TEXTS = [
    'Does this figure show "a red apple"? Please answer yes or no.',
    "a cat",
    "Does this figure show \"{the} cat – ü 'x' <image>\"? Please answer yes or no.",
    "",
]


@pytest.fixture(scope="session")
def tiny_flant5(tmp_path_factory):
    return save_clip_flant5(tmp_path_factory.mktemp("flant5"))


def made(folder, **options):
    return ClipFlanT5(str(folder), vision=str(folder / "tower"), device="cpu", **options)


@pytest.fixture(scope="module")
def engine(tiny_flant5):
    return made(tiny_flant5)


@pytest.fixture(scope="module")
def plain(tiny_flant5):
    """The parts loaded by hand from the file: one picture, one question, one pass."""
    weights.prepare()
    from safetensors.torch import load_file
    from transformers import (
        CLIPImageProcessorPil,
        CLIPVisionConfig,
        CLIPVisionModel,
        T5Config,
        T5ForConditionalGeneration,
        T5Tokenizer,
    )

    state = load_file(tiny_flant5 / "model.safetensors")
    tower = CLIPVisionModel(CLIPVisionConfig.from_pretrained(tiny_flant5 / "tower")).eval()
    prefix = "vision_tower.vision_tower.vision_model."
    seen = {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
    if hasattr(tower, "vision_model"):
        seen = {f"vision_model.{key}": value for key, value in seen.items()}
    tower.load_state_dict(seen)
    t5 = T5ForConditionalGeneration(T5Config.from_pretrained(tiny_flant5)).eval()
    t5.lm_head.weight = torch.nn.Parameter(state["lm_head.weight"])
    told = t5.load_state_dict(state, strict=False)
    assert told.missing_keys == []
    tokenizer = T5Tokenizer.from_pretrained(tiny_flant5)
    processor = CLIPImageProcessorPil(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
    )

    def losses(image, text, answer="Yes"):
        side = max(image.size)
        square = Image.new("RGB", (side, side), (122, 116, 104))
        square.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
        with torch.no_grad():
            patches = tower(
                **processor(square, return_tensors="pt"), output_hidden_states=True
            ).hidden_states[-2][0, 1:]
            for layer in (0, 2):
                w, b = (state[f"mm_projector.{layer}.{part}"] for part in ("weight", "bias"))
                patches = patches @ w.T + b
                if layer == 0:
                    patches = torch.nn.functional.gelu(patches)
            head, tail = CHAT.split("<image>")
            ids = [tokenizer(part).input_ids for part in (head, tail.format(question=text))]
            assert [one[-1] for one in ids] == [1, 1]
            words = [state["shared.weight"][one] for one in ids]
            labels = torch.tensor([tokenizer(answer).input_ids])
            out = t5(inputs_embeds=torch.cat([words[0], patches, words[1]])[None], labels=labels)
            return torch.nn.functional.cross_entropy(
                out.logits[0, :, : len(tokenizer)], labels[0], reduction="none"
            )

    return losses


def score(text):
    return Question(text, ("Yes",), "sequence")


def vqa_score(plain, image, text):
    return (-plain(image, text).mean()).exp().item()


def test_the_score_is_the_geometric_mean_of_the_answer_and_the_end_mark(engine, plain):
    asked = [
        (picture(1), [score(text) for text in TEXTS]),
        (picture(2), []),
        (picture(3, 9, 60), [score(TEXTS[1])]),
        (picture(4, 32, 32), [score(text) for text in TEXTS[::-1]]),
    ]
    found = engine.answer(asked)
    wanted = [[vqa_score(plain, image, q.text) for q in own] for image, own in asked]
    for one, other in zip(found, wanted, strict=True):
        assert [answer.probability for answer in one] == pytest.approx(other, rel=1e-4)
    p = [p for row in wanted for p in row]
    assert max(p) > 3 * min(p)
    yes, end = (math.exp(-loss) for loss in plain(picture(1), TEXTS[0]))
    assert [text for text, _ in found[0][0].tokens] == ["Yes", "</s>"]
    assert [p for _, p in found[0][0].tokens] == pytest.approx([yes, end], rel=1e-4)
    assert found[0][0].probability == pytest.approx(math.sqrt(yes * end), rel=1e-4)


def test_as_a_matcher_its_number_is_the_vqa_score_of_picture_and_prompt(engine, plain):
    pairs = [(picture(1), "a red apple"), (picture(2), "a red apple"), (picture(1), "a cat")]
    expected = [
        vqa_score(plain, image, f'Does this figure show "{text}"? Please answer yes or no.')
        for image, text in pairs
    ]
    assert engine.similarities(pairs) == pytest.approx(expected, abs=1e-6)


def test_the_first_token_alone_is_another_rule(engine, plain):
    question = replace(score(TEXTS[0]), rule="first_tokens")
    (((answer, again),)) = engine.answer([(picture(1), [question, score(TEXTS[0])])])
    assert answer.probability == pytest.approx(math.exp(-plain(picture(1), TEXTS[0])[0]), rel=1e-4)
    assert again.probability == pytest.approx(vqa_score(plain, picture(1), TEXTS[0]), rel=1e-4)


def test_order_number_of_rows_and_repetition_change_nothing(tiny_flant5, engine):
    asked = [(picture(n, 20 + n, 30), [score(text) for text in TEXTS]) for n in range(3)]
    forth = np.array([[a.probability for a in row] for row in engine.answer(asked)])
    back = made(tiny_flant5, rows=2).answer([(i, own[::-1]) for i, own in asked[::-1]])
    back = np.array([[a.probability for a in row[::-1]] for row in back[::-1]])
    assert back == pytest.approx(forth, rel=1e-4)


def test_the_words_around_a_question_are_part_of_what_is_asked(tiny_flant5, engine):
    other = made(tiny_flant5, template="USER: <image>\n{question} ASSISTANT: ")
    asked = [(picture(1), [score(TEXTS[0])])]
    first, second = (one.answer(asked)[0][0].probability for one in (engine, other))
    assert first != pytest.approx(second, rel=1e-2)
    assert engine.facts["template"] != other.facts["template"]


def test_a_picture_is_padded_to_a_square_with_the_mean_color():
    wide = padded(Image.new("RGB", (6, 3), (1, 2, 3)))
    assert wide.size == (6, 6)
    assert [wide.getpixel((0, y)) for y in range(6)] == [
        (122, 116, 104),
        (1, 2, 3),
        (1, 2, 3),
        (1, 2, 3),
        (122, 116, 104),
        (122, 116, 104),
    ]


# --- checkpoints that do not fit


def _changed(folder, to, change):
    from safetensors.torch import load_file, save_file

    shutil.copytree(folder, to, dirs_exist_ok=True)
    state = load_file(to / "model.safetensors")
    change(state)
    save_file(state, to / "model.safetensors", metadata={"format": "pt"})
    return made(to)


@pytest.mark.parametrize(
    "key",
    [
        "mm_projector.2.weight",
        "vision_tower.vision_tower.vision_model.encoder.layers.1.mlp.fc1.weight",
        "decoder.block.1.layer.1.EncDecAttention.q.weight",
        "lm_head.weight",
    ],
)
def test_a_missing_part_is_refused(tiny_flant5, tmp_path, key):
    engine = _changed(tiny_flant5, tmp_path, lambda state: state.pop(key))
    with pytest.raises(EngineRefused, match=key.rpartition("vision_model.")[2].replace(".", r"\.")):
        engine.load()


def test_a_part_too_many_is_refused(tiny_flant5, tmp_path):
    engine = _changed(
        tiny_flant5, tmp_path, lambda state: state.update({"mm_projector.4.weight": torch.zeros(2)})
    )
    with pytest.raises(EngineRefused, match=r"mm_projector\.4\.weight"):
        engine.load()


@pytest.mark.parametrize("template", ["{question}", "<image>", "<image><image>{question}"])
def test_a_template_without_a_place_for_picture_and_question_is_refused(template):
    with pytest.raises(ValueError, match="“template” must hold"):
        ClipFlanT5("x", template=template)


def test_a_prompt_that_holds_the_end_mark_is_refused(engine):
    with pytest.raises(ValueError, match="“</s>”, a mark of the model's own"):
        engine.answer([(picture(1), [score("a cat</s> Yes")])])
