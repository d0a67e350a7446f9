"""The shipped checklists over real HTTP: their papers' words go out, and their papers' rules make the score."""

import hashlib

import pytest

from annotations.models import Prompt
from judges import own_recipes
from judges.models import Run
from judges.runs import lifecycle, score_chunk
from jurybox_judging import catalogue, registry
from jurybox_judging.recipes.read import read_one
from tests import making
from tests.judges.test_recipes_of_the_docs import PAGE, recipes
from tests.judging.engines.openai_stand_in import spoken, standing_in, told

pytestmark = pytest.mark.django_db
# Of the words as they were when they were compared with the authors' files (each recipe's `source` names
# file and commit), with our names in the places. A blank more is another judge.
WORDS = {
    "viescore-server": ["d6bbc902", "2473ff2c"],
    "longbench-t2i-server": ["acdeedab"],
}


@pytest.fixture(autouse=True)
def fresh():
    registry.forget_engines()
    yield
    registry.forget_engines()


def run(study, name, reply, part="talk"):
    with standing_in(lambda asked, before: reply(asked)) as state:
        given = {"checkpoint": "m", "base_url": state.url, "pause": 0.001, "attempts": 2}
        options = {"self_test": False, **{f"{part}.{key}": v for key, v in given.items()}}
        started = lifecycle.start_run(study=study, name=name, options=options)
        score_chunk.work_off(run=started)
    started.refresh_from_db()
    assert started.state == Run.State.FINISHED, started.reason
    return started, state


@pytest.mark.parametrize("name", WORDS)
def test_the_words_stay_what_the_authors_wrote(name):
    asks = catalogue.JUDGES[name].options["asks"]
    digests = [hashlib.sha256(ask.encode()).hexdigest()[:8] for ask in asks]
    assert digests == WORDS[name]


def test_viescore_multiplies_the_least_of_both_sides():
    study = making.study(prompts=1)

    def reply(asked):
        if "Text Prompt:" in asked.text:
            return spoken('{"score": [8], "reasoning": "as {told}"}')
        return spoken('```json\n{\n"score" : [2, 9],\n"reasoning" : "."\n}\n```')

    started, state = run(study, "viescore-server", reply)
    # √(8 · min(2, 9))
    assert list(started.scores.values_list("value", flat=True)) == [pytest.approx(4)] * 2
    asked = state.asked[0].body
    assert (asked["temperature"], asked["max_tokens"]) == (1.0, 1400)
    assert [message["role"] for message in asked["messages"]] == ["user"]
    texts = {one.text for one in state.asked}
    assert len(texts) == 2
    assert any(text.endswith(f"Text Prompt: {study.prompts.get().text}\n") for text in texts)


def test_viescore_guesses_no_number_for_a_reply_that_it_cannot_read():
    study = making.study(prompts=1)

    def reply(asked):
        return spoken('{"score": [8]}' if "Text Prompt:" in asked.text else "It looks fine to me.")

    started, state = run(study, "viescore-server", reply)
    assert set(started.scores.values_list("value", flat=True)) == {None}
    (score, _) = started.scores.all()
    assert "field naturalness: the reply does not say" in score.error
    # Once more, then no more; equal pictures are asked about once.
    assert sum("Text Prompt:" not in one.text for one in state.asked) == 2


def test_longbench_rates_each_attribute_of_the_label():
    study = making.study(prompts=1)
    label = [{"Object": "a circle", "Color and Tone": "all red"}]
    Prompt.objects.filter(study=study).update(metadata={"label": label})

    def reply(asked):
        value = 5 if "- **Attribute Name**: Object  \n" in asked.text else 2
        return spoken(f"**Evaluation Summary**: as told.  \n**Score**: {{{value}}}")

    started, state = run(study, "longbench-t2i-server", reply)
    assert list(started.scores.values_list("value", flat=True)) == [pytest.approx(3.5)] * 2
    assert any("**Attribute Description**:  \nall red\n" in one.text for one in state.asked)
    assert all("{point" not in one.text for one in state.asked)


def test_wises_recipe_of_the_docs_weighs_three_lines():
    (text,) = [one for one in recipes(PAGE) if read_one(one)[0] == "wise"]
    own_recipes.add(text=text, by=None)
    study = making.study(prompts=1)
    Prompt.objects.filter(study=study).update(metadata={"Explanation": "It is round."})
    lines = "**Consistency**: 2\n**Realism**: 1\nAesthetic Quality: 0"
    started, state = run(study, "wise", lambda asked: spoken(lines))
    # (.7 · 2 + .2 · 1 + .1 · 0) / 2
    assert list(started.scores.values_list("value", flat=True)) == [pytest.approx(0.8)] * 2
    assert 'EXPLANATION: "It is round."' in state.asked[0].text


def test_a_rating_asks_once_and_reads_all_words_of_the_one_reply():
    study = making.study(prompts=1)
    sure = told(("good", 0.6), ("excellent", 0.2), ("fair", 0.1), ("poor", 0.05), ("bad", 0.05))
    started, state = run(study, "rating-server", lambda asked: sure, part="answers")
    # .2 + ¾·.6 + ½·.1 + ¼·.05 = .7125
    assert list(started.scores.values_list("value", flat=True)) == [pytest.approx(0.7125)] * 2
    assert len(state.asked) == 1
    unlisted = told(("good", 0.6), ("excellent", 0.2), ("fine", 0.1))
    registry.forget_engines()
    started, _ = run(making.study("two", prompts=1), "rating-server", lambda _: unlisted, "answers")
    (score, _) = started.scores.all()
    assert score.value == pytest.approx((0.2 + 0.75 * 0.6) / 0.8)
    assert score.assumed == 3
