"""The demo's study of edits: its pages say what was planted, and no more."""

import re
from functools import partial

import pytest
from django.urls import reverse

from annotations.models import Study
from annotations.stored_answers.question import NONE
from audit import demo
from audit.questions.each_question.exhibits import EXHIBITS, judges_apart
from audit.questions.each_question.question import each_question
from audit.reports import make as reports
from audit.reports.options import Options
from audit.words import drift_state
from judges.names import runs_by_name
from jurybox_formats.sets.drawn_edits import study as planted

pytestmark = pytest.mark.django_db
BLIND, BOTH, LOSES = planted.READS_DID, planted.READS_BOTH, planted.LOSES_NEW
POINTS = 6  # three people who err in 4 of 100 answers are this near to the truth


@pytest.fixture(scope="module")
def edits_once(make_once):
    return make_once(partial(demo.build_edits, prompts=demo.EDITS)).pk


@pytest.fixture
def edits(db, edits_once, pictures_of_the_file) -> Study:
    return Study.objects.get(pk=edits_once)


def shares(holds) -> dict[str, float]:
    """Of each editor, in per cent."""
    plan = planted.plan_edits(demo.EDITS)
    return {
        editor.name: 100
        * sum(holds(edit) for edit in plan if edit.editor == editor.name)
        / demo.EDITS
        for editor in planted.EDITORS
    }


def test_the_summary_says_what_was_planted(edits, client, django_user_model):
    body = reports.make_report(study=edits).body
    kept, _ = reports.compute(edits, Options(question="kept"))
    for asked, truth in ((body, shares(lambda e: e.did)), (kept, shares(lambda e: e.keeps_rest))):
        (_, any_judge), *_ = asked["judges"].items()
        told = {
            name: stats["human_score"]["value"] for name, stats in any_judge["by_generator"].items()
        }
        assert told == pytest.approx(truth, abs=POINTS)

    states = {name: judge["follows"]["state"] for name, judge in body["judges"].items()}
    assert {BLIND, BOTH, LOSES} == states.keys()
    assert set(states.values()) <= {"follows", "like a person"}
    assert kept["judges"][BLIND]["follows"]["state"] == "does not follow"
    assert kept["judges"][BOTH]["follows"]["state"] == "follows"
    newest = next(e for e in planted.EDITORS if e.name == planted.NEWEST[0])
    for report in (body, kept):
        drifting = {
            name: judge["drift"].get("since")
            for name, judge in report["judges"].items()
            if drift_state.state_of(judge) == drift_state.DRIFTS
        }
        # Newer editors change more than was asked, which the judge of both counts against them: of either
        # question alone it may truly read them otherwise.
        drifting.pop(BOTH, None)
        # Of 48 edits both readings and three judges see it for the first question alone.
        expected = {LOSES: newest.released.isoformat()}
        assert drifting == (expected if report is body else {})

    owner = django_user_model.objects.create_user("ada")
    edits.memberships.create(user=owner, name="ada", role="owner")
    client.force_login(owner)
    page = client.get(reverse("summary", args=[edits.slug])).content.decode()
    assert f"{BLIND} follows people on “did”" in page
    assert re.search(rf"{BLIND} follows people on [^.]*, but not on “kept”\.", page)
    assert not re.search(rf"{BOTH} follows people on [^.]*, but not on [^.]*“kept”", page)


@pytest.mark.nightly("the test before it reads the same summary")
def test_each_question_says_of_every_judge_what_its_report_says(edits):
    found = each_question(edits, NONE)
    assert list(found["questions"]) == ["did", "kept", "looks_right"]
    for question, judges in found["questions"].items():
        report, _ = reports.compute(edits, Options(question=question))
        for name, follows in judges.items():
            assert follows == report["judges"][name]["follows"]
    apart = {name: no for name, _, no in judges_apart(found)}
    assert apart[BLIND] == ["kept"]
    assert BOTH not in apart
    (table,) = EXHIBITS.tables(found)
    assert [row.label for row in table.rows] == sorted([BOTH, BLIND, LOSES])


@pytest.fixture
def nothing_made(db):
    """Whether or not the tests above have made theirs."""
    Study.objects.update(slug="elsewhere")


def test_made_twice_it_is_one_study(nothing_made):
    first, again = (demo.build_edits(prompts=2) for _ in range(2))
    assert first == again
    assert first.images.count() == 2 * len(planted.EDITORS)
    assert first.pairs.count() == 2 * demo.PAIRS_OF_A_PROMPT
    assert set(runs_by_name(first)) == set(planted.JUDGES)


def test_a_study_of_ones_own_with_this_name_is_left_alone(nothing_made):
    own = demo.build_edits(prompts=1)
    Study.objects.filter(pk=own.pk).update(simulated=False)
    assert demo.build_edits(prompts=1) is None
