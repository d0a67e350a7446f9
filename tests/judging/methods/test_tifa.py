"""golden/tifa_benchmark.json, tifa_filter.json (TIFA's own code), geneval2_eval.json (GenEval 2's)."""

import json
from pathlib import Path

import pytest

from jurybox_judging.methods.shared.answer_spellings import matches, one_word
from jurybox_judging.methods.tifa import Tifa, answerable_places, in_digits, summarise, word_f1
from jurybox_judging.protocols import Answer, Atom, KnownAnswers, Subject, Talk, Unscored
from tests.judging.methods.run_case import Run

RUNS = {"tifa": Run((1.0, 1.0), {"max_tokens": 8})}

GOLDEN = Path(__file__).parent / "golden"


def golden(name):
    return json.loads((GOLDEN / name).read_text())


def test_every_official_summary_is_reproduced():
    cases = golden("tifa_benchmark.json")["cases"]
    assert len(cases) == 13
    for case in cases:
        summary = summarise(case["questions"], case["predictions"])
        assert summary.tifa_average == pytest.approx(case["tifa_average"])
        assert summary.tifa_stdev == pytest.approx(case["tifa_stdev"])
        assert summary.accuracy_by_type == pytest.approx(case["accuracy_by_type"])
        assert summary.caption_scores == pytest.approx(case["caption_scores"])


def test_official_objects_are_summarised_like_rows():
    item = {"id": "a", "question": "?", "answer": "red", "element_type": "color"}
    summary = summarise([item, {**item, "element_type": "food"}], ["red", "blue"])
    assert summary.accuracy_by_type == {"color": 1, "food": 0}
    # One caption has a mean and no deviation.
    assert (summary.tifa_average, summary.tifa_stdev) == (0.5, None)


def test_nothing_has_no_summary():
    with pytest.raises(ValueError, match="no question"):
        summarise([], [])


def test_every_official_filter_is_reproduced():
    official = golden("tifa_filter.json")
    assert len(official["cases"]) == 30
    for case in official["cases"]:
        assert answerable_places(case["questions"], case["mc"], case["free_form"]) == case["kept"]
    for case in official["f1"]:
        assert word_f1(case["gold"], case["pred"]) == pytest.approx(case["f1"])


def test_number_words_become_digits():
    assert in_digits("three red dogs") == "3 red dogs"


def test_every_official_verdict_on_a_token_is_reproduced():
    found = golden("geneval2_eval.json")
    verdicts = 0
    for case in found["cases"]:
        for expected, logits, right in zip(
            case["expected"], case["logits"], case["tifa"], strict=True
        ):
            # The first of equal scores, as argmax takes it: the lowest token id.
            token = max(sorted(logits), key=lambda pair: pair[1])[0]
            assert matches(found["id_to_text"][str(token)], expected) == bool(right)
            verdicts += 1
    assert verdicts > 100


ATOMS = (
    Atom(0, "count", "two cats", "How many cats are in the image?", "two"),
    Atom(1, "object", "cats", "Are there any cats in the image?", "Yes"),
)
SUBJECT = Subject("two cats", ATOMS)
ASKED = tuple(one_word(atom.question, atom.expected) for atom in ATOMS)


def test_the_likeliest_token_decides():
    assert Tifa().wants(SUBJECT, KnownAnswers()) == ASKED
    told = KnownAnswers(zip(ASKED, (Answer(0.1, "2"), Answer(0.9, "No")), strict=True))
    assert Tifa().wants(SUBJECT, told) == ()
    judged = Tifa().judge(SUBJECT, told)
    assert (judged.score, [atom.score for atom in judged.atoms]) == (0.5, [1, 0])
    assert json.loads(json.dumps(judged.evidence)) == judged.evidence


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_a_blank_answer_costs_its_atom_and_not_the_image(blank):
    # One of two is right; the blank is no spelling of yes.
    told = KnownAnswers(zip(ASKED, (Answer(0.1, "2"), Answer(0.2, blank)), strict=True))
    judged = Tifa().judge(SUBJECT, told)
    assert (judged.score, judged.assumed) == (0.5, 1)


def test_a_request_that_failed_is_no_wrong_answer():
    told = KnownAnswers(
        zip(ASKED, (Answer(0.1, "2"), Answer(None, reason="out of budget")), strict=True)
    )
    judged = Tifa().judge(SUBJECT, told)
    assert isinstance(judged, Unscored)
    assert judged.reason == (
        "Not every question was answered: atom 1 (Are there any cats in the image?): out of budget"
    )


FREE = Subject(
    "a red car",
    (
        Atom(0, "attribute", "red", "What color is the car?", "red"),
        Atom(1, "object", "car", "Is there a car?", "yes"),
    ),
    {"questions": [{"question": "What color is the car?", "choices": ["red", "blue", "green"]}]},
)


def test_a_free_answer_means_the_nearest_choice():
    method = Tifa(form="free")
    wants = method.wants(FREE, KnownAnswers())
    assert wants == (Talk(("What color is the car?",), 32), Talk(("Is there a car?",), 32))
    told = KnownAnswers(zip(wants, (("Reddish.",), ("no",)), strict=True))
    judged = method.judge(FREE, told)
    assert [a["chosen"] for a in judged.evidence["answers"]] == ["red", "no"]
    assert judged.score == 0.5


def test_the_similarity_is_a_plug_in(settings):
    settings.JUDGE_PLUGINS = {"last": f"{__name__}:last"}
    method = Tifa(form="free", nearest="last")
    told = KnownAnswers({want: ("hm",) for want in method.wants(FREE, KnownAnswers())})
    assert [a["chosen"] for a in method.judge(FREE, told).evidence["answers"]] == ["green", "no"]
    with pytest.raises(ValueError, match="“nearest” must be one of letters, last, not 'sbert'"):
        Tifa(nearest="sbert")


def last(text, choices):
    return range(len(choices))


def test_a_free_answer_without_choices_stays_unscored():
    bare = Subject("a red car", FREE.atoms)
    told = KnownAnswers({want: ("red",) for want in Tifa(form="free").wants(bare, KnownAnswers())})
    judged = Tifa(form="free").judge(bare, told)
    assert judged == Unscored(
        "A free answer needs choices to be compared with: atom 0 (What color is the car?)."
    )


def test_a_prompt_without_questions_stays_unscored():
    assert Tifa().judge(Subject("x"), KnownAnswers()) == Unscored(
        "This prompt has no questions to ask."
    )
