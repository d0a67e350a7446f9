"""Images that are labelled before all others: exactly as many people as wanted, in a drawn order."""

import pytest

from annotations.errors import Refused
from annotations.labelling import assign
from annotations.models import Event, Image, Selection
from annotations.studies import selections
from tests import making

pytestmark = pytest.mark.django_db


def label_first(study, keys) -> Selection:
    pks = study.images.filter(key__in=keys).values_list("pk", flat=True)
    chosen = selections.choose(study=study, images=pks, name="these")
    selections.label_first(study=study, selection=chosen)
    return chosen


def answers(person, count: int) -> list[str]:
    person.study.refresh_from_db()
    keys = []
    for _ in range(count):
        keys.append(assign.next_image(annotator=person).image.key)
        making.label(person)
    return keys


def test_they_come_first_and_then_all_others_once_each(study, bob):
    label_first(study, ["late-1", "late-3", "early-2"])
    keys = answers(bob, 8)
    assert set(keys[:3]) == {"late-1", "late-3", "early-2"}
    assert len(set(keys)) == 8


def test_no_more_people_than_wanted_get_one_of_them(study):
    # Three people are wanted for each of the eight images.
    label_first(study, ["late-1"])
    people = [making.person(study, f"p{n}") for n in range(4)]
    firsts = [answers(person, 1)[0] for person in people]
    assert firsts[:3] == ["late-1"] * 3
    assert firsts[3] != "late-1"
    assert Image.objects.get(key="late-1").taken == 3
    assert selections.left_to_label(study) == 0


def test_what_is_left_of_them_goes_down_as_they_are_labelled(study, bob):
    study.overlap = 1
    study.save()
    label_first(study, ["late-1", "late-3"])
    assert selections.left_to_label(study) == 2
    answers(bob, 1)
    assert selections.left_to_label(study) == 1


def test_the_order_is_drawn_for_the_selection(study, bob):
    # Eight images: two draws are alike once in forty thousand times.
    chosen = [f"{made}-{number}" for made in ("early", "late") for number in range(4)]
    label_first(study, chosen)
    first = answers(bob, 8)
    other = making.study("other")
    Selection.objects.create(study=other, name="in between")
    label_first(other, chosen)
    second = answers(making.person(other, "bob"), 8)
    assert first != second


def test_what_was_given_back_comes_again_and_what_was_skipped_does_not(study, bob):
    label_first(study, ["early-0", "late-0"])
    bob.study.refresh_from_db()
    lease = assign.next_image(annotator=bob)
    assign.release(assignment=lease)
    bob.refresh_from_db()
    again = assign.next_image(annotator=bob)
    assert again.image == lease.image
    assign.skip(assignment=again)
    assert assign.next_image(annotator=bob).image != lease.image


def test_an_image_of_which_a_lease_ran_out_is_found_again_at_the_end(study, bob, charlie):
    label_first(study, ["late-2"])
    study.overlap = 1
    study.save()
    charlie.study.refresh_from_db()
    theirs = assign.next_image(annotator=charlie)
    assert theirs.image.key == "late-2"
    assert "late-2" not in answers(bob, 7)
    assign.release(assignment=theirs)
    assert answers(bob, 1) == ["late-2"]


def test_pictures_with_known_answers_come_when_they_are_due_all_the_same(study, bob):
    study.gold_share = 50
    study.save()
    Image.objects.filter(key__in=["early-3", "late-3"]).update(gold={"aligned": 1})
    label_first(study, ["early-0", "late-0", "early-3"])
    keys = answers(bob, 4)
    assert {"early-0", "late-0"} <= set(keys)
    assert len({"early-3", "late-3"} & set(keys)) == 2


def test_the_owner_ends_it_and_it_is_written_down(study, bob):
    chosen = label_first(study, ["late-1"])
    selections.label_as_usual(study=study)
    study.refresh_from_db()
    assert study.first is None
    assert Selection.objects.get() == chosen
    words = list(Event.objects.filter(study=study).values_list("words", flat=True))
    assert words == [
        "has no images labelled first any more",
        "has 1 images labelled first: these",
    ]


def test_a_closed_study_has_nothing_labelled_first(study):
    study.status = "closed"
    study.save()
    with pytest.raises(Refused, match="gives out no images"):
        label_first(study, ["late-1"])


def test_an_empty_selection_is_refused(study):
    with pytest.raises(Refused, match="No image was chosen"):
        selections.choose(study=study, images=[], name="none")
