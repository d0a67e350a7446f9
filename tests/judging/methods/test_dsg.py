"""golden/dsg_score.json and dsg_parse.json: what DSG's own code gave."""

import json
from pathlib import Path

import pytest

from jurybox_judging.methods.dsg import (
    Dsg,
    clean_dependency,
    parse_dependencies,
    parse_questions,
    parse_tuples,
    score,
    valid,
)
from jurybox_judging.methods.shared.answer_spellings import one_word
from jurybox_judging.protocols import Answer, Atom, KnownAnswers, Subject, Unscored
from tests.judging.methods.run_case import Run

RUNS = {"dsg": Run((1.0, 1.0), {"transitive": True})}

GOLDEN = Path(__file__).parent / "golden"
PARSERS = {
    "tuple": parse_tuples,
    "dependency": parse_dependencies,
    "question": parse_questions,
    "clean_dependency_id": clean_dependency,
}
# A dog; the dog is red; the red of the dog is dark.
CHAIN = {"1": [0], "2": [1], "3": [2]}


def cases(name):
    return json.loads((GOLDEN / name).read_text())["cases"]


def test_every_official_score_is_reproduced():
    found = cases("dsg_score.json")
    assert len(found) == 113
    for case in found:
        given, right = (case["dependency"], case["answers"]), {"expected": case.get("gt")}
        assert score(*given, **right) == pytest.approx(case["with_dep"])
        assert score(None, case["answers"], **right) == pytest.approx(case["without_dep"])
        assert valid(*given, **right) == case["valid"]


@pytest.mark.parametrize("case", cases("dsg_parse.json"), ids=lambda case: repr(case["text"]))
def test_every_official_reading_is_reproduced(case):
    parse = PARSERS[case["kind"]]
    if case["out"] == "ERR ValueError":
        with pytest.raises(ValueError):
            parse(case["text"])
        return
    found = parse(case["text"])
    # The keys of JSON are texts.
    assert json.loads(json.dumps(found)) == case["out"]


def test_only_direct_parents_count_unless_the_whole_line_is_asked_for():
    # No dog, yet it is red and dark: "red" is invalid, "dark" rests on a yes.
    answers = {"1": "no", "2": "yes", "3": "yes"}
    assert score(CHAIN, answers) == pytest.approx(1 / 3)
    assert score(CHAIN, answers, transitive=True) == 0


def test_a_question_on_one_that_nobody_answered_is_refused_by_name():
    with pytest.raises(ValueError, match="Question 2 rests on 7, which has no answer"):
        score({"1": [0], "2": [7]}, {"1": "yes", "2": "yes"})


def test_questions_in_a_circle_are_refused_where_the_whole_line_counts():
    circle = {"1": [2], "2": [1]}
    answers = {"1": "yes", "2": "yes"}
    assert score(circle, answers) == 1
    with pytest.raises(ValueError, match="rests on itself"):
        score(circle, answers, transitive=True)


ATOMS = (
    Atom(0, "object", "dog", "Is there a dog?", "Yes"),
    Atom(1, "attribute", "red dog", "Is the dog red?", "Yes", (0,)),
    Atom(2, "attribute", "dark red", "Is the red dark?", "Yes", (1,)),
)
SUBJECT = Subject("a dark red dog", ATOMS)
ASKED = tuple(one_word(atom.question, atom.expected) for atom in ATOMS)


def told(*said):
    return KnownAnswers(zip(ASKED, (Answer(0.5, word) for word in said), strict=True))


def test_the_judge_asks_what_the_other_methods_ask():
    assert Dsg().wants(SUBJECT, KnownAnswers()) == ASKED
    assert Dsg().wants(SUBJECT, told("Yes", "Yes", "Yes")) == ()


@pytest.mark.parametrize(
    ("options", "scores"),
    [
        ({}, [0, 0, 1]),
        ({"transitive": True}, [0, 0, 0]),
        ({"dependencies": False}, [0, 1, 1]),
    ],
)
def test_the_judge_sets_aside_what_rests_on_a_no(options, scores):
    judged = Dsg(**options).judge(SUBJECT, told("No", " yes", "Yes"))
    assert [atom.score for atom in judged.atoms] == scores
    assert judged.score == pytest.approx(sum(scores) / 3)
    assert json.loads(json.dumps(judged.evidence)) == judged.evidence


def test_the_first_atom_is_not_the_root():
    judged = Dsg().judge(SUBJECT, told("No", "Yes", "No"))
    assert judged.atoms[1].reason == "a question that this one rests on was not met"


@pytest.mark.parametrize(
    ("replies", "scores", "assumed"),
    [
        (("Yes.", " yes\n", "YES!"), [1, 1, 1], 0),
        (("yes", "no", "yes"), [1, 0, 0], 0),
        # A sentence is no yes, and neither is nothing; both are counted.
        (("Yes, there is a dog", "yes", "yes"), [0, 0, 1], 1),
        (("yes", "", "yes"), [1, 0, 0], 1),
    ],
)
def test_in_dsgs_own_words_a_free_reply_must_be_yes(replies, scores, assumed):
    method = Dsg(wording="gpt-4o")
    wants = method.wants(SUBJECT, KnownAnswers())
    told = KnownAnswers(zip(wants, ((reply,) for reply in replies), strict=True))
    judged = method.judge(SUBJECT, told)
    assert [atom.score for atom in judged.atoms] == scores
    assert judged.assumed == assumed


def test_dsgs_own_words_cannot_ask_for_anything_but_yes_or_no():
    subject = Subject("x", (Atom(0, "count", "two", "How many cats?", "two"),))
    method = Dsg(wording="gpt-4o")
    told = KnownAnswers({want: ("two",) for want in method.wants(subject, KnownAnswers())})
    assert "expected is: atom 0 (How many cats?) “two”" in method.judge(subject, told).reason


def test_a_blank_answer_is_no_yes_and_what_rests_on_it_is_invalid():
    # A dog; nothing said of its red, on which the third question rests: 1 of 3.
    judged = Dsg().judge(SUBJECT, told("Yes", " ", "Yes"))
    assert (judged.score, judged.assumed) == (pytest.approx(1 / 3), 1)


def test_a_prompt_without_questions_and_a_judge_that_failed_leave_no_score():
    assert Dsg().judge(Subject("x"), KnownAnswers()) == Unscored(
        "This prompt has no questions to ask."
    )
    seen = told("Yes", "Yes", "Yes")
    seen[ASKED[1]] = Answer(None, reason="the server did not answer")
    judged = Dsg().judge(SUBJECT, seen)
    assert isinstance(judged, Unscored)
    assert judged.reason == (
        "Not every question was answered: atom 1 (Is the dog red?): the server did not answer"
    )


def test_in_order_a_question_is_zeroed_with_one_that_was_zeroed_before_it():
    """DPG-Bench's rule: no, yes, yes; 2 rests on 1 and 3 on 2. Direct: 3 counts, since 2 was answered yes."""
    from jurybox_judging.methods.dsg import Dsg
    from jurybox_judging.protocols import Atom, KnownAnswers, Subject

    atoms = tuple(
        Atom(n, "other", "", f"question {n}", "Yes", (n - 1,) if n else ()) for n in range(3)
    )
    subject = Subject("a cup", atoms)
    found = {}
    for zeroing in ("direct", "in-order"):
        method, seen = Dsg(wording="gpt-4o", zeroing=zeroing), KnownAnswers()
        wants = method.wants(subject, seen)
        seen.update(zip(wants, (("no",), ("yes",), ("yes",)), strict=True))
        made = method.judge(subject, seen)
        found[zeroing] = [atom.score for atom in made.atoms]
    assert found == {"direct": [0.0, 0.0, 1.0], "in-order": [0.0, 0.0, 0.0]}
