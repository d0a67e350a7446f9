"""On which questions a judge follows people: each question by itself, in the states of a report."""

import pytest

from annotations.errors import Refused
from annotations.stored_answers.question import NONE
from audit.questions.follows.exhibits import EXHIBITS
from audit.questions.follows.question import follows
from audit.reports.make import make_report
from audit.reports.options import Options
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Forty images; one half was done, another half kept the rest, independent of each other."""
    made = making.study(prompts=40)
    images = list(made.images.order_by("key"))
    done = {image.key: float(n % 2) for n, image in enumerate(images)}
    kept = {image.key: float(n // 2 % 2) for n, image in enumerate(images)}
    making.labels(made, {key: dict.fromkeys(("ann", "ben"), int(done[key])) for key in done})
    making.labels(
        made,
        {key: dict.fromkeys(("ann", "ben"), int(kept[key])) for key in kept},
        question="kept",
    )
    making.scores(made, done, name="sees-done")
    making.scores(made, kept, name="sees-kept")
    return made


def test_each_judge_is_told_on_each_question(study):
    body = follows(study, NONE)
    asked = body["questions"]
    assert "kept" in asked and len(asked) == 2
    (done,) = set(asked) - {"kept"}
    by_name = {judge["name"]: judge["on"] for judge in body["judges"]}
    assert by_name["sees-done"][done]["value"] == 1
    assert by_name["sees-done"]["kept"]["state"] == "does not follow"
    assert by_name["sees-kept"]["kept"]["value"] == 1
    lines = EXHIBITS.sentences(body)
    assert "sees-done does not follow people on “kept”." in lines
    (table,) = EXHIBITS.tables(body)
    assert [column.heading for column in table.columns] == asked


def test_the_state_and_the_number_are_those_of_the_report(study):
    body = follows(study, NONE)
    for question in body["questions"]:
        report = make_report(study=study, options=Options(question=question)).body["judges"]
        for judge in body["judges"]:
            reported = report[judge["name"]]["follows"]
            assert judge["on"][question]["value"] == reported["value"]
            assert judge["on"][question]["low"] == reported["low"]


def test_without_answers_or_judges_it_is_refused_with_a_sentence():
    made = making.study(prompts=1)
    with pytest.raises(Refused, match="Nobody has answered"):
        follows(made, NONE)
    making.labels(made, {image.key: {"ann": 1} for image in made.images.all()})
    with pytest.raises(Refused, match="No judge has scored"):
        follows(made, NONE)
