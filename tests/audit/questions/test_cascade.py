"""A cascade of a study's judges: its promise and its price."""

import pytest

from annotations.errors import Refused
from audit.questions.cascade.exhibits import EXHIBITS
from audit.questions.cascade.question import Parameters, compute_cascade
from judges.models import Score
from tests.audit.questions.test_jury import study  # noqa: F401

pytestmark = pytest.mark.django_db
PRICES = "even=0.1, odd=1, people=10"


def test_two_judges_decide_most_images_and_people_the_rest(study):  # noqa: F811
    body = compute_cascade(study, Parameters(prices=PRICES))
    bar = body["bars"][body["chosen"]]
    assert [one["judge"] for one in body["judges"]] == ["even", "odd"]
    # “even” knows half of the prompts, “odd” the other half.
    assert bar["decided"][0] == pytest.approx(0.5, abs=0.15)
    assert bar["bound"] <= body["risk"] == 0.1
    spent = 0.1 + bar["decided"][1] + bar["by_people"] * (1 + 10)
    assert bar["price"] == pytest.approx(spent)
    first, *_ = EXHIBITS.sentences(body)
    assert first.startswith("With at most 10 of 100 images decided wrongly an image costs ")
    (table,) = EXHIBITS.tables(body)
    assert [row.note for row in table.rows].index("chosen") == body["chosen"]


def test_without_prices_the_quickest_judge_is_asked_first(study):  # noqa: F811
    Score.objects.filter(run__judge__name="even").update(seconds=2.0)
    Score.objects.filter(run__judge__name="odd").update(seconds=0.5)
    body = compute_cascade(study, Parameters())
    assert body["judges"] == [
        {"judge": "odd", "price": 0.5},
        {"judge": "even", "price": 2.0},
    ]
    assert body["unit"] == "seconds"


def test_a_promise_that_nothing_keeps_leaves_all_images_to_people(study):  # noqa: F811
    body = compute_cascade(study, Parameters(prices="noise=1, people=10", risk="0.02"))
    assert body["chosen"] is None
    assert "people decide all" in EXHIBITS.sentences(body)[0]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"risk": "0.5"}, "none of these shares"),
        ({"prices": "even"}, "“even” is no price"),
        ({"prices": "even=-1"}, "“even=-1” is no price"),
        ({"prices": "nobody=1, people=2"}, "There is no judge “nobody” here"),
        ({"prices": "even=1"}, "people=PRICE"),
        ({}, "It is not known how long any judge takes"),
    ],
)
def test_prices_that_cannot_be_read_are_refused(study, given, sentence):  # noqa: F811
    with pytest.raises(Refused, match=sentence):
        compute_cascade(study, Parameters(**given))
