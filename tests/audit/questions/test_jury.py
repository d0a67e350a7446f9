"""The jury of a study, beside its best member, and as a judge of it."""

import io

import numpy as np
import pytest
from django.core.management import call_command

from annotations.errors import Refused
from audit.questions.jury import adopt
from audit.questions.jury.exhibits import EXHIBITS
from audit.questions.jury.question import Parameters, jury, tunes
from judges.models import Score
from judges.names import runs_by_name
from tests import making

pytestmark = pytest.mark.django_db
PROMPTS = 80
HALVES = ("even", "odd")


@pytest.fixture
def study():
    """Each of two judges sees every other prompt and guesses at the rest; a third one guesses always."""
    made = making.study(prompts=PROMPTS, files=False)
    rng = np.random.default_rng(2)
    keys = list(made.images.order_by("pk").values_list("key", flat=True))
    right = {key: bool(rng.random() < 0.5) for key in keys}
    making.labels(made, {key: {"ann": right[key], "ben": right[key]} for key in keys})
    for half, name in enumerate(HALVES):
        seen = [int(key.split("-")[1]) % 2 == half for key in keys]
        making.scores(
            made,
            {
                key: float((right[key] if sees else 0.5) + rng.normal(0, 0.1 if sees else 0.2))
                for key, sees in zip(keys, seen, strict=True)
            },
            name=name,
        )
    making.scores(made, {key: float(rng.normal()) for key in keys}, name="noise")
    return made


def _members(body):
    return [one["judge"] for one in body["judges"] if one["is_member"]]


def _testing(study):
    keys = study.images.values_list("prompt__key", flat=True)
    return sum(not tunes(key) for key in keys)


def test_two_judges_that_each_see_half_are_better_together(study):
    body = jury(study, Parameters())
    assert _members(body) == ["even", "odd"]
    assert body["gain"]["low"] > 0
    assert body["newest"]["low"] > 0
    assert body["newest"]["generators"] == ["late"]
    # The best alone, then one with each of two, then all three.
    assert body["tried"] == 1 + 2 + 1
    first, second, *_ = EXHIBITS.sentences(body)
    assert first.startswith("The jury beats its best member, ")
    assert second.startswith("Tuned without the newest generators (late)")


def test_labels_that_test_a_jury_change_no_weight_of_it(study):
    before = jury(study, Parameters(members="all"))["tuned"]
    testing = [
        image.key for image in study.images.select_related("prompt") if not tunes(image.prompt.key)
    ]
    rng = np.random.default_rng(3)
    making.labels(
        study, {key: {f"more-{n}": bool(rng.random() < 0.5) for n in range(5)} for key in testing}
    )
    assert jury(study, Parameters(members="all"))["tuned"] == before


def test_copies_of_one_judge_err_together(study):
    scores = {
        score.image.key: score.value
        for score in Score.objects.filter(run__judge__name="odd").select_related("image")
    }
    making.scores(study, scores, name="twin")
    body = jury(study, Parameters(members="even, odd"))
    assert body["together"]["twin"]["odd"]["value"] == pytest.approx(1)
    assert "twin would add hardly anything: it errs where odd errs (1.00)." in EXHIBITS.sentences(
        body
    )


def test_a_jury_in_use_is_a_judge_that_follows_its_members(study):
    chosen = Parameters(members="even, odd")
    run, runs = adopt.adopt(study=study, parameters=chosen), runs_by_name(study)
    scores = {score.image_id: score for score in Score.objects.filter(run=run)}
    # Of prompts that tuned it, it says nothing.
    prompts = dict(study.images.values_list("pk", "prompt__key"))
    assert set(scores) == {pk for pk, key in prompts.items() if not tunes(key)}
    image, score = next(iter(scores.items()))
    assert score.evidence["members"] == {
        name: Score.objects.get(run=runs[name], image=image).value for name in HALVES
    }
    # By hand: the logistic of the weighted standard scores.
    tuned = jury(study, chosen)["tuned"]
    logit = tuned["intercept"] + sum(
        facts["weight"] * (score.evidence["members"][name] - facts["mean"]) / facts["spread"]
        for name, facts in tuned["members"].items()
    )
    assert score.value == pytest.approx(1 / (1 + np.exp(-logit)))
    assert score.correct is (score.value >= 0.5)
    # It sits in no jury itself, and what its members score later gets a score, too.
    assert _members(jury(study, Parameters(members="all"))) == ["even", "noise", "odd"]
    Score.objects.filter(run=run, image=image).delete()
    adopt.follow_members(study_id=study.pk, ended=True)
    assert Score.objects.get(run=run, image=image).value == score.value


def test_an_image_waits_for_every_member_that_runs_here(study):
    image = next(one for one in study.images.order_by("pk") if not tunes(one.prompt.key))
    Score.objects.filter(run__judge__name="odd", image=image).delete()
    run = adopt.adopt(study=study, parameters=Parameters(members="even, odd"))
    assert not Score.objects.filter(run=run, image=image).exists()
    making.scores(study, {image.key: "no such picture"}, name="odd")
    adopt.follow_members(study_id=study.pk, ended=True)
    score = Score.objects.get(run=run, image=image)
    assert score.evidence["absent"] == ["odd"]
    assert score.value is not None


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"way": "magic"}, "“magic” is no way to combine judges"),
        ({"members": "even"}, "A jury needs two members"),
        ({"members": "even, nobody"}, "“nobody” cannot sit in a jury here"),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused(study, given, sentence):
    with pytest.raises(Refused, match=sentence):
        jury(study, Parameters(**given))


def test_a_study_of_one_judge_has_no_jury():
    made = making.study(files=False)
    keys = list(made.images.values_list("key", flat=True))
    making.labels(made, {key: {"ann": 1} for key in keys})
    making.scores(made, dict.fromkeys(keys, 0.5), name="alone")
    with pytest.raises(Refused, match="this study has 1"):
        jury(made, Parameters())


def test_the_api_and_a_command_use_a_jury(study, client):
    person = making.person(study, "rita", role="researcher")
    token = {"authorization": f"Token {making.token(person.user)}"}
    address = f"/api/v1/studies/{study.slug}/jury/"
    sent = {"members": "even,odd", "way": "mean"}
    answer = client.post(address, sent, content_type="application/json", headers=token)
    assert answer.status_code == 201
    assert answer.json()["judge"] == "jury"
    assert answer.json()["done"] == _testing(study)
    again = client.post(address, sent, content_type="application/json", headers=token)
    assert "used here already" in again.content.decode()
    out = io.StringIO()
    call_command("use_jury", study.slug, "--members", "all", stdout=out)
    assert f"has scored {_testing(study)} of {_testing(study)} images." in out.getvalue()
