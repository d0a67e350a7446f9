import pytest

from annotations.database import columns
from annotations.errors import StudyRefused
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.labelling import assign
from annotations.models import Annotation, Assignment, Image
from annotations.studies import annotator_quality, set_aside
from annotations.studies import settings as study_settings
from annotations.studies.annotator_quality import agreement_with_majority
from jurybox_formats.sources.records import LabelRecord
from tests import making

pytestmark = pytest.mark.django_db


def shares(study):
    shares = agreement_with_majority(study)
    return {p.name: (shares[p.pk].right, shares[p.pk].of) for p in study.memberships.all()}


def test_each_person_is_held_against_the_majority_of_the_others(study):
    making.labels(
        study,
        {
            "early-0": {"ann": 1, "ben": 1, "cat": 0},
            "early-1": {"ann": 1, "ben": 1, "cat": 1},
            "late-0": {"ann": 0, "ben": 1},
        },
    )
    # early-0: ann against {1, 0} a draw, ben likewise, cat against {1, 1}: unlike.
    # early-1: all alike. late-0: ann against 1: unlike; ben against 0: unlike.
    assert shares(study) == {"ann": (1, 2), "ben": (1, 2), "cat": (1, 2)}


def test_the_fast_way_agrees_with_counting_by_hand(study):
    given = {
        image.key: {
            f"p{n}": (image.pk * (n + 3) + n * n) % 3 for n in range(6) if (n + image.pk) % 4
        }
        for image in study.images.all()
    }
    making.labels(study, given, question="mood")
    expected = {f"p{n}": [0, 0] for n in range(6)}
    for answers in given.values():
        for name, mine in answers.items():
            others = [v for other, v in answers.items() if other != name]
            votes = {v: others.count(v) for v in others}
            best = [v for v, n in votes.items() if n == max(votes.values())]
            if len(best) == 1:
                expected[name][0] += best[0] == mine
                expected[name][1] += 1
    assert shares(study) == {name: tuple(had) for name, had in expected.items()}


def test_agreement_is_the_same_however_many_answers_are_read_at_once(study, monkeypatch):
    given = {
        image.key: {f"p{n}": (image.pk * (n + 3)) % 3 for n in range(5)}
        for image in study.images.all()
    }
    making.labels(study, given, question="mood")
    making.labels(study, {"early-0": {"p0": 1, "p1": 0, "p2": 1}})
    at_once = shares(study)
    assert sum(of for _, of in at_once.values())
    monkeypatch.setattr(columns, "BLOCK", 3)
    assert shares(study) == at_once


def test_each_part_of_an_image_and_each_question_is_compared_by_itself(study):
    outcome = Outcome()
    # ann and ben agree on the circle, ann and cat on red; on both questions.
    said = {"ann": (1, 1), "ben": (1, 0), "cat": (0, 1)}
    records = (
        LabelRecord(image="early-0", rater=name, question=question, value=value, atom=atom)
        for name, values in said.items()
        for atom, value in enumerate(values)
        for question in ("present", "sure")
    )
    write_study.import_records(study=study, records=records, outcome=outcome)
    assert outcome.rejected == []
    # Of the circle: ann against {1, 0} a draw, ben likewise, cat against {1, 1} unlike. Of red:
    # ann and cat against a draw, ben against {1, 1} unlike. Both for each question.
    assert shares(study) == {"ann": (0, 0), "ben": (0, 2), "cat": (0, 2)}


def test_who_was_set_aside_is_compared_but_measures_nobody(study):
    making.labels(study, {"early-0": {"ann": 1, "ben": 0, "cat": 1}})
    set_aside.set_aside(member=study.memberships.get(name="cat"))
    # ann and ben now only have each other; cat is held against a draw.
    assert shares(study) == {"ann": (0, 1), "ben": (0, 1), "cat": (0, 0)}


def test_known_answers_are_counted_for_whoever_met_them(study):
    making.labels(study, {"early-0": {"ann": 1, "ben": 0}, "early-1": {"ann": 1, "ben": 1}})
    study.images.filter(key="early-0").update(gold={"aligned": 1})
    rows = {row.member.name: row for row in annotator_quality.people_rows(study)}
    assert (rows["ann"].gold.right, rows["ann"].gold.of) == (1, 1)
    assert (rows["ben"].gold.right, rows["ben"].gold.of) == (0, 1)
    # One of one says nothing about a person.
    assert rows["ben"].marks == ()


def test_who_is_unlike_all_others_or_much_faster_is_marked(db):
    study = making.study("large", prompts=30)
    making.labels(
        study,
        {
            image.key: {"ann": image.pk % 2, "ben": image.pk % 2, "cat": image.pk % 2, "odd": 1}
            for image in study.images.all()
        },
    )
    Annotation.objects.update(seconds=9)
    Annotation.objects.filter(annotator__name="cat").update(seconds=1)
    rows = {row.member.name: row for row in annotator_quality.people_rows(study)}
    assert rows["odd"].marks == ("often disagrees with the majority",)
    assert rows["cat"].marks == ("much faster than the others",)
    assert rows["ann"].marks == ()


def test_set_aside_answers_are_kept_and_their_images_go_to_others(study):
    study.overlap = 1
    study.save()
    first, second = making.person(study, "one"), making.person(study, "two")
    for _ in range(8):
        making.label(first)
    assert assign.next_image(annotator=second) is None
    assert set_aside.set_aside(member=first) == 8
    assert Annotation.objects.filter(state="set aside").count() == 8
    assert assign.next_image(annotator=first) is None
    assert assign.next_image(annotator=second) is not None
    assert set_aside.set_aside(member=first) == 0


def test_counting_again_restores_everything(study, bob):
    for _ in range(8):
        making.label(bob)
    before = list(Image.objects.order_by("pk").values_list("taken", flat=True))
    set_aside.set_aside(member=bob)
    assert sum(Image.objects.values_list("taken", flat=True)) == 0
    set_aside.count_again(member=bob)
    assert list(Image.objects.order_by("pk").values_list("taken", flat=True)) == before
    assert Annotation.objects.filter(state="counted").count() == 8
    assert Assignment.objects.filter(state="answered").count() == 8


def test_answers_whose_places_others_have_taken_stay_aside(study):
    # Each image wants one person. Two are labelled by one, set aside, and one of them by two.
    study.overlap = 1
    study.save()
    study.images.exclude(key__in=["early-0", "late-0"]).delete()
    first, second = making.person(study, "one"), making.person(study, "two")
    making.label(first)
    making.label(first)
    set_aside.set_aside(member=first)
    again = making.label(second)
    found = set_aside.count_again(member=first)
    assert (found.counted, found.aside) == (1, 1)
    assert "1 answer counts again. 1 stays excluded" in found.owner_note
    counted = Annotation.objects.filter(state="counted")
    assert sorted(counted.values_list("image", flat=True)) == sorted(
        study.images.values_list("pk", flat=True)
    )
    assert Annotation.objects.get(image=again.image, annotator=first).state == "set aside"
    assert set(study.images.values_list("taken", flat=True)) == {1}
    # With more people wanted there is a place for it.
    study.overlap = 2
    study.save()
    first.study.refresh_from_db()
    assert set_aside.count_again(member=first).owner_note == ""
    assert Annotation.objects.filter(state="counted").count() == 3


def test_answers_about_known_images_always_come_back(study, bob):
    study.overlap = 1
    study.save()
    study.images.filter(key="early-0").update(gold={"aligned": 1})
    making.labels(study, {"early-0": {"ann": 1, "ben": 1, "cat": 0}})
    ann = study.memberships.get(name="ann")
    set_aside.set_aside(member=ann)
    assert set_aside.count_again(member=ann).counted == 1


def test_ten_people_more_ask_no_question_more(study, django_assert_num_queries):
    def fill(names):
        keys = study.images.values_list("key", flat=True)
        making.labels(study, {key: dict.fromkeys(names, 1) for key in keys})

    study.images.filter(key="early-0").update(gold={"aligned": 1})
    fill(["ann", "ben"])
    with django_assert_num_queries(8):
        annotator_quality.people_rows(study)
    fill([f"p{n}" for n in range(10)])
    with django_assert_num_queries(8):
        assert len(annotator_quality.people_rows(study)) == 12


def test_the_number_of_seconds_says_what_it_catches_and_sets_only_that_aside(study):
    making.labels(study, {f"early-{n}": {"ann": 1, "ben": 1} for n in range(4)})
    took = {"early-0": 0.4, "early-1": 1.9, "early-2": 2.0, "early-3": 9.0}
    for key, seconds in took.items():
        Annotation.objects.filter(image__key=key, annotator__name="ann").update(seconds=seconds)
    study_settings.set_fastest(study=study, seconds=2.0)
    ann = annotator_quality.people_rows(study)[0]
    # 0.4 and 1.9 are less than 2.0; the median of 0.4, 1.9, 2, 9 is 1.95.
    assert (ann.too_fast.right, ann.too_fast.of, ann.too_fast_counted) == (2, 4, 2)
    assert ann.seconds == pytest.approx(1.95)
    assert set_aside.set_aside(member=ann.member, faster_than=2.0) == 2
    aside = Annotation.objects.filter(state="set aside")
    assert sorted(aside.values_list("image__key", flat=True)) == ["early-0", "early-1"]
    ann = annotator_quality.people_rows(study)[0]
    assert (ann.too_fast.right, ann.too_fast_counted, ann.set_aside) == (2, 0, 2)
    assert set_aside.count_again(member=ann.member).counted == 2
    assert Annotation.objects.filter(annotator=ann.member).count() == 4


@pytest.mark.parametrize("seconds", [-1, 601, float("nan"), float("inf")])
def test_no_shortest_time_that_cannot_be(study, seconds):
    with pytest.raises(StudyRefused, match="between 0 and 600"):
        study_settings.set_fastest(study=study, seconds=seconds)
