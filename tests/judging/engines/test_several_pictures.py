"""Engines that take several pictures in one question: against the library's plain call, in their order."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from jurybox_judging.engines.image_text import ImageTextModel
from jurybox_judging.engines.openai_server import OpenAIServer
from jurybox_judging.engines.qwen_vl import QwenVL
from jurybox_judging.engines.shared import shared_prefix
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.protocols import Question, Talk
from tests.judging.engines import tiny_qwen
from tests.judging.engines.openai_stand_in import spoken, standing_in, told
from tests.waiting import PATIENCE

CLOSE = 1e-5
TEXTS = ("How many cats are in the image?", "Are the shapes green?")
QUESTIONS = [Question(text, ("Yes", "two")) for text in TEXTS]


def picture(seed, size=(84, 56)):
    rng = np.random.default_rng(seed)
    return Image.fromarray(rng.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8))


SOURCE, RESULT, MASK = picture(1), picture(2, (56, 112)), picture(3)
PAIR = (("source", SOURCE), ("result", RESULT))
THREE = (("source", SOURCE), ("mask", MASK), ("result", RESULT))
TITLES = {2: ("Picture 1 (source):", "Picture 2 (result):")}
TITLES[3] = ("Picture 1 (source):", "Picture 2 (mask):", "Picture 3 (result):")


@pytest.fixture(scope="module", params=tiny_qwen.FAMILIES)
def checkpoint(request, tmp_path_factory):
    return tiny_qwen.save(request.param, tmp_path_factory.mktemp(request.param))


class Library(tiny_qwen.Library):
    """With the words that stand before each picture."""

    def given(self, shown, text):
        content = []
        for title, _ in zip(TITLES[len(shown)], shown, strict=True):
            content += [{"type": "text", "text": title}, {"type": "image"}]
        content.append({"type": "text", "text": text})
        return self.encode(content, [image for _, image in shown])


@pytest.fixture(scope="module")
def library(checkpoint):
    return Library(checkpoint)


def engine(checkpoint, **options):
    return QwenVL(str(checkpoint), device="cpu", **options)


def close(ours, theirs):
    prepare().testing.assert_close(ours, theirs, atol=CLOSE, rtol=0)


@pytest.mark.parametrize("one_go", [0, 10_000])
@pytest.mark.parametrize("shown", [PAIR, THREE, PAIR[::-1]], ids=["two", "three", "exchanged"])
def test_shared_questions_about_several_pictures_are_the_librarys(
    checkpoint, library, shares, monkeypatch, shown, one_go
):
    if shown == PAIR[::-1]:
        monkeypatch.setitem(TITLES, 2, ("Picture 1 (result):", "Picture 2 (source):"))
    monkeypatch.setattr(shared_prefix, "_ONE_GO", one_go)
    engine(checkpoint).answer([(shown, QUESTIONS)])
    for ours, text in zip(shares[0], TEXTS, strict=True):
        theirs = library.shares(shown, text)
        assert float(theirs.max()) > 0.05  # not a vocabulary of equals
        close(ours, theirs)


def test_one_call_mixes_pictures_alone_and_several_and_exchanging_two_changes_the_answer(
    checkpoint, shares
):
    alone = engine(checkpoint)
    for shown in (PAIR, RESULT, PAIR[::-1]):
        alone.answer([(shown, QUESTIONS)])
    apart, shares[:] = list(shares), []
    engine(checkpoint).answer([(PAIR, QUESTIONS), (RESULT, QUESTIONS), (PAIR[::-1], QUESTIONS)])
    for ours, theirs in zip(shares, apart, strict=True):
        close(ours, theirs)
    assert float((shares[0] - shares[2]).abs().max()) > 100 * CLOSE


def test_a_penalty_counts_the_words_between_the_pictures_too(tmp_path, shares):
    folder = tiny_qwen.save("qwen2_5_vl", tmp_path)
    settings = folder / "generation_config.json"
    settings.write_text(settings.read_text().replace("{", '{"repetition_penalty": 1.3,', 1))
    engine(folder).answer([(PAIR, QUESTIONS)])
    theirs = Library(folder)
    for ours, text in zip(shares[0], TEXTS, strict=True):
        close(ours, theirs.shares(PAIR, text))


def test_a_talk_about_several_pictures_is_what_generate_says(checkpoint, library):
    (replies,) = engine(checkpoint).talk([(PAIR, Talk(("How many cats?",), 6))])
    given = library.given(PAIR, "How many cats?")
    made = library.model.generate(**given, max_new_tokens=6, do_sample=False)
    new = made[0, given["input_ids"].shape[1] :]
    words = library.processor.tokenizer.decode(new, skip_special_tokens=True)
    assert replies == (words.strip(),)


def test_the_engine_for_any_model_asks_the_same(checkpoint, library, shares):
    some = ImageTextModel(str(checkpoint), device="cpu")
    assert some.takes_several
    some.answer([(PAIR, QUESTIONS), (THREE, QUESTIONS[:1])])
    wanted = [library.shares(PAIR, text) for text in TEXTS] + [library.shares(THREE, TEXTS[0])]
    for ours, theirs in zip(shares, wanted, strict=True):
        close(ours[0], theirs)


def test_words_around_a_question_have_one_place_for_a_picture():
    assert not ImageTextModel("folder", template="Question: {question} Answer:").takes_several


# --- a model server


def sent(asked):
    """Titles and pixels of the pictures in a request."""
    shown = []
    for title, url in asked.shown:
        image = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
        shown.append((title, image.tobytes()))
    return shown


def server(state, **options):
    return OpenAIServer(base_url=state.url, checkpoint="judge-1", timeout=PATIENCE, **options)


def sure_of_red(asked, before):
    """As sure as the first picture is red, so that the order counts."""
    image = Image.open(io.BytesIO(base64.b64decode(asked.picture.partition(",")[2])))
    red = np.asarray(image)[..., 0].mean() / 255
    return told(("Yes", red), ("No", 1 - red - 0.01))


@pytest.mark.django_db
def test_a_server_gets_each_picture_after_its_name_and_then_the_question():
    with standing_in(lambda asked, before: spoken("9")) as state:
        assert server(state).talk([(THREE, Talk(("Is it well done?",)))]) == [("9",)]
    (asked,) = state.asked
    assert sent(asked) == [
        (title, image.tobytes()) for title, (_, image) in zip(TITLES[3], THREE, strict=True)
    ]
    assert asked.text == "Is it well done?"


@pytest.mark.django_db
def test_a_picture_alone_is_sent_without_a_name():
    with standing_in(lambda asked, before: spoken("9")) as state:
        server(state).talk([(SOURCE, Talk(("Is it?",)))])
    assert [part["type"] for part in state.asked[0].body["messages"][-1]["content"]] == [
        "image_url",
        "text",
    ]


@pytest.mark.django_db
def test_exchanged_pictures_and_other_names_are_other_questions_to_a_server():
    dark, light = Image.new("RGB", (8, 8), (20, 0, 0)), Image.new("RGB", (8, 8), (200, 0, 0))
    orders = [
        (("source", dark), ("result", light)),
        (("source", light), ("result", dark)),
        (("result", dark), ("source", light)),
    ]
    with standing_in(sure_of_red) as state:
        asking = server(state)
        rows = asking.answer([(shown, QUESTIONS[:1]) for shown in orders])
        again = asking.answer([(orders[1], QUESTIONS[:1])])
    found = [row[0].probability for row in rows]
    assert found == [pytest.approx(red / 255) for red in (20, 200, 20)]
    # The third differs from the first by the names alone; the fourth was known already.
    assert len(state.asked) == 3
    assert again[0] == rows[1]
