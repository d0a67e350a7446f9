"""Any model of pictures and texts: many questions at once agree with the library's own call."""

import json
import math
import shutil
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from PIL import Image

from jurybox_judging.engines.image_text import ImageTextModel
from jurybox_judging.engines.shared import weights
from jurybox_judging.errors import EngineRefused
from jurybox_judging.protocols import Question, Talk
from tests.judging.engines.test_weight_mistakes import without
from tests.judging.engines.tiny_blip import picture
from tests.judging.engines.tiny_llava import save_instructblip, save_llava

pytestmark = pytest.mark.neural

FAMILIES = ["llava", "instructblip"]
TEXTS = [
    'Does this figure show "a red apple"? Please answer yes or no.',
    "How many cats?",
    "Is it {red} – ünï 'x'? " * 4,
]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    made = {"llava": save_llava, "instructblip": save_instructblip}
    return {name: save(tmp_path_factory.mktemp(name)) for name, save in made.items()}


def engine_of(name, tiny, **options):
    template = "" if name == "llava" else "{question}"
    return ImageTextModel(str(tiny[name]), device="cpu", **{"template": template, **options})


@pytest.fixture(scope="module")
def engines(tiny):
    return {name: engine_of(name, tiny) for name in FAMILIES}


@pytest.fixture(scope="module")
def plain(tiny):
    """The library's `generate` for one picture and one question: the scores of each step."""
    weights.prepare()
    from transformers import AutoModelForImageTextToText, AutoProcessor

    loaded = {}
    for name in FAMILIES:
        model = AutoModelForImageTextToText.from_pretrained(tiny[name]).eval()
        loaded[name] = model, AutoProcessor.from_pretrained(tiny[name])

    def scores(name, image, text, steps=1, forced=None):
        model, processor = loaded[name]
        if name == "llava":
            content = [{"type": "image", "image": image}, {"type": "text", "text": text}]
            given = processor.apply_chat_template(
                [{"role": "user", "content": content}],
                add_generation_prompt=True,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
            )
        else:
            given = processor(images=image, text=[text], return_tensors="pt")
        force = (lambda _, line: [forced[len(line)]]) if forced else None
        out = model.generate(
            **given,
            max_new_tokens=steps,
            do_sample=False,
            output_logits=True,
            return_dict_in_generate=True,
            **({"prefix_allowed_tokens_fn": force} if forced else {}),
        )
        return [step[0] for step in out.logits], out.sequences[0], processor

    return scores


def question(text, answers=("Yes", "yes", " yes", "No"), rule="first_tokens"):
    return Question(text, answers, rule)


def first_tokens(plain, name, image, q):
    (logits, *_), _, processor = plain(name, image, q.text)
    p = logits.softmax(-1)
    encode = processor.tokenizer.encode
    return sum(p[encode(a, add_special_tokens=False)[0]].item() for a in q.answers)


@pytest.mark.parametrize("name", FAMILIES)
def test_many_at_once_agree_with_generate_one_by_one(name, engines, plain):
    asked = [
        (picture(1), [question(text) for text in TEXTS]),
        (picture(2), []),
        (picture(3, 90, 31), [question(TEXTS[1])]),
        (picture(4, 32, 32), [question(text) for text in TEXTS[::-1]]),
    ]
    found = [[a.probability for a in row] for row in engines[name].answer(asked)]
    wanted = [[first_tokens(plain, name, image, q) for q in own] for image, own in asked]
    for one, other in zip(found, wanted, strict=True):
        assert one == pytest.approx(other, abs=1e-5)
    p = [p for row in wanted for p in row]
    assert max(p) > 1.2 * min(p)


@pytest.mark.parametrize("name", FAMILIES)
def test_rows_batches_order_and_repetition_change_nothing(name, tiny, engines):
    asked = [(picture(n, 20 + n, 30), [question(text) for text in TEXTS]) for n in range(3)]
    forth = np.array([[a.probability for a in row] for row in engines[name].answer(asked)])
    back = engine_of(name, tiny, rows=2).answer([(i, own[::-1]) for i, own in asked[::-1]])
    back = np.array([[a.probability for a in row[::-1]] for row in back[::-1]])
    assert back == pytest.approx(forth, abs=1e-5)


def test_an_answer_of_several_tokens_is_scored_token_by_token(engines, plain):
    asked = question(TEXTS[1], ("red apple",), "sequence")
    others = [question(TEXTS[1]), question(TEXTS[0]), replace(asked, text=TEXTS[2])]
    (answers,) = engines["llava"].answer([(picture(1), [asked, *others])])
    _, _, processor = plain("llava", picture(1), TEXTS[1])
    tokens = processor.tokenizer.encode("red apple", add_special_tokens=False)
    assert len(tokens) > 1
    for answer, text in ((answers[0], TEXTS[1]), (answers[3], TEXTS[2])):
        logs = _forced(plain, text, tokens)
        assert answer.probability == pytest.approx(math.exp(sum(logs) / len(logs)), rel=1e-4)


def _forced(plain, text, tokens):
    """What each token of the answer scores after the ones before it, step by step."""
    (first,), sequence, _ = plain("llava", picture(1), text)
    asked = len(sequence) - 1
    forced = {asked + n: token for n, token in enumerate(tokens)}
    steps, _, _ = plain("llava", picture(1), text, len(tokens), forced)
    assert torch.equal(steps[0], first)
    return [step.log_softmax(-1)[t].item() for step, t in zip(steps, tokens, strict=True)]


def test_an_encoder_and_decoder_score_the_end_mark_too(engines, plain):
    (((answer,),)) = engines["instructblip"].answer(
        [(picture(1), [question(TEXTS[0], ("Yes",), "sequence")])]
    )
    assert [text for text, _ in answer.tokens] == ["Yes", "</s>"]
    yes = first_tokens(plain, "instructblip", picture(1), question(TEXTS[0], ("Yes",)))
    assert answer.tokens[0][1] == pytest.approx(yes, abs=1e-5)


def test_a_decoder_scores_the_end_mark_where_the_official_code_does(tiny, plain):
    # √(P(Yes) · P(</s> | Yes)), as VQAScore's code asks LLaVA.
    engine = engine_of("llava", tiny, end_mark=True)
    ((answer,),) = engine.answer([(picture(1), [question(TEXTS[1], ("Yes",), "sequence")])])
    _, _, processor = plain("llava", picture(1), TEXTS[1])
    words = processor.tokenizer
    tokens = [*words.encode("Yes", add_special_tokens=False), words.eos_token_id]
    logs = _forced(plain, TEXTS[1], tokens)
    assert answer.probability == pytest.approx(math.exp(sum(logs) / len(logs)), rel=1e-4)
    assert [text for text, _ in answer.tokens][-1] == "</s>"


def test_a_template_may_say_where_the_picture_stands(tiny, engines):
    # The words of the checkpoint's own chat, given as a template.
    own = engine_of("llava", tiny, template="<s>USER: <image>\n{question} ASSISTANT:")
    asked = [(picture(1), [question(text) for text in TEXTS[:2]])]
    found, expected = own.answer(asked), engines["llava"].answer(asked)
    for one, other in zip(found[0], expected[0], strict=True):
        assert one.probability == pytest.approx(other.probability, abs=1e-6)


def test_a_picture_gets_bars_or_loses_its_ends_before_the_model_sees_it(tiny, engines):
    wide = picture(1, 90, 30)
    side = (90 - 30) // 2
    barred = Image.new("RGB", (90, 90), (122, 116, 104))  # int(255 · CLIP's mean color)
    barred.paste(wide, (0, side))
    # 30 → 32 pixels high, 90 → 96 wide; the middle 32 begin at 32.
    cut = wide.resize((96, 32), Image.Resampling.BICUBIC).crop((32, 0, 64, 32))
    for square, seen in (("longest", barred), ("shortest", cut)):
        found = engine_of("llava", tiny, square=square).answer([(wide, [question(TEXTS[1])])])
        expected = engines["llava"].answer([(seen, [question(TEXTS[1])])])
        assert found[0][0].probability == pytest.approx(expected[0][0].probability, abs=1e-6)
        plain_look = engines["llava"].answer([(wide, [question(TEXTS[1])])])
        if square == "longest":
            assert found[0][0].probability != pytest.approx(plain_look[0][0].probability, abs=1e-6)


# InstructBLIP has a weight beside its modules, which the library warns of and then places.
@pytest.mark.filterwarnings("ignore:The following device_map keys do not match:UserWarning")
@pytest.mark.parametrize("name", FAMILIES)
def test_a_model_on_two_devices_answers_as_on_one(name, tiny, engines, monkeypatch, tmp_path):
    """The disk stands in for a second GPU: the library's hooks carry numbers from one to the other."""
    size = sum(file.stat().st_size for file in tiny[name].glob("*.safetensors"))
    split = {
        "device_map": "auto",
        "max_memory": {"cpu": size * 2 // 3},
        "offload_folder": str(tmp_path),
    }
    monkeypatch.setattr(weights, "_split", lambda *_: split)
    engine = replace(engine_of(name, tiny), device="auto")
    asked = [(picture(n, 64, 48), [question(text) for text in TEXTS]) for n in (1, 2)]
    found = engine.answer(asked)
    assert any(weight.is_meta for weight in engine._net.parameters())
    for one, other in zip(found, engines[name].answer(asked), strict=True):
        assert [a.probability for a in one] == [a.probability for a in other]


# --- conversations


def test_a_conversation_says_what_generate_says(engines, plain):
    (replies,) = engines["llava"].talk([(picture(1), Talk(("How many cats?",), max_tokens=6))])
    _, sequence, processor = plain("llava", picture(1), "How many cats?", steps=6)
    wanted = processor.tokenizer.decode(sequence[-6:], skip_special_tokens=True).strip()
    assert replies == (wanted,)
    assert wanted


def test_a_second_turn_hears_the_first(engines):
    talk = Talk(("How many cats?", "Are you sure?"), max_tokens=5)
    again = Talk(("Is it red?", "Are you sure?"), max_tokens=5)
    first, second = engines["llava"].talk([(picture(1), talk), (picture(1), again)])
    assert len(first) == len(second) == 2
    assert first[1] != second[1]


def test_drawn_replies_follow_their_seed_and_leave_the_random_numbers_of_others_alone(engines):
    def said(seed):
        talk = Talk(("How many cats?",), max_tokens=12, temperature=1.5, seed=seed)
        return engines["llava"].talk([(picture(1), talk)])

    torch.manual_seed(5)
    wanted = torch.rand(1)
    torch.manual_seed(5)
    assert said(1) == said(1) != said(2)
    assert torch.rand(1) == wanted


def test_a_model_without_a_chat_takes_one_turn(engines):
    assert len(engines["instructblip"].talk([(picture(1), Talk(("A cat?",), max_tokens=3))])) == 1
    with pytest.raises(ValueError, match="one turn"):
        engines["instructblip"].talk([(picture(1), Talk(("A cat?", "Sure?")))])


# --- what is refused


def test_a_question_that_holds_the_mark_of_a_picture_is_refused(engines):
    with pytest.raises(ValueError, match="“<image>”, a mark of the model's own"):
        engines["llava"].answer([(picture(1), [question("Is <image> red?")])])


def test_a_model_without_a_chat_template_needs_words_around_the_question(tiny):
    with pytest.raises(EngineRefused, match="option template"):
        ImageTextModel(str(tiny["instructblip"])).load()


def test_a_template_without_a_place_for_the_question_is_refused():
    with pytest.raises(ValueError, match="“template” must hold"):
        ImageTextModel("x", template="Question:")


def test_an_adapter_is_not_passed_over_where_its_library_is_missing(tiny, tmp_path, monkeypatch):
    without(monkeypatch, "peft")
    shutil.copytree(tiny["llava"], tmp_path, dirs_exist_ok=True)
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    with pytest.raises(EngineRefused, match="needs the library peft"):
        ImageTextModel(str(tmp_path)).load()


@pytest.mark.skipif(find_spec("accelerate") is not None, reason="accelerate is here")
def test_quantised_weights_name_the_library_that_they_need(tiny, tmp_path):
    shutil.copytree(tiny["llava"], tmp_path, dirs_exist_ok=True)
    config = json.loads((tmp_path / "config.json").read_text())
    config["quantization_config"] = {"quant_method": "bitsandbytes", "load_in_8bit": True}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(EngineRefused, match="bitsandbytes.*requires accelerate"):
        ImageTextModel(str(tmp_path)).load()


def test_a_missing_weight_is_refused_by_name(tiny, tmp_path):
    from safetensors.torch import load_file, save_file

    shutil.copytree(tiny["llava"], tmp_path, dirs_exist_ok=True)
    state = load_file(tmp_path / "model.safetensors")
    gone = next(key for key in state if "multi_modal_projector.linear_1.weight" in key)
    del state[gone]
    save_file(state, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(EngineRefused, match=r"multi_modal_projector\.linear_1\.weight"):
        ImageTextModel(str(tmp_path)).load()


# --- arguments of the chat template

THINKING = (
    "{%- if enable_thinking is defined and not enable_thinking -%}{{ 'At once: ' }}{%- endif -%}"
)


@pytest.fixture(scope="session")
def thinking(tiny, tmp_path_factory):
    """LLaVA with a chat template that takes an argument."""
    folder = tmp_path_factory.mktemp("thinking") / "llava"
    shutil.copytree(tiny["llava"], folder)
    file = folder / "chat_template.jinja"
    file.write_text(THINKING + file.read_text())
    return folder


def test_arguments_reach_the_chat_template_and_change_the_answer(thinking):
    question = Question("How many cats?", ("Yes",))
    plain, at_once = (
        ImageTextModel(str(thinking), device="cpu", chat=chat)
        for chat in (None, {"enable_thinking": False})
    )
    answers = [engine.answer([(picture(0), [question])])[0][0] for engine in (plain, at_once)]
    assert plain._chat_text("Why?").startswith("<s>")
    assert at_once._chat_text("Why?").startswith("At once: <s>")
    assert answers[0].probability != answers[1].probability


@pytest.mark.parametrize(
    ("chat", "why"),
    [
        ({"chat_template": "{{ 7 * 7 }}"}, "“chat.chat_template” is no argument"),
        ({"tokenize": True}, "“chat.tokenize” is no argument"),
        ({"a b": 1}, "“chat.a b” is no argument"),
        ({"thinking": {"deep": 1}}, "“chat.thinking” must be a text, a number"),
        ("thinking", "“chat” must be an object of fields"),
    ],
)
def test_arguments_that_are_no_choice_are_refused(chat, why):
    with pytest.raises(ValueError, match=why):
        ImageTextModel("any", chat=chat)
    with pytest.raises(ValueError, match="“chat” is for a chat template"):
        ImageTextModel("any", chat={"enable_thinking": True}, template="{question}")
