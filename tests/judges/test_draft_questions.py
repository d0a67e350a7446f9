"""A model's draft of questions: only what can be read becomes a row, and a person imports it."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotations.models import Prompt, Study
from judges.draft_questions import DSG, FORMS, REWRITING, TIFA, dsg_rows, rewritten_rows, tifa_rows
from tests import making
from tests.judging.engines.openai_stand_in import Reply, spoken, standing_in

CIRCLE = {
    "element": "red circle",
    "element_type": "color",
    "question": "What color is the circle?",
    "choices": ["red", "blue"],
    "answer": "red",
}
THERE = {
    "type": "entity",
    "detail": "whole",
    "statement": "circle",
    "question": "Is there a circle?",
    "depends_on": [],
}
RED = {
    **THERE,
    "type": "attribute",
    "detail": "color",
    "question": "Is the circle red?",
    "depends_on": [1],
}


def test_a_prompt_with_braces_stands_in_the_instruction_as_it_is():
    for form in FORMS.values():
        assert form.prompt_text("a {red} {prompt}").count("a {red} {prompt}") == 1
    assert TIFA.count("{prompt}") == DSG.count("{prompt}") == REWRITING.count("{prompt}") == 1


def test_a_reply_between_marks_of_code_is_read():
    (row,) = tifa_rows("p1", "a red circle", f"```json\n{json.dumps([CIRCLE])}\n```")
    assert (row["id"], row["caption"], row["answer"]) == ("p1", "a red circle", "red")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"answer": "green"}, "none of its choices"),
        ({"choices": "red, blue"}, "no list of choices"),
        ({"question": " "}, "no “question”"),
        ({"element_type": "mood"}, "“mood” is none of"),
    ],
)
def test_a_question_that_cannot_be_scored_is_no_question(change, words):
    with pytest.raises(ValueError, match=words):
        tifa_rows("p1", "a red circle", json.dumps([{**CIRCLE, **change}]))


@pytest.mark.parametrize("reply", ["Sure! Here you are.", "{}", "[]", "[1]", "```\n```"])
def test_a_reply_without_a_list_of_questions_is_refused(reply):
    for read in (tifa_rows, dsg_rows):
        with pytest.raises(ValueError, match="no JSON|no list"):
            read("p1", "a red circle", reply)


def test_the_same_question_twice_is_refused():
    with pytest.raises(ValueError, match="asked twice"):
        tifa_rows("p1", "a red circle", json.dumps([CIRCLE, CIRCLE]))


def test_what_a_question_depends_on_comes_before_it():
    rows = dsg_rows("p1", "a red circle", json.dumps([THERE, RED]))
    assert [row["dependency"] for row in rows] == ["0", "1"]
    for parents in ([2], [0], ["1"], "1", [True]):
        with pytest.raises(ValueError, match="does not come before"):
            dsg_rows("p1", "x", json.dumps([THERE, {**RED, "depends_on": parents}]))


def test_a_rewritten_prompt_keeps_to_the_length_that_was_asked_for():
    (row,) = rewritten_rows("p1", "a cat", "A  gray cat\nsits. ")
    assert row["rewritten"] == "A gray cat sits."
    for reply in ("", "word " * 111):
        with pytest.raises(ValueError, match="1 to 110"):
            rewritten_rows("p1", "a cat", reply)


# --- the command


@pytest.fixture
def study(db):
    return making.study(prompts=3)


def draft(state, form, out):
    call_command("write_questions", "shapes", form, model="m", base_url=state.url, out=out)


@pytest.mark.parametrize(
    ("form", "items", "questions"),
    [("tifa", [CIRCLE], ["What color is the circle?"]), ("dsg", [THERE, RED], None)],
)
def test_a_draft_can_be_imported_as_it_is(study, tmp_path, capsys, form, items, questions):
    out = tmp_path / ("draft.json" if form == "tifa" else "draft.csv")
    with standing_in(lambda asked, before: spoken(json.dumps(items))) as state:
        draft(state, form, out)
    assert len(state.asked) == 3
    assert "a red circle, number 2" in str([asked.text for asked in state.asked])
    assert f"--format {form} {out}" in capsys.readouterr().out
    # The study that was asked about is untouched until somebody imports.
    assert Study.objects.count() == 1
    call_command("import_study", "reviewed", out, format=form)
    prompts = Prompt.objects.filter(study__slug="reviewed").order_by("key")
    assert [prompt.text for prompt in prompts] == [f"a red circle, number {n}" for n in range(3)]
    wanted = questions or ["Is there a circle?", "Is the circle red?"]
    assert [atom.question for atom in prompts[0].atoms.all()] == wanted
    if form == "dsg":
        assert [atom.parents for atom in prompts[0].atoms.all()] == [[], [0]]


def test_what_cannot_be_read_is_left_out_and_named(study, tmp_path, capsys):
    def answer(asked, before):
        if "number 0" in asked.text:
            return spoken("I cannot.")
        if "number 1" in asked.text:
            return Reply({"error": "too long"}, status=400)
        return spoken(json.dumps([CIRCLE]))

    with standing_in(answer) as state:
        draft(state, "tifa", tmp_path / "draft.json")
    told = capsys.readouterr()
    assert "for 1 of 3 prompts" in told.out
    assert "p0 was left out: The reply is no JSON" in told.err
    assert "p1 was left out" in told.err
    assert "too long" in told.err


def test_a_draft_is_never_overwritten(study, tmp_path):
    (tmp_path / "draft.json").write_text("corrected by hand")
    with standing_in(lambda asked, before: spoken("[]")) as state:
        with pytest.raises(CommandError, match="is there already"):
            draft(state, "tifa", tmp_path / "draft.json")
        assert state.asked == []


def test_a_server_that_nobody_allowed_is_a_sentence(study, tmp_path):
    with pytest.raises(CommandError, match="JUDGE_SERVERS"):
        call_command(
            "write_questions",
            "shapes",
            "tifa",
            model="m",
            base_url="http://gpu:8000/v1",
            out=tmp_path / "draft.json",
        )


def test_a_name_that_no_model_has_is_a_sentence(study, tmp_path):
    out = tmp_path / "draft.json"
    with pytest.raises(CommandError, match="“checkpoint” must be a text of at most 200"):
        call_command("write_questions", "shapes", "tifa", model="m" * 300, out=out)


def test_rewritten_prompts_come_with_the_original_beside_them(study, tmp_path):
    with standing_in(lambda asked, before: spoken("A large red circle on white paper.")) as state:
        draft(state, "rewritten", tmp_path / "draft.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "draft.jsonl").read_text().splitlines()]
    assert [row["prompt"] for row in rows] == [f"a red circle, number {n}" for n in range(3)]
    assert {row["rewritten"] for row in rows} == {"A large red circle on white paper."}
    assert state.asked[0].text.endswith("under 110 words.")
