from datetime import UTC, datetime, timedelta

import pytest

from annotations.models import Annotation
from annotations.studies import set_aside
from audit.people import agreement as people_agreement
from tests import making

pytestmark = pytest.mark.django_db


def row_of(study, question="aligned"):
    body = people_agreement.body_of(study)
    return next(row for row in body["questions"] if row["question"] == question)


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
    assert row["percent"]["value"] == pytest.approx(2 / 5)
    assert row["percent"]["n"] == 3
    assert row["unanimous"]["value"] == pytest.approx(1 / 3)
    # Seven ratings, three 1 and four 0; alpha = 1 - D_o / D_e with
    # D_o = (2·2/2 + 0 + 2)/7 = 4/7, D_e = 2·3·4/(7·6) = 4/7
    assert row["alpha"]["nominal"]["value"] == pytest.approx(0)
    assert row["answers"] == 7
    assert row["units"] == 3


def test_each_generator_has_its_own_fleiss_kappa(db):
    # About the early one's images they differ on one of four, 5 of 8 answers are yes: by chance .53125 are
    # alike. About the late one's both always say yes: there is nothing to agree on beyond chance.
    study = making.study(files=False)
    given = {f"early-{n}": {"ann": n > 1, "ben": n > 0} for n in range(4)}
    given |= {f"late-{n}": {"ann": 1, "ben": 1} for n in range(4)}
    making.labels(study, given)
    question = row_of(study)
    early, late = (one["fleiss_kappa"] for one in question["by_generator"])
    assert early["value"] == pytest.approx((0.75 - 0.53125) / (1 - 0.53125))
    assert "same value" in late["undefined"]


def test_one_person_against_the_others_worked_by_hand(study):
    # Ann and Ben always agree; Cat contradicts them on one image of eight. Ann and Ben are held
    # against the other two only where these agree (7, all alike), Cat on 8 (7 alike).
    making.labels(
        study,
        {
            image.key: {"ann": 1, "ben": 1, "cat": int(image.key != "early-0")}
            for image in study.images.all()
        },
    )
    ceiling = row_of(study)["ceiling"]
    assert ceiling["value"] == pytest.approx(21 / 22)
    # Eight images on which somebody has a majority of others beside them.
    assert ceiling["n"] == 8


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
    for name in ("percent", "unanimous", "alpha", "ceiling"):
        assert one[name] == two[name]


def test_two_people_need_enough_in_common_for_a_number(db):
    study = making.study("pairs", prompts=6)
    making.labels(
        study,
        {
            image.key: {"ann": n % 2, "ben": n % 3 == 0, **({"cat": 1} if n < 5 else {})}
            for n, image in enumerate(study.images.all())
        },
    )
    (first, *others) = row_of(study)["pairs"]
    # ann: 6 of 12 yes; ben: 4 of 12; alike on 6 of 12; expected 1/2·1/3 + 1/2·2/3 = 1/2.
    assert first == [0, 1, 12, pytest.approx(0.5), pytest.approx(0), ""]
    assert [(pair[2], pair[3], pair[4]) for pair in others] == [(5, None, None)] * 2
    assert others[0][5] == "too few to judge: 5 in common, at least 10 needed"


def test_prompts_about_which_one_person_answered_alone_change_no_interval(db):
    study = making.study("alone", prompts=24, files=False)
    making.labels(study, {f"early-{n}": {"ann": n % 2, "ben": n % 3 == 0} for n in range(12)})
    before = row_of(study)
    making.labels(study, {f"early-{n}": {"ann": n % 2} for n in range(12, 24)})
    after = row_of(study)
    assert (before["answers"], after["answers"]) == (24, 36)
    # Alike where n % 2 is n % 3 == 0: 2, 3, 4, 8, 9 and 10 of the twelve.
    assert before["percent"]["value"] == pytest.approx(6 / 12)
    assert before["percent"]["low"] < 0.5 < before["percent"]["high"]
    for name in ("percent", "unanimous", "alpha", "ceiling"):
        assert after[name] == before[name]


def test_answers_that_were_set_aside_are_not_in_it(study):
    making.labels(study, {"early-0": {"ann": 1, "ben": 1, "cat": 0}})
    set_aside.set_aside(member=study.memberships.get(name="cat"))
    assert row_of(study)["percent"]["value"] == 1


def test_each_number_is_a_value_or_the_reason_why_there_is_none(study):
    making.labels(study, {"early-0": {"ann": 1}})
    row = row_of(study)
    for found in (row["percent"], row["unanimous"], *row["alpha"].values(), row["ceiling"]):
        assert found["undefined"]
        assert "value" not in found
    assert row["change"]["undefined"].startswith("too few to judge")
    assert row["weeks"] == row["parts"] == row["pairs"] == []


@pytest.fixture
def course(db):
    """Forty prompts, an image a day in each of them: ann and ben agree on the first forty images
    only, and on every other one after that."""
    study = making.study("course", prompts=40)
    images = list(study.images.order_by("prompt__key", "key"))
    making.labels(
        study,
        {
            image.key: {"ann": n % 2, "ben": n % 2 if n < 40 or n % 4 < 2 else 1 - n % 2}
            for n, image in enumerate(images)
        },
    )
    monday = datetime(2026, 1, 5, tzinfo=UTC)
    for n, image in enumerate(images):
        Annotation.objects.filter(image=image).update(
            submitted_at=monday + timedelta(days=n // 2), seconds=float(n + 1)
        )
    return study


def test_the_course_of_time_goes_by_equal_parts_or_by_weeks(course):
    row = row_of(course)
    # 80 images: two parts of 40, each with the 30 that a number needs.
    assert [part["percent"]["n"] for part in row["parts"]] == [40, 40]
    assert [part["percent"]["value"] for part in row["parts"]] == [1, pytest.approx(0.5)]
    assert row["parts"][0]["first"] == "2026-01-05T00:00:00Z"
    assert row["parts"][0]["last"] == "2026-01-24T00:00:00Z"
    # Two images a day: 14 a week, which is too few for a number, and says so.
    assert len(row["weeks"]) == 6
    assert row["weeks"][0]["last"] == "2026-01-11T00:00:00Z"
    assert row["weeks"][0]["percent"]["undefined"].startswith("too few to judge: 14 images")


def test_the_later_half_is_held_against_the_earlier_one(course):
    change = row_of(course)["change"]
    assert change["value"] == pytest.approx(-0.5)
    assert -0.8 < change["low"] < -0.5 < change["high"] < -0.2


def test_answers_of_one_time_have_no_halves(course):
    Annotation.objects.update(submitted_at=datetime(2026, 1, 5, tzinfo=UTC))
    row = row_of(course)
    assert row["change"]["undefined"] == "all answers have the same time"
    assert [part["percent"]["n"] for part in row["parts"]] == [80]


def test_what_is_imported_without_times_is_no_earlier_or_later_half(course):
    # In two imports, so that the second came later.
    study = making.study("imported", prompts=40)
    for half in (0, 1):
        making.labels(
            study,
            {f"{made}-{n}": {"ann": n % 3 % 2, "ben": n % 2} for made in ("early", "late")
             for n in range(half * 20, half * 20 + 20)},
        )  # fmt: skip
    row = row_of(study)
    assert row["change"]["undefined"] == (
        "the answers were imported without the times at which they were given"
    )
    assert row["change"]["n"] == 80
    assert row["parts"] == row["weeks"] == []
    # Beside answers whose times are known, they are left out.
    more = {f"late-{n}": {"cat": n % 2} for n in range(40)}
    making.labels(course, more)
    assert row_of(course)["change"]["undefined"].startswith("the answers were imported")
    Annotation.objects.filter(study=course, annotator__name="cat").delete()
    assert row_of(course)["change"]["value"] == pytest.approx(-0.5)


def test_times_are_told_by_quartiles(course):
    body = people_agreement.body_of(course)
    # 1 to 80 seconds: numpy's quartiles lie a quarter of 79 steps up from 1.
    assert [person["name"] for person in body["people"]] == ["ann", "ben"]
    assert body["people"][0]["seconds"] == {"value": 40.5, "low": 20.75, "high": 60.25, "n": 80}


def test_texts_are_compared_and_have_no_order(study):
    making.labels(study, {"early-0": {"ann": 1, "ben": 1}, "early-1": {"ann": 1, "ben": 1}})
    form = Annotation.objects.filter(annotator__name="ben").first()
    form.answers.update(value=None, text="a cat")
    row = row_of(study)
    assert row["percent"]["value"] == pytest.approx(1 / 2)
    assert row["alpha"]["ordinal"]["undefined"] == "the answers have no order"


def test_sixty_people_take_as_many_queries_as_two(django_assert_num_queries, study):
    making.labels(study, {"early-0": {"ann": 1, "ben": 1}})
    with django_assert_num_queries(4):
        people_agreement.body_of(study)
    making.labels(
        study, {i.key: {f"p{n:02}": n % 2 for n in range(70)} for i in study.images.all()}
    )
    with django_assert_num_queries(4):
        body = people_agreement.body_of(study)
    assert len(body["people"]) == people_agreement.PEOPLE
    assert body["raters"] == 72
    assert len(body["questions"][0]["pairs"]) == 60 * 59 / 2


def test_how_much_one_says_above_the_others_in_points(db):
    study = making.study("strict", prompts=40)
    # Ben says yes to every second image that ann says yes to: to 40 of 80 less.
    images = list(study.images.order_by("key"))
    making.labels(study, {i.key: {"ann": 1, "ben": n % 2} for n, i in enumerate(images)})
    ann, ben = (row["severity"] for row in row_of(study)["against"])
    assert (ann["value"], ben["value"]) == pytest.approx((50, -50))
    assert ben["low"] < -50 < ben["high"] < 0
    # Who shares no image with the others cannot be held against them.
    other = making.study("apart", prompts=40)
    keys = [i.key for i in other.images.order_by("key")]
    making.labels(other, {key: {"ann": 1, "ben": 0} for key in keys[:40]})
    making.labels(other, {key: {"cem": 1, "dan": 0} for key in keys[40:]})
    reasons = {row["severity"]["undefined"] for row in row_of(other)["against"]}
    assert reasons == {"some raters share no image with the others"}
