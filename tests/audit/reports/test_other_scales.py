"""Reports about other scales than yes and no: the cut, the units, answers in words."""

import pytest

from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from audit.evidence import image_cards
from audit.models import PackedNumbers, Report
from audit.reports import make as reports
from audit.reports.options import Options
from audit.words import page_sentences
from audit.words import report as report_words
from jurybox_formats.forms.scales import CANT_TELL, Scale
from jurybox_formats.sources.records import LabelRecord
from tests import making

pytestmark = pytest.mark.django_db
KEYS = [f"{made}-{number}" for made in ("early", "late") for number in range(20)]


@pytest.fixture
def study():
    return making.study(prompts=20, files=False)


def body(study, **options):
    return reports.make_report(study=study, options=Options(resamples=100, **options)).body


def in_words(study, *answers):
    records = (
        LabelRecord(image=image, rater=rater, question="remark", value=words)
        for image, rater, words in answers
    )
    write_study.import_records(study=study, records=records, outcome=Outcome())


@pytest.mark.parametrize(
    ("scale", "cut"),
    [
        (Scale("rating", 1, 5), 4),  # the step above 3
        (Scale("rating", 1, 4), 3),  # above 2.5
        (Scale("rating", 1, 3), 3),
        (Scale("number", 0, 1), 0.5),
        (Scale("number", 0, 100), 50),
    ],
)
def test_the_cut_comes_from_the_scale(scale, cut):
    assert scale.cut == cut
    assert Options().with_scale_cut(scale).positive_at == cut
    assert Options(positive_at=2).with_scale_cut(scale).positive_at == 2


def test_ratings_from_0_to_1_are_points_and_have_a_yes_at_one_half(study):
    # One person says .2 of even numbers and .9 of odd ones; the judge says .3 and .7.
    making.labels(
        study, {key: {"ann": 0.9 if int(key[-1]) % 2 else 0.2} for key in KEYS}, question="fit"
    )
    making.scores(study, {key: 0.7 if int(key[-1]) % 2 else 0.3 for key in KEYS})
    making.scores(study, {key: 22 if int(key[-1]) % 2 else 13 for key in KEYS}, name="clip")
    found = body(study)
    assert (found["scale"], found["range"], found["positive_at"]) == ("number", [0, 1], 0.5)
    overall = found["judges"]["some-judge"]["overall"]
    assert overall["auroc"]["value"] == 1
    # (.2 + .9) / 2 = .55 and (.3 + .7) / 2 = .5
    assert overall["human_score"]["value"] == pytest.approx(55)
    assert overall["net_deviation"]["value"] == pytest.approx(5)
    # People's level is in points beside any judge; this one's scores are what they are.
    other = found["judges"]["clip"]["overall"]
    assert other["human_score"]["value"] == pytest.approx(55)
    assert other["judge_score"]["value"] == pytest.approx(17.5)
    assert "do not lie between 0 and 1" in other["net_deviation"]["undefined"]
    assert found["generators"][0]["human_score"]["value"] == pytest.approx(55)
    assert "AUROC 1.000" in page_sentences.of_judges(found)[0]


def test_why_there_is_no_best_judge_is_the_true_reason(study):
    making.labels(study, {key: {"ann": 0.9} for key in KEYS}, question="fit")
    making.scores(study, {key: 0.7 for key in KEYS})
    (said,) = page_sentences.of_judges(body(study))
    assert said.startswith("No judge has an AUROC: ")
    assert said.endswith("counts as right from a mean of 0.5 on.")


def test_a_card_shows_a_rating_as_one_whatever_it_is(study):
    making.labels(study, {"early-0": {"ann": 0, "ben": 0, "cem": 0}})
    image = study.images.get(key="early-0").pk
    whole, _ = image_cards.votes([image])
    assert whole[image]["aligned"].sentence == "0 of 3 yes"  # the form's own yes or no
    making.labels(study, {"early-0": {"ann": 0, "ben": 0}, "late-0": {"ann": 0.3}}, question="fit")
    whole, _ = image_cards.votes([image])
    assert whole[image]["fit"].sentence == "0 (mean of 2)"


def test_answers_in_words_are_counted_and_are_no_missing_labels(study):
    in_words(
        study,
        ("early-0", "ann", "blurred"),
        ("early-0", "ben", "blurred"),
        ("late-0", "ann", "two moons"),
        ("late-1", "ann", CANT_TELL),
    )
    making.scores(study, {"early-0": 0.5})
    found = body(study)
    assert found["people"]["in_words"] == {
        "remark": {
            "answers": 3,
            "images": 2,
            "most_frequent": [{"text": "blurred", "n": 2}, {"text": "two moons", "n": 1}],
        }
    }
    (said,) = report_words.sentences(found)
    assert said.startswith("3 answers to “remark”, about 2 images: words")
    assert "Nobody has labelled" not in said


def test_a_report_about_another_question_or_cut_has_a_gallery_and_leaves_the_usual_one(study):
    making.labels(study, {key: {"ann": 1 + int(key[-1]) % 5} for key in KEYS}, question="fit")
    making.scores(study, {key: int(key[-1]) / 10 for key in KEYS})
    usual = reports.make_report(study=study)
    other = reports.make_report(study=study, options=Options(positive_at=2.0))
    reports.make_report(study=study, options=Options(seed=4))
    assert set(PackedNumbers.objects.values_list("report", flat=True)) == {usual.pk, other.pk}
    assert Report.objects.with_usual_options().get() == usual
    assert (usual.body["positive_at"], other.body["positive_at"]) == (4, 2)
    assert ("scale", "from 1 to 5; an image counts as right from 2") in report_words.signature(
        other.body
    )
