"""Models that think first, and replies that have begun: against the library's plain `generate`."""

import pytest

from jurybox_judging.engines.image_text import ImageTextModel
from jurybox_judging.engines.openai_server import OpenAIServer
from jurybox_judging.engines.qwen_vl import QwenVL
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.protocols import Question, Talk
from tests.judging.engines import tiny_qwen
from tests.judging.engines.openai_stand_in import Reply, spoken, standing_in
from tests.judging.engines.test_several_pictures import SOURCE
from tests.waiting import PATIENCE

CLOSE = 1e-5
ASK = "How many cats are in the image?"
CLOSING = "\n</think>\n\n"


@pytest.fixture(scope="module", params=["qwen2_5_vl", "qwen3_vl"])
def thinker(request, tmp_path_factory):
    """Its chat template opens the thinking, as those of thinking models do."""
    folder = tiny_qwen.save(request.param, tmp_path_factory.mktemp(request.param))
    template = folder / "chat_template.jinja"
    text = template.read_text()
    opened = text.replace("<|im_start|>assistant\\n", "<|im_start|>assistant\\n<think>\\n")
    assert opened != text
    template.write_text(opened)
    return folder


class Library:
    def __init__(self, folder):
        prepare()
        from transformers import AutoModelForImageTextToText, AutoProcessor

        self.processor = AutoProcessor.from_pretrained(folder)
        self.model = AutoModelForImageTextToText.from_pretrained(folder).eval()

    def given(self, more=""):
        content = [{"type": "image"}, {"type": "text", "text": ASK}]
        text = self.processor.apply_chat_template(
            [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True
        )
        return self.processor(text=[text + more], images=[SOURCE], return_tensors="pt")

    def new_tokens(self, given, most):
        with prepare().inference_mode():
            made = self.model.generate(**given, max_new_tokens=most, do_sample=False)
        return made[0, given["input_ids"].shape[1] :].tolist()

    def continued(self, given, tokens):
        """The same input with these tokens after it, as a reply that goes on."""
        torch = prepare()
        longer = dict(given)
        extra = torch.tensor([tokens])
        for name, value in given.items():
            if value.shape == given["input_ids"].shape:
                filler = {"input_ids": extra, "attention_mask": torch.ones_like(extra)}
                longer[name] = torch.cat([value, filler.get(name, torch.zeros_like(extra))], 1)
        return longer


def test_thinking_is_closed_after_its_tokens_and_the_answer_is_the_librarys(thinker):
    library = Library(thinker)
    talk = Talk((ASK,), max_tokens=4, thinking_tokens=5)
    words = library.processor.tokenizer
    given = library.given()
    thought = library.new_tokens(given, 5)
    assert len(thought) == 5
    thought += words.encode(CLOSING, add_special_tokens=False)
    answer = library.new_tokens(library.continued(given, thought), 4)
    expected = words.decode(thought + answer, skip_special_tokens=True).strip()
    for engine in (QwenVL(str(thinker), device="cpu"), ImageTextModel(str(thinker), device="cpu")):
        (reply,) = engine.talk([(SOURCE, talk)])[0]
        assert reply == f"<think>\n{expected}"
        assert reply.count("</think>") == 1


def test_without_tokens_for_thinking_a_reply_is_as_it_always_was(thinker):
    library = Library(thinker)
    (reply,) = QwenVL(str(thinker), device="cpu").talk([(SOURCE, Talk((ASK,), max_tokens=6))])[0]
    new = library.new_tokens(library.given(), 6)
    assert reply == library.processor.tokenizer.decode(new, skip_special_tokens=True).strip()


@pytest.mark.parametrize("family", ["qwen2_vl", "qwen3_vl"])
def test_a_reply_that_has_begun_goes_on_as_in_the_library(family, tmp_path):
    folder = tiny_qwen.save(family, tmp_path)
    library = Library(folder)
    start = "The quality of the image is"
    with prepare().inference_mode():
        scores = library.model(**library.given(start)).logits[0, -1].softmax(-1)
        plain = library.model(**library.given()).logits[0, -1].softmax(-1)
    wanted = {word: library.processor.tokenizer.encode(word)[0] for word in (" yes", " no")}
    asked = [Question(ASK, (word,), reply_start=start) for word in wanted]
    for engine in (
        QwenVL(str(folder), device="cpu", scores="logits"),
        ImageTextModel(str(folder), device="cpu"),
    ):
        (answers,) = engine.answer([(SOURCE, [*asked, Question(ASK, (" yes",))])])
        for answer, token in zip(answers, wanted.values(), strict=False):
            assert answer.probability == pytest.approx(float(scores[token]), abs=CLOSE)
        assert answers[2].probability == pytest.approx(float(plain[wanted[" yes"]]), abs=CLOSE)


# --- a model server


def server(state, **options):
    return OpenAIServer(base_url=state.url, checkpoint="judge-1", timeout=PATIENCE, **options)


def thought_of(reasoning, content, finish="stop", name="reasoning_content"):
    message = {"role": "assistant", "content": content, name: reasoning}
    return Reply({"choices": [{"message": message, "finish_reason": finish}]})


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_what_a_server_tells_apart_of_the_reasoning_stands_before_the_reply(name):
    with standing_in(lambda asked, before: thought_of("hm", "yes", name=name)) as state:
        talk = Talk(("Is it?", "Sure?"), max_tokens=10, thinking_tokens=500)
        (replies,) = server(state).talk([(SOURCE, talk)])
    assert replies == ("<think>\nhm\n</think>\nyes",) * 2
    first, second = (asked.body for asked in state.asked)
    assert first["max_tokens"] == 510
    # A model is told what it answered, not what it thought.
    assert second["messages"][-2] == {"role": "assistant", "content": "yes"}


@pytest.mark.django_db
def test_without_tokens_for_thinking_a_servers_reasoning_is_left_out():
    with standing_in(lambda asked, before: thought_of("hm", "yes")) as state:
        assert server(state).talk([(SOURCE, Talk(("Is it?",)))]) == [("yes",)]


@pytest.mark.django_db
def test_a_server_that_ran_out_of_tokens_while_thinking_says_so():
    with standing_in(lambda asked, before: thought_of("hm", None, "length")) as state:
        (replies,) = server(state).talk([(SOURCE, Talk(("Is it?",), thinking_tokens=9))])
        assert replies == ("<think>\nhm",)
        with pytest.raises(ValueError, match="still thinking when its tokens were used up"):
            server(state).talk([(SOURCE, Talk(("Is it?",)))])


@pytest.mark.django_db
def test_a_server_that_keeps_nothing_apart_is_read_as_it_speaks():
    with standing_in(lambda asked, before: spoken("<think>hm</think>yes")) as state:
        talk = Talk(("Is it?",), thinking_tokens=9)
        assert server(state).talk([(SOURCE, talk)]) == [("<think>hm</think>yes",)]
