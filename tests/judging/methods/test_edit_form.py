"""A model fills in a form about an edit: the form's words, its scales, and the overall score that people get."""

import json
import math

import pytest

from audit.evidence import read_evidence
from judges.models import Run
from judges.runs import lifecycle, score_chunk
from judges.runs.fit import StudyPrompts
from jurybox_formats.forms.papers import edits
from jurybox_formats.forms.papers.derived_answers import derived_answers
from jurybox_judging import catalogue, registry
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.methods.edit_form import EditForm, questions_of, write_prompt
from jurybox_judging.protocols import Judgement, KnownAnswers, Placed, Subject, Unscored
from tests import editing, making
from tests.judging.engines.openai_stand_in import spoken, standing_in

RUNS = {"edit-form": None}  # below, as it wants a source picture

SHOWN = (Placed("source", "a" * 64), Placed("result", "b" * 64))
SUBJECT = Subject("Make the {circle} green", pictures=SHOWN)
GRADES = {
    "edit": {"did": 1, "kept": 0, "looks_right": 1},
    "imagenhub": {"semantic_consistency": 0.5, "perceptual_quality": 1},
    "gedit": {"success": 8, "no_over_editing": 5, "perceptual_quality": 9},
    "imgedit": {"instruction": 3, "detail": 5, "realism": 2},
    "kris": {"visual_consistency": 4, "visual_quality": 3, "instruction": 2, "knowledge": 5},
    "rise": {"reasoning": 2, "consistency": 4, "plausibility": 5},
}
# By hand: the root of .5 · 1, the root of 5 · 9, the mean of 3, 3 (not above the first) and 2.
OVERALL = {"imagenhub": math.sqrt(0.5), "gedit": math.sqrt(45), "imgedit": 8 / 3}


def judged(method, *replies, subject=SUBJECT):
    """The judgement, and how often it asked."""
    seen, said = KnownAnswers(), iter(replies)
    while wants := method.wants(subject, seen):
        for want in wants:
            seen[want] = (next(said),)
    return method.judge(subject, seen), len(seen)


@pytest.mark.parametrize("form", edits.FORMS, ids=lambda form: form.slug)
def test_each_question_of_the_form_is_asked_in_its_words_and_read_on_its_scale(form):
    text = write_prompt(form, SUBJECT.prompt)
    assert SUBJECT.prompt in text
    assert {question.name for question in questions_of(form)} == set(GRADES[form.slug])
    for question in questions_of(form):
        assert question.text in text
        assert all(choice.text in text for choice in question.choices)
        method = EditForm(form=form.slug, question=question.name)
        (want,) = method.wants(SUBJECT, KnownAnswers())
        assert (want.turns, want.pictures) == ((text,), SHOWN)
        told, _ = judged(method, json.dumps(GRADES[form.slug]))
        assert told.score == GRADES[form.slug][question.name]


@pytest.mark.parametrize("slug", edits.OVERALL)
def test_the_overall_score_is_what_people_get_for_the_same_answers(slug):
    (form,) = (form for form in edits.FORMS if form.slug == slug)
    told, _ = judged(EditForm(form=slug), json.dumps(GRADES[slug]))
    people = derived_answers(form, (), {}, GRADES[slug])
    assert told.score == people["overall"] == pytest.approx(OVERALL[slug])
    assert told.correct is None


def test_of_yes_and_no_the_answer_is_the_verdict():
    kept = EditForm(question="kept")
    assert judged(kept, '{"kept": 0}')[0].correct is False
    told, _ = judged(kept, 'I looked.\n```json\n{"did": "no", "kept": "Yes."}\n```')
    assert (told.score, told.correct) == (1, True)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ('{"success": 11}', "success: 11 is not from 0 to 10"),
        ('{"success": 7.5}', "success: 7.5 is no whole number"),
        ('{"success": "high"}', "success: 'high' is no number"),
        ('{"success": true}', "success: True is no number"),
        ('{"quality": 7}', "success: the reply does not say"),
        ("", "success: the reply does not say"),
    ],
)
def test_what_is_not_on_the_scale_is_asked_again_and_never_a_number(reply, reason):
    method = EditForm(form="gedit", question="success", tries=2)
    told, asked = judged(method, reply, reply)
    assert (type(told), asked) == (Unscored, 2)
    assert reason in told.reason
    told, asked = judged(method, reply, '{"success": 7}')
    assert (told.score, asked) == (7, 2)


def test_a_grade_between_two_of_the_scale_is_none():
    told, _ = judged(EditForm(form="imgedit", question="detail", tries=1), '{"detail": 3.5}')
    assert "3.5 is none of 1, 2, 3, 4, 5" in told.reason


def test_the_overall_score_needs_every_answer_and_one_question_only_its_own():
    reply = '{"success": 8, "no_over_editing": 5}'
    told, _ = judged(EditForm(form="gedit", tries=1), reply)
    assert "perceptual_quality: the reply does not say" in told.reason
    assert judged(EditForm(form="gedit", question="success"), reply)[0].score == 8


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"form": "kris"}, "The form “kris” has visual_consistency, .* not “overall”"),
        ({"question": "where"}, "has did, kept, looks_right, not “where”"),
        ({"form": "own"}, "“form” must be one of"),
    ],
)
def test_a_question_that_the_form_has_not_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        EditForm(**options)


def test_without_a_source_or_an_instruction_nothing_is_asked():
    lonely = Subject("Make it green", pictures=SHOWN[1:])
    assert judged(EditForm(question="did"), subject=lonely) == (
        Unscored("This prompt has no source picture."),
        0,
    )
    empty = Subject(" ", pictures=SHOWN)
    assert judged(EditForm(question="did"), subject=empty)[0].reason == "This prompt is empty."


def test_samples_of_an_edit_make_one_grade_and_say_their_spread():
    method = EditForm(form="gedit", question="success", samples=3, temperature=1.0, tries=1)
    told, asked = judged(method, '{"success": 7}', '{"success": 9}', '{"success": 8}')
    assert (told.score, asked) == (8, 3)
    assert told.evidence["samples"] == {"count": 3, "scores": [7, 9, 8], "spread": 1}
    most = EditForm(
        form="gedit",
        question="success",
        samples=3,
        temperature=1.0,
        tries=1,
        over_samples="majority",
    )
    assert judged(most, '{"success": 7}', '{"success": 9}', '{"success": 7}')[0].score == 7


def test_an_edits_judge_that_never_stopped_thinking_has_no_grade():
    method = EditForm(form="gedit", question="success", tries=1, thinking_tokens=100)
    told, _ = judged(method, '<think>perhaps {"success": 7}, but')
    assert "still thinking" in told.reason
    assert judged(method, '<think>6?</think>{"success": 7}')[0].score == 7


# --- whole runs, with a model server


@pytest.fixture
def fresh(db, settings):
    settings.OPENAI_API_KEY = ""
    registry.forget_engines()
    yield
    registry.forget_engines()


def run(state, study, name, **more):
    given = {"talk.base_url": state.url, "talk.checkpoint": "judge-1", "self_test": False, **more}
    started = lifecycle.start_run(study=study, name=name, options=given)
    score_chunk.work_off(run=started)
    started.refresh_from_db()
    assert started.state == Run.State.FINISHED, started.reason
    return list(started.scores.order_by("image__key").values_list("value", "error"))


SHIPPED = [n for n, entry in catalogue.JUDGES.items() if entry.method.endswith(":EditForm")]


@pytest.mark.parametrize("name", [name for name in SHIPPED if name.endswith("-server")])
def test_each_shipped_judge_of_edits_scores_a_study(name, fresh):
    method = registry.method_of(catalogue.entry(name), {})
    grades = GRADES[method.form]
    with standing_in(lambda asked, before: spoken(json.dumps(grades))) as state:
        found = run(state, editing.study(count=1), name)
    wanted = OVERALL[method.form] if method.question == "overall" else grades[method.question]
    assert found == [(pytest.approx(wanted), "")] * 2
    assert [title for title, _ in state.asked[0].shown] == [
        "Picture 1 (source):",
        "Picture 2 (result):",
    ]


def test_every_form_of_an_edit_has_a_judge_of_a_server_and_a_local_one():
    forms = [registry.method_of(catalogue.entry(name), {}).form for name in SHIPPED]
    assert {slug: forms.count(slug) for slug in forms} == {
        form.slug: 6 if form.slug == "edit" else 2 for form in edits.FORMS
    }
    for name in SHIPPED:
        assert registry.build(name, {}).parts["talk"].takes_several


def test_the_three_judges_of_our_own_form_ask_once(fresh):
    study = editing.study(count=2)
    with standing_in(lambda asked, before: spoken(json.dumps(GRADES["edit"]))) as state:
        names = ("edit-did-server", "edit-kept-server", "edit-looks-right-server")
        found = [run(state, study, name) for name in names]
    assert [scores[0][0] for scores in found] == [1, 0, 1]
    assert len(state.asked) == 4


def test_a_study_without_sources_is_refused_before_it_starts(db):
    study = making.study(prompts=1)
    with pytest.raises(JudgeRefused, match=r"none of this study's images.*no source picture"):
        lifecycle.start_run(study=study, name="edit-did-server", options={"talk.checkpoint": "m"})
    (obstacle,) = StudyPrompts(study, 10).fit("edit-did-server").obstacles
    assert obstacle.mend.title == "Add source pictures"
    assert StudyPrompts(editing.study(count=1), 10).fit("edit-did-server").scorable == 2


def test_a_judgement_says_what_was_said_of_each_question():
    told, _ = judged(EditForm(question="did"), json.dumps(GRADES["edit"]))
    assert isinstance(told, Judgement)
    asked = read_evidence.questions(told.evidence)
    assert [(one.question, one.said, one.probability) for one in asked] == [
        (question.text, str(GRADES["edit"][question.name]), GRADES["edit"][question.name])
        for question in questions_of(edits.FORM)
    ]
    assert read_evidence.replies(told.evidence) == [json.dumps(GRADES["edit"])]
