import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.utils import timezone

from annotations.errors import LabelRefused
from annotations.forms.versions import publish_form
from annotations.labelling import assign, record
from annotations.models import Annotation, Answer, Assignment, Image, Membership, Revision
from jurybox_formats.forms.definition import Form, Question
from tests import making

pytestmark = pytest.mark.django_db


def answer(person, image, **changes):
    return record.record_label(
        **{
            "image": image,
            "annotator": person,
            "form": person.study.form,
            "answers": {"aligned": 1, "quality": 0},
            "submission": uuid.uuid4(),
            **changes,
        }
    )


def test_an_answer_is_kept_with_the_form_that_was_on_the_screen(bob):
    image = assign.next_image(annotator=bob).image
    annotation = answer(bob, image, seconds=4.5)
    assert dict(annotation.answers.values_list("question", "value")) == {"aligned": 1, "quality": 0}
    assert annotation.form == bob.study.form
    assert annotation.seconds == 4.5
    assert Assignment.objects.get(image=image).state == Assignment.State.ANSWERED


def test_the_same_submission_a_hundred_times_leaves_one_row(bob):
    image = assign.next_image(annotator=bob).image
    submission = uuid.uuid4()
    first = answer(bob, image, submission=submission)
    for _ in range(100):
        assert answer(bob, image, submission=submission) == first
    assert Annotation.objects.count() == 1
    assert Answer.objects.count() == 2
    assert Image.objects.get(pk=image.pk).taken == 1


def test_another_submission_about_the_same_image_is_a_correction_with_its_revision(bob):
    image = assign.next_image(annotator=bob).image
    first = uuid.uuid4()
    answer(bob, image, submission=first)
    corrected = answer(bob, image, answers={"aligned": 0, "quality": 0})
    assert Annotation.objects.count() == 1
    assert corrected.revision == 2
    assert corrected.answers.get(question="aligned").value == 0
    kept = Revision.objects.get(annotation=corrected)
    assert {"question": "aligned", "atom_id": None, "value": 1.0, "text": ""} in kept.answers
    # A late repetition of the first sending is known as such and changes nothing.
    assert answer(bob, image, submission=first).answers.get(question="aligned").value == 0
    assert Image.objects.get(pk=image.pk).taken == 1


def test_an_answer_taken_back_puts_the_image_into_the_same_hands_again(bob):
    annotation = making.label(bob)
    assign.next_image(annotator=bob)
    record.take_back(annotation=annotation)
    held = assign.next_image(annotator=bob)
    assert held.image == annotation.image
    assert Annotation.objects.get().state == Annotation.State.WITHDRAWN
    again = answer(bob, held.image)
    assert again.pk == annotation.pk
    assert again.state == Annotation.State.COUNTED
    assert Image.objects.get(pk=held.image.pk).taken == 1
    assert sum(Image.objects.values_list("taken", flat=True)) == 1


def test_taking_back_twice_is_refused_in_words(bob):
    annotation = making.label(bob)
    record.take_back(annotation=annotation)
    with pytest.raises(LabelRefused, match="already been taken back"):
        record.take_back(annotation=annotation)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"aligned": 1}, "has no answer yet"),
        ({"aligned": 2, "quality": 1}, "takes one of: Yes, No"),
        ({"aligned": 1, "quality": 1, "colour": 1}, "no question “colour”"),
    ],
)
def test_answers_that_do_not_fit_the_form_are_refused_and_leave_nothing(bob, answers, words):
    image = assign.next_image(annotator=bob).image
    with pytest.raises(LabelRefused, match=words):
        answer(bob, image, answers=answers)
    assert Annotation.objects.count() == 0
    assert Assignment.objects.get().state == Assignment.State.LEASED


@pytest.mark.parametrize(("status", "words"), [("paused", "is paused"), ("closed", "is closed")])
def test_a_study_that_is_not_open_takes_no_answer_and_keeps_the_earlier_ones(bob, status, words):
    making.label(bob)
    image = assign.next_image(annotator=bob).image
    bob.study.status = status
    bob.study.save()
    with pytest.raises(LabelRefused, match=f"{words}.*earlier answers are kept"):
        answer(bob, image)
    assert Annotation.objects.count() == 1


def test_an_answer_to_questions_that_have_changed_is_refused(bob):
    image = assign.next_image(annotator=bob).image
    old = bob.study.form
    words = Form("geneval-audit", "Other", "", (Question("aligned", "Fits?", ()),))
    bob.study.form = publish_form(words)
    bob.study.save()
    with pytest.raises(LabelRefused, match="questions have changed"):
        answer(bob, image, form=old)


def test_an_image_of_another_study_takes_no_answer(bob):
    elsewhere = making.study("elsewhere").images.first()
    with pytest.raises(LabelRefused, match="another study"):
        answer(bob, elsewhere)


def test_a_submission_that_was_used_for_another_image_is_refused(bob):
    submission = uuid.uuid4()
    first = assign.next_image(annotator=bob).image
    answer(bob, first, submission=submission)
    second = assign.next_image(annotator=bob).image
    with pytest.raises(LabelRefused, match="used for another image"):
        answer(bob, second, submission=submission)


def test_an_answer_after_its_lease_ran_out_is_taken_while_a_place_is_free(bob):
    image = assign.next_image(annotator=bob).image
    assign.release_all(annotator=bob)
    answer(bob, image)
    assert Image.objects.get(pk=image.pk).taken == 1


def test_an_answer_after_its_place_was_given_away_is_refused_in_words(bob):
    image = assign.next_image(annotator=bob).image
    assign.release_all(annotator=bob)
    Image.objects.update(taken=bob.study.overlap)
    with pytest.raises(LabelRefused, match="given to somebody else"):
        answer(bob, image)


@pytest.mark.parametrize("seconds", [0.0, 86_400.0])
def test_a_time_from_nothing_to_a_whole_day_is_kept(bob, seconds):
    image = assign.next_image(annotator=bob).image
    assert answer(bob, image, seconds=seconds).seconds == seconds


@pytest.mark.parametrize("seconds", [-0.5, 86_400.5, float("nan"), float("inf"), None])
def test_a_time_that_cannot_be_true_is_not_kept(bob, seconds):
    image = assign.next_image(annotator=bob).image
    assert answer(bob, image, seconds=seconds).seconds is None


@pytest.mark.django_db(transaction=True)
def test_a_double_click_on_two_connections_leaves_one_row_and_no_error():
    study = making.study("clicks")
    bob = making.person(study, "bob")
    image = assign.next_image(annotator=bob).image
    submission = uuid.uuid4()

    def send(_):
        try:
            person = Membership.objects.select_related("study__form").get(pk=bob.pk)
            return answer(person, image, submission=submission).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert len(set(pool.map(send, range(8)))) == 1
    assert Annotation.objects.count() == 1


def test_who_has_answered_the_rest_is_given_what_others_left_lying(study, bob, charlie):
    # Two images for one person each: charlie holds one of them and has gone away.
    study.overlap = 1
    study.save()
    study.images.exclude(key__in=["early-0", "late-0"]).delete()
    left = assign.next_image(annotator=charlie).image
    mine = assign.next_image(annotator=bob).image
    Assignment.objects.filter(annotator=charlie).update(leased_until=timezone.now())
    lease = record.record_and_give_next(
        image=mine,
        annotator=bob,
        form=study.form,
        answers={"aligned": 1, "quality": 1},
        submission=uuid.uuid4(),
    )
    assert lease.image == left
    assert set(study.images.values_list("taken", flat=True)) == {1}


def test_an_answer_sent_twice_finds_the_image_that_was_given_out_for_it(bob):
    sent = {
        "image": assign.next_image(annotator=bob).image,
        "annotator": bob,
        "form": bob.study.form,
        "answers": {"aligned": 1, "quality": 1},
        "submission": uuid.uuid4(),
    }
    first = record.record_and_give_next(**sent)
    assert record.record_and_give_next(**sent) == first
    assert Assignment.objects.filter(annotator=bob, state="leased").count() == 1


def test_no_annotator_answers_for_an_image_that_they_were_never_given(study, bob):
    held = assign.next_image(annotator=bob).image
    other = Image.objects.filter(study=study).exclude(pk=held.pk).first()
    for door in (record.record_label, record.record_and_give_next):
        with pytest.raises(LabelRefused, match="not given to you"):
            door(
                image=other,
                annotator=bob,
                form=study.form,
                answers={"aligned": 1, "quality": 0},
                submission=uuid.uuid4(),
            )
    assert not Annotation.objects.exists()
    assert Image.objects.get(pk=other.pk).taken == 0


def test_an_image_that_was_skipped_or_given_back_is_answered_late(bob):
    skipped = assign.next_image(annotator=bob)
    assign.skip(assignment=skipped)
    back = assign.next_image(annotator=bob)
    assign.release(assignment=back)
    for late in (skipped, back):
        assert answer(bob, late.image).state == Annotation.State.COUNTED
