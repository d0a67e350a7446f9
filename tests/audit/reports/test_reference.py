"""A report rests on the consensus that was asked for, and says which one it was."""

import json
import uuid

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotations.errors import Refused
from annotations.exports.pseudonyms import name_in_reports
from annotations.forms.versions import use_form
from annotations.labelling import assign, record
from annotations.models import Annotation, Answer, Atom, Decision, StoredAnswer
from annotations.studies import adjudication
from audit.reports import make as reports
from audit.reports.pairing import pair
from judges.models import AtomScore, Score
from jurybox_formats.forms.papers import geneval2_atoms, geneval_crowd
from tests import making

pytestmark = pytest.mark.django_db

FEW = 200


@pytest.fixture
def split(study):
    """All say yes to early-0 and no to early-1; two of three say yes to early-2."""
    making.labels(
        study,
        {
            "early-0": {"ann": 1, "ben": 1, "cat": 1},
            "early-1": {"ann": 0, "ben": 0, "cat": 0},
            "early-2": {"ann": 1, "ben": 1, "cat": 0},
        },
    )
    return study


def human_score(study, **options):
    body, digest = reports.compute(study, reports.Options(resamples=FEW, **options))
    early = next(g for g in body["generators"] if g["name"] == "early")
    return early["human_score"], body["signature"]["consensus"], digest


def decide(study, key, answer):
    image = study.images.get(key=key)
    adjudication.decide(image=image, key="aligned", answer=answer, note="", by=None)


def test_a_decision_counts_where_it_is_asked_for_and_nowhere_else(split):
    # Yes by majority: early-0 and early-2, 2 of 3. The owner decides that early-2 is wrong: 1 of 3.
    usual, _, digest = human_score(split)
    decide(split, "early-2", "0")
    assert human_score(split)[0] == usual
    assert human_score(split)[2] == digest
    assert usual["value"] == pytest.approx(200 / 3)
    decided, rule, with_decisions = human_score(split, consensus="adjudicated")
    assert decided["value"] == pytest.approx(100 / 3)
    assert rule.startswith("adjudicated (1 decided); else majority")
    assert with_decisions != digest


def test_unanimous_images_alone(split):
    # early-0 yes, early-1 no; early-2 is out.
    found, rule, _ = human_score(split, consensus="unanimous")
    assert (found["value"], found["n"]) == (pytest.approx(50), 2)
    assert rule.startswith("unanimous images only")


def test_a_decision_about_a_rating_takes_the_place_of_the_mean(study):
    # Means 3 and 4, so 3.5; with 5 in the place of 3, 4.5.
    given = {"early-0": {"ann": 1, "ben": 5}, "early-1": {"ann": 4, "ben": 4}}
    making.labels(study, given, question="likert")
    image = study.images.get(key="early-0")
    adjudication.decide(image=image, key="likert", answer="5", note="", by=None)
    found, _, _ = human_score(study, question="likert", consensus="adjudicated")
    assert found["value"] == 4.5
    assert human_score(study, question="likert")[0]["value"] == 3.5


def test_an_atom_has_the_answer_of_most_people_or_of_the_owner_who_decided(split):
    first, second = Atom.objects.filter(prompt__images__key="early-2").order_by("index")
    image = split.images.get(key="early-2")
    given = {first: (1, 0, 0), second: (1, 0)}
    for atom, values in given.items():
        forms = image.annotations.order_by("pk")
        for form, value in zip(forms, values, strict=False):
            Answer.objects.create(annotation=form, question="atom", atom=atom, value=value)
    making.scores(split, {"early-2": 0.5})
    score = Score.objects.get(image=image)
    for atom, value in ((second, 0.25), (first, 0.75)):
        AtomScore.objects.create(score=score, atom=atom, value=value)

    def atoms(**asked):
        (judge,) = pair(study=split, question="aligned", **asked).judges
        found = zip(judge.atom_kinds, judge.atom_scores, judge.atom_labels, strict=True)
        return list(found)

    # Of the second atom as many say yes as say no.
    assert atoms() == [(first.kind, 0.75, 0)]
    for atom, value in ((first, 1), (second, 0)):
        Decision.objects.create(image=image, question="atom", atom=atom, value=value)
    assert atoms() == [(first.kind, 0.75, 0)]
    assert atoms(decided=True) == [(first.kind, 0.75, 1), (second.kind, 0.25, 0)]


def test_the_command_takes_the_name_of_the_consensus(split, capsys):
    decide(split, "early-2", "0")
    call_command("report", "shapes", json=True, resamples=FEW, consensus="adjudicated")
    assert json.loads(capsys.readouterr().out)["signature"]["consensus"].startswith("adjudicated")


@pytest.mark.parametrize(
    ("form", "right", "wrong"),
    [
        (
            geneval_crowd.FORM,
            {"objects": "a", "count-0": 1, "color-0": "red", "realism-0": 3, "fit": 4},
            {"objects": "a", "count-0": 1, "color-0": "blue", "realism-0": 3, "fit": 4},
        ),
        (
            geneval2_atoms.FORM,
            {"atom.0": 1, "atom.1": 1, "quality": 1},
            {"atom.0": 1, "atom.1": 0, "quality": 1},
        ),
    ],
)
def test_a_study_is_audited_by_what_follows_from_its_form(study, bob, form, right, wrong):
    # Bob answers for all eight images; two of them are wrong: 75 points.
    version = use_form(study=study, form=form)
    bob.study.form = version
    for number in range(8):
        lease = assign.next_image(annotator=bob)
        record.record_label(
            image=lease.image,
            annotator=bob,
            form=version,
            answers=wrong if number < 2 else right,
            submission=uuid.uuid4(),
        )
    assert Annotation.objects.count() == 8
    making.scores(study, {image.key: 0.5 for image in study.images.all()})
    study.refresh_from_db()
    body, _ = reports.compute(study, reports.Options(resamples=FEW))
    assert body["question"] == "aligned"
    assert body["scale"] == "yes/no"
    overall = body["judges"]["some-judge"]["overall"]
    assert overall["human_score"]["value"] == 75
    assert overall["net_deviation"]["value"] == 25


@pytest.fixture
def three(db):
    """Ann and ben are right throughout; cat says no to every third image that is right. Every second
    image is right."""
    study = making.study("three", prompts=40)
    keys = sorted(study.images.values_list("key", flat=True))
    making.labels(
        study,
        {
            key: {"ann": 1 - n % 2, "ben": 1 - n % 2, "cat": int(n % 2 == 0 and n % 3 > 0)}
            for n, key in enumerate(keys)
        },
    )
    making.scores(study, {key: 0.5 for key in keys})
    return study


def test_dawid_skene_is_a_reference_of_its_own_and_says_what_it_takes_for_granted(three):
    body, _ = reports.compute(three, reports.Options(resamples=FEW, consensus="dawid-skene"))
    assert body["judges"]["some-judge"]["overall"]["human_score"]["value"] == pytest.approx(50)
    assert "each person errs on all images alike" in body["signature"]["consensus"]
    cat = body["people"]["each_rater"][name_in_reports(three.slug, "cat")]
    # 26 of 40 right images: 0, 6, 12, … are the others.
    assert cat["sensitivity"]["value"] == pytest.approx(26 / 40, abs=1e-6)
    assert cat["sensitivity"]["low"] < 26 / 40 < cat["sensitivity"]["high"]
    assert cat["specificity"]["value"] == pytest.approx(1)
    assert cat["specificity"]["low"] < 0.95


def test_dawid_skene_is_refused_where_it_has_no_answer(three, split):
    with pytest.raises(Refused, match="3 images with answers of 3 people who share images"):
        reports.compute(split, reports.Options(consensus="dawid-skene"))
    making.labels(three, {"early-0": {"ann": 3}}, question="likert")
    with pytest.raises(
        Refused, match="is for answers by yes or no; here people answer from 1 to 5"
    ):
        reports.compute(three, reports.Options(question="likert", consensus="dawid-skene"))


def test_page_and_api_take_the_name_of_the_consensus(three, client):
    owner = making.person(three, "alice", role="owner")
    client.force_login(owner.user)
    reports.make_report(study=three, options=reports.Options(resamples=2000))
    made = reports.make_report(study=three, options=reports.Options(consensus="dawid-skene"))
    page = client.get(reverse("judge", args=["three"]), {"consensus": "dawid-skene"})
    assert '<option value="dawid-skene" selected>Dawid–Skene</option>' in page.content.decode()
    assert "Dawid–Skene: yes where its chance is above .5" in page.content.decode()
    address = reverse("api-report", args=["three"])
    told = client.get(address, {"consensus": "dawid-skene"}).json()
    assert told["signature"] == made.body["signature"]
    assert client.get(address).json()["signature"]["consensus"].startswith("majority")
    assert client.get(address, {"consensus": "loudest"}).status_code == 400
    asked = client.post(f"{reverse('api-reports', args=['three'])}?consensus=dawid-skene")
    assert asked.status_code == 202
    assert StoredAnswer.objects.get(study=three).parameters["consensus"] == "dawid-skene"
