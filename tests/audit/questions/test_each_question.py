"""On which questions a judge follows people: each question by itself, in the states of a report."""

import pytest

from annotations.errors import Refused
from annotations.stored_answers.question import NONE
from audit.questions.each_question.exhibits import EXHIBITS
from audit.questions.each_question.question import each_question
from audit.reports.bootstrap import INTERVAL
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Forty images; one half was done, another half kept the rest, independent of each other."""
    made = making.study(prompts=40)
    images = list(made.images.order_by("key"))
    done = {image.key: float(n % 2) for n, image in enumerate(images)}
    kept = {image.key: float(n // 2 % 2) for n, image in enumerate(images)}
    for question, truth in (("aligned", done), ("kept", kept)):
        answers = {key: dict.fromkeys(("ann", "ben"), int(truth[key])) for key in truth}
        making.labels(made, answers, question=question)
    making.scores(made, done, name="sees-done")
    making.scores(made, kept, name="sees-kept")
    return made


def test_a_judge_that_follows_on_one_question_alone_is_named(study):
    body = each_question(study, NONE)
    asked = body["questions"]
    # As the report makes its intervals, so it says.
    assert body["signature"]["interval"] == INTERVAL
    assert list(asked) == ["aligned", "kept"]
    assert asked["aligned"]["sees-done"]["value"] == asked["kept"]["sees-kept"]["value"] == 1
    assert asked["kept"]["sees-done"]["state"] == "does not follow"
    assert EXHIBITS.sentences(body) == [
        "sees-done follows people on “aligned”, but not on “kept”.",
        "sees-kept follows people on “kept”, but not on “aligned”.",
    ]
    (table,) = EXHIBITS.tables(body)
    assert [column.heading for column in table.columns] == ["aligned", "kept"]
    (chart,) = EXHIBITS.charts(body)
    assert chart.blank == "" and chart.draw("light")["layer"]


def test_where_all_follow_on_all_it_says_how_many(study):
    body = each_question(study, NONE)
    body["questions"] = {"aligned": {"sees-done": body["questions"]["aligned"]["sees-done"]}}
    assert EXHIBITS.sentences(body) == ["1 of 1 judge follows people on the question."]


def test_without_answers_or_judges_it_is_refused_with_a_sentence():
    made = making.study(prompts=1)
    with pytest.raises(Refused, match="No judge has scored"):
        each_question(made, NONE)
    making.scores(made, {image.key: 0.5 for image in made.images.all()})
    with pytest.raises(Refused, match="Nobody has answered"):
        each_question(made, NONE)
