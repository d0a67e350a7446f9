import pytest

from annotations import quality
from audit import people
from tests import making

pytestmark = pytest.mark.django_db


def row_of(study, question="aligned"):
    return next(row for row in people.agreement_rows(study) if row.question == question)


def test_agreement_worked_by_hand(study):
    making.labels(
        study,
        {
            "early-0": {"ann": 1, "ben": 1, "cat": 0},
            "early-1": {"ann": 0, "ben": 0},
            "late-0": {"ann": 1, "ben": 0},
        },
    )
    row = row_of(study)
    # Pairs: early-0 three, one alike; early-1 one, alike; late-0 one, unlike: 2 of 5.
    assert row.percent.value == pytest.approx(2 / 5)
    assert row.unanimous.value == pytest.approx(1 / 3)
    # Seven ratings, three 1 and four 0; alpha = 1 - D_o / D_e with
    # D_o = (2·2/2 + 0 + 2)/7 = 4/7, D_e = 2·3·4/(7·6) = 4/7
    assert row.alpha["nominal"].value == pytest.approx(0)
    assert row.answers == 7
    assert row.units == 3


def test_the_order_in_which_people_answered_changes_nothing(study):
    given = {i.key: {"ann": i.pk % 3, "ben": i.pk % 2, "cat": 1} for i in study.images.all()}
    making.labels(study, given, question="mood")
    other = making.study("mirror")
    making.labels(
        other,
        {key: dict(reversed(row.items())) for key, row in reversed(given.items())},
        question="mood",
    )
    one, two = row_of(study, "mood"), row_of(other, "mood")
    for level in people.LEVELS:
        assert one.alpha[level].value == pytest.approx(two.alpha[level].value)


def test_two_people_need_enough_in_common_for_a_kappa(db):
    study = making.study("pairs", prompts=6)
    making.labels(
        study,
        {
            image.key: {"ann": n % 2, "ben": n % 3 == 0, **({"cat": 1} if n < 5 else {})}
            for n, image in enumerate(study.images.all())
        },
    )
    row = row_of(study)
    assert [(pair.first, pair.second, pair.shared) for pair in row.pairs] == [("ann", "ben", 12)]
    # ann: 6 of 12 yes; ben: 4 of 12; alike on n = 1, 2, 3, 4+... : counted 6 of 12; p_e = 1/2
    assert row.pairs[0].percent.value == pytest.approx(0.5)
    assert row.mean_kappa == pytest.approx(0)


def test_answers_that_were_set_aside_are_not_in_it(study):
    making.labels(study, {"early-0": {"ann": 1, "ben": 1, "cat": 0}})
    quality.set_aside(member=study.memberships.get(name="cat"))
    assert row_of(study).percent.value == 1


def test_each_number_is_a_value_or_the_reason_why_there_is_none(study):
    making.labels(study, {"early-0": {"ann": 1}})
    row = row_of(study)
    for found in (row.percent, row.unanimous, *row.alpha.values()):
        assert not found
        assert found.reason
