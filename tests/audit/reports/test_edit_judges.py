"""Judges of edits that see only a part of it are told as such: for what was asked and for what was kept by itself."""

import pytest

from annotations.stored_answers.question import NONE
from audit.questions.each_question.exhibits import judges_apart
from audit.questions.each_question.question import each_question
from audit.reports.make import make_report
from audit.reports.options import Options
from audit.words.drift_state import HOLDS, state_of
from judges.models import Look, Score
from jurybox_judging import catalogue, registry
from jurybox_stats.instrument.following import AGAINST, FOLLOWING
from jurybox_stats.instrument.verdict import DO_NOT_USE, OTHER_QUESTION
from tests.bench import edit_worlds
from tests.bench.edit_worlds import JUDGES, QUESTIONS, name_of

pytestmark = pytest.mark.django_db
EDITS = 150


@pytest.fixture(scope="module")
def told(make_once):
    """Per question, the judges of its report."""
    with pytest.MonkeyPatch.context() as patch:
        for name, entry in edit_worlds.entries().items():
            patch.setitem(catalogue.JUDGES, name, entry)
        registry.forget_engines()
        yield make_once(judged)
        registry.forget_engines()


def judged():
    study = edit_worlds.planted("edits", count=EDITS, seed=3)
    edit_worlds.score_all(study)
    reports = {
        question: make_report(study=study, options=Options(question=question)).body["judges"]
        for question in QUESTIONS
    }
    return reports, judges_apart(each_question(study, NONE))


def test_each_judge_follows_people_only_in_what_it_can_see(told):
    told, apart = told
    for judge, (_, _, seen) in JUDGES.items():
        for question in QUESTIONS:
            found = told[question][name_of(judge, question)]
            wanted = FOLLOWING if question in seen else AGAINST
            assert found["follows"]["state"] in wanted, (judge, question, found["follows"])
    # The finding to be expected, in the words of the summary.
    name = name_of("ignores over-editing", "kept")
    assert told["kept"][name]["verdict"] == {"kind": DO_NOT_USE}
    assert state_of(told["kept"][name]) != HOLDS
    done = told["did"][name_of("ignores over-editing", "did")]
    assert done["follows"]["state"] in FOLLOWING
    name = name_of("ignores over-editing", "did")
    follows, does_not = next((yes, no) for judge, yes, no in apart if judge == name)
    assert follows == ["did"] and "kept" in does_not
    # A judge's answers to both questions come from one look at each image.
    assert Score.objects.count() == EDITS * len(JUDGES) * len(QUESTIONS)
    assert Look.objects.count() == EDITS * len(JUDGES)


def test_a_judge_of_one_question_gets_no_verdict_in_a_report_about_another(told):
    told, _ = told
    for judge in JUDGES:
        found = told["did"][name_of(judge, "kept")]
        assert (found["follows"]["state"], state_of(found)) == 2 * ("cannot be told",)
        assert found["verdict"] == {"kind": OTHER_QUESTION, "made_for": "kept"}
        assert "made_for" not in told["did"][name_of(judge, "did")]["follows"]
