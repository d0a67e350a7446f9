"""Two detectors on the same pictures, class by class, worked by hand."""

import json

import pytest
from django.core.management import CommandError, call_command

from judges.looks import detector_agreement
from judges.models import Look
from jurybox_judging import stored_form
from jurybox_judging.protocols import Objects

BOX, BESIDE, NEARLY = (0, 0, 10, 10), (50, 0, 60, 10), (0, 0, 10, 8)


def found(name, box=BOX, score=0.9):
    return {"class": name, "score": score, "box": box}


def test_a_detection_has_one_partner_only():
    assert detector_agreement.matched([found("dog"), found("dog")], [found("dog")], 0.5) == ["dog"]


def test_another_class_in_the_same_place_is_no_partner():
    assert detector_agreement.matched([found("dog")], [found("cat")], 0.5) == []


def test_the_best_partner_is_chosen():
    far, near = found("dog", (0, 0, 10, 6)), found("dog", NEARLY)
    assert detector_agreement.matched([found("dog")], [far, near], 0.5) == ["dog"]
    assert detector_agreement.matched([found("dog")], [far], 0.7) == []


def test_a_detection_counts_from_above_the_threshold_on():
    kept = detector_agreement._detections_above(
        [found("dog", score=0.3), found("cat", score=0.31)], 0.3
    )
    assert [detection["class"] for detection in kept] == ["cat"]


def tell(image, engine, *detections):
    asked = stored_form.want_as_json(Objects(), closed=True)
    told = stored_form.answer_as_json(Objects(), detections)
    Look.objects.create(
        image=image, engine=engine, want=stored_form.key_of(asked), asked=asked, told=told
    )


@pytest.fixture
def looked(study):
    one, two, three = study.images.order_by("pk")[:3]
    tell(one, "aaaa", found("dog"), found("cat", BESIDE), found("cat", score=0.2))
    tell(one, "bbbb", found("dog", NEARLY), found("dog", BESIDE))
    tell(two, "aaaa", found("dog"))
    tell(two, "bbbb", found("dog"))
    tell(three, "aaaa", found("dog"))
    return study


@pytest.mark.django_db
def test_agreement_counts_what_both_have_looked_at(looked):
    told = detector_agreement.compare(looked, "aaaa", "bbbb")
    assert told.images == 2
    # Dogs: 2 and 3 found, 2 pairs: 4/5. Cats: 1 and 0, the fainter one is below 0.3.
    assert [(c.name, c.first, c.second, c.both, c.share) for c in told.classes] == [
        ("cat", 1, 0, 0, 0.0),
        ("dog", 2, 3, 2, 0.8),
    ]
    assert told.overall.share == pytest.approx(4 / 6)


@pytest.mark.django_db
def test_what_neither_finds_has_no_agreement(looked):
    told = detector_agreement.compare(looked, "aaaa", "bbbb", threshold=0.99)
    assert told.classes == ()
    assert told.overall.share is None


@pytest.mark.django_db
def test_the_command_prints_a_table_and_an_object(looked, capsys):
    call_command("compare_engines", looked.slug, "aaaa", "bbbb", "--json")
    told = json.loads(capsys.readouterr().out)
    assert [row["share"] for row in told["classes"]] == [pytest.approx(4 / 6), 0.0, 0.8]
    call_command("compare_engines", looked.slug, "aaaa", "bbbb")
    assert "dog               2       3       2  0.800" in capsys.readouterr().out


@pytest.mark.django_db
def test_an_unknown_detector_is_answered_with_the_known_ones(looked):
    with pytest.raises(
        CommandError, match="“cccc” is no detector.*Detectors of “shapes”: aaaa; bbbb"
    ):
        call_command("compare_engines", looked.slug, "aaaa", "cccc")
