"""Two generators on the same prompts: what people gain, and what a judge gains beyond them, by hand."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from audit.questions.gains.exhibits import EXHIBITS, of_training
from audit.questions.gains.question import before_after
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def trained(db):
    """Forty prompts. People say yes to every second early image and to three of four late ones; the judge
    that was trained on says .5 and then 1; another says .5 to all."""
    study = making.study("trained", prompts=40)
    making.labels(study, {f"early-{n}": {"ann": n % 2} for n in range(40)})
    making.labels(study, {f"late-{n}": {"ann": n % 4 != 0} for n in range(40)})
    making.scores(
        study,
        {f"early-{n}": 0.5 for n in range(40)} | {f"late-{n}": 1.0 for n in range(40)},
        name="trained-on",
    )
    making.scores(study, {image.key: 0.5 for image in study.images.all()}, name="other")
    return study


def test_what_a_judge_gains_beyond_people_is_told(trained):
    body = before_after(trained, "early", "late")
    assert body["prompts"] == 40
    people, other, judge = sorted(body["rows"], key=lambda row: row["by"] != "people")
    if judge["by"] == "other":
        other, judge = judge, other
    # 20 of 40, then 30 of 40.
    assert people["gain"]["value"] == pytest.approx(25)
    assert judge["gain"]["value"] == pytest.approx(50)
    assert judge["beyond_people"]["value"] == pytest.approx(25)
    assert other["gain"]["value"] == pytest.approx(0)
    assert other["beyond_people"]["value"] == pytest.approx(-25)
    said = of_training(body)
    assert said[0] == "early and late on 40 prompts. The gain is after − before."
    assert said[1].startswith("People: a gain, +25.0 points")
    (table,) = EXHIBITS.tables(body)
    assert [column.heading for column in table.columns] == ["after − before", "beyond people"]
    assert [[number.get("value") for number in row.numbers] for row in table.rows] == [
        [pytest.approx(25), None],
        [pytest.approx(0), pytest.approx(-25)],
        [pytest.approx(50), pytest.approx(25)],
    ]
    assert any("beyond people: that much of it is no better picture." in line for line in said)


def test_the_command_prints_it_and_refuses_what_cannot_be(trained):
    out = StringIO()
    call_command("repair_gains", "trained", before="early", after="late", json=True, stdout=out)
    assert json.loads(out.getvalue()) == before_after(trained, "early", "late")
    for given, sentence in (
        ({"before": "early"}, "Give --before and --after together."),
        ({"before": "early", "after": "lat"}, "is called “lat”. There are: early, late."),
        ({"before": "early", "after": "early"}, "Name two generators"),
    ):
        with pytest.raises(CommandError, match=sentence):
            call_command("repair_gains", "trained", **given)


def test_too_few_prompts_are_no_number(study):
    making.labels(study, {image.key: {"ann": 1} for image in study.images.all()})
    body = before_after(study, "early", "late")
    assert body["rows"][0]["gain"]["undefined"].startswith("too few to judge: 4 images")
