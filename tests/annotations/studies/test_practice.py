"""The practice round: first practice, then the first real image; practice answers are no labels."""

from __future__ import annotations

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.errors import LabelRefused, StudyRefused
from annotations.forms.versions import use_form
from annotations.labelling import assign, record
from annotations.models import Annotation, Assignment, Image, Membership, PracticeAnswer
from annotations.studies import crowd, known_answers, personal_data, practice
from jurybox_formats.forms.papers import geneval2_atoms, geneval_audit
from tests import making

pytestmark = pytest.mark.django_db
RIGHT, WRONG = {"aligned": "1", "quality": "1"}, {"aligned": "0", "quality": "0"}


@pytest.fixture
def practised(study):
    """Three known images, of which two are practised with; half right passes."""
    for key in ("early-0", "early-1", "late-2"):
        image = Image.objects.select_related("prompt", "study__form").get(study=study, key=key)
        known_answers.make(image=image, answers=RIGHT, explanation=f"Why {key}")
    practice.set_practice(study=study, images=2, pass_mark=75, tries=2)
    return study


@pytest.fixture
def dora(practised):
    return again(making.person(practised, "dora"))


def again(member):
    """As another request would read this person."""
    return Membership.objects.select_related("study__form").get(pk=member.pk)


def do(member, *answers):
    """A try with these answers, each read and gone on from."""
    practice.begin(member=again(member))
    for given in answers:
        state = practice.state_of(again(member))
        assert state.kind == "image"
        practice.answer(member=again(member), image=state.image, answers=given)
        assert practice.state_of(again(member)).kind == "feedback"
        practice.go_on(member=again(member))
    return practice.state_of(again(member)).kind


def sent(member, image):
    return {
        "image": image,
        "annotator": again(member),
        "form": member.study.form,
        "answers": {"aligned": 1, "quality": 1},
        "submission": uuid.uuid4(),
    }


def test_no_image_comes_before_the_practice_is_passed(dora):
    assert assign.next_image(annotator=dora) is None
    assert do(dora, RIGHT, RIGHT) == "passed"
    assert assign.next_image(annotator=again(dora)) is not None


def test_the_pass_mark_counts_answers_and_a_second_try_takes_other_images_first(dora):
    # 2 images of 2 answers each: 2 of 4 are 50 %, below 75 %; 3 of 4 are 75 %.
    assert do(dora, RIGHT, WRONG) == "begin"
    state = practice.state_of(again(dora))
    assert (state.tries_left, practice.tally(state.last)) == (1, practice.Share(2, 4))
    first = set(state.last.images)
    assert do(dora, RIGHT, {"aligned": "1", "quality": "0"}) == "passed"
    second = practice.state_of(again(dora)).last.images
    assert second[0] not in first


def test_without_a_try_left_it_is_over_until_the_owner_gives_another(dora):
    assert do(dora, WRONG, WRONG) == "begin"
    assert do(dora, WRONG, WRONG) == "out"
    with pytest.raises(LabelRefused, match="used all your tries"):
        practice.begin(member=again(dora))
    practice.another_try(member=again(dora))
    assert practice.state_of(again(dora)).kind == "begin"
    assert do(dora, RIGHT, RIGHT) == "passed"


def test_practice_answers_are_no_labels_and_take_no_place(practised, dora):
    do(dora, RIGHT, RIGHT)
    assert PracticeAnswer.objects.count() == 2
    assert not Annotation.objects.exists()
    assert not Assignment.objects.exists()
    assert not practised.images.filter(taken__gt=0).exists()


@pytest.mark.parametrize("leased_by", ["nobody", "somebody else"])
def test_an_answer_sent_past_the_page_is_refused(practised, dora, bob, leased_by):
    """record.py is what the page, the outbox, and the API call."""
    practice.set_practice(study=practised, images=0, pass_mark=75, tries=2)
    image = practised.images.get(key="late-0")
    if leased_by != "nobody":
        image = assign.next_image(annotator=again(bob)).image
    practice.set_practice(study=practised, images=2, pass_mark=75, tries=2)
    with pytest.raises(LabelRefused, match="Pass the qualification first"):
        record.record_label(**sent(dora, image))
    assert not Annotation.objects.exists()


def test_an_image_in_hand_when_the_practice_is_switched_on_may_be_answered(study, bob):
    held = assign.next_image(annotator=again(bob))
    known_answers.make(
        image=Image.objects.select_related("prompt", "study__form").get(key="late-3"), answers=RIGHT
    )
    practice.set_practice(study=study, images=1, pass_mark=50, tries=1)
    assert record.record_and_give_next(**sent(bob, held.image)) is None
    assert Annotation.objects.count() == 1


def test_only_the_image_in_hand_can_be_answered_and_once(practised, dora):
    practice.begin(member=dora)
    state = practice.state_of(again(dora))
    other = practised.images.exclude(pk=state.image.pk).first()
    with pytest.raises(LabelRefused, match="not the next one"):
        practice.answer(member=again(dora), image=other, answers=RIGHT)
    practice.answer(member=again(dora), image=state.image, answers=WRONG)
    # Having read the right answer, they send that: the first one counts.
    practice.answer(member=again(dora), image=state.image, answers=RIGHT)
    assert PracticeAnswer.objects.get().right == 0


def test_an_incomplete_answer_is_refused_like_a_real_one(dora):
    practice.begin(member=dora)
    image = practice.state_of(again(dora)).image
    with pytest.raises(LabelRefused, match="has no answer yet"):
        practice.answer(member=again(dora), image=image, answers={"aligned": "1"})
    assert practice.state_of(again(dora)).kind == "image"


def test_a_page_loaded_again_stands_where_it_stood(dora):
    practice.begin(member=dora)
    first = practice.state_of(again(dora))
    assert practice.state_of(again(dora)) == first
    practice.begin(member=again(dora))
    assert practice.state_of(again(dora)) == first
    practice.answer(member=again(dora), image=first.image, answers=WRONG)
    read = practice.state_of(again(dora))
    assert (read.kind, practice.state_of(again(dora))) == ("feedback", read)
    [aligned, quality] = practice.points(read.answer)
    assert (aligned.given, aligned.expected, aligned.right) == ("No", "Yes", False)
    assert read.answer.explanation == f"Why {first.image.key}"


def test_an_image_that_was_practised_with_is_not_mixed_in_later(practised, dora):
    do(dora, RIGHT, RIGHT)
    practised.gold_share = 50
    practised.save()
    seen = []
    while (held := assign.next_image(annotator=again(dora))) is not None:
        seen.append(held.image)
        record.record_label(**sent(dora, held.image))
    # One known image is left for her, beside the five that are not known.
    assert sum(image.gold is not None for image in seen) == 1
    assert len(seen) == 6


def test_new_questions_ask_for_no_practice_unless_the_owner_says_so(practised, dora):
    do(dora, RIGHT, RIGHT)
    use_form(study=practised, form=geneval2_atoms.FORM)
    assert not again(dora).must_practise
    use_form(study=practised, form=geneval_audit.FORM)
    practice.ask_again(study=practised)
    assert again(dora).must_practise
    assert do(dora, RIGHT, RIGHT) == "passed"


def test_asking_again_in_the_middle_of_a_try_begins_anew(practised, dora):
    practice.begin(member=dora)
    practice.ask_again(study=practised)
    assert practice.state_of(again(dora)).kind == "begin"
    assert do(dora, RIGHT, RIGHT) == "passed"


def test_owners_and_researchers_do_not_practise(practised, alice):
    assert not again(alice).must_practise
    assert assign.next_image(annotator=again(alice)) is not None


def test_without_known_answers_it_cannot_be_switched_on(study):
    with pytest.raises(StudyRefused, match="none is set: set some first"):
        practice.set_practice(study=study, images=2, pass_mark=80, tries=1)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"images": 4}, "Only 3 gold questions fit"),
        ({"images": 51}, "1 to 50 images"),
        ({"pass_mark": 0}, "between 1 and 100"),
        ({"tries": 0}, "1 to 20 tries"),
    ],
)
def test_what_cannot_be_is_refused_in_words(practised, changes, words):
    with pytest.raises(StudyRefused, match=words):
        practice.set_practice(
            study=practised, **{"images": 2, "pass_mark": 75, "tries": 2, **changes}
        )


def test_known_answers_taken_away_in_the_middle_block_nobody(practised, dora):
    practice.begin(member=dora)
    state = practice.state_of(again(dora))
    practice.answer(member=again(dora), image=state.image, answers=RIGHT)
    practice.go_on(member=again(dora))
    waiting = practice.state_of(again(dora)).image
    known_answers.remove(image=waiting)
    assert practice.state_of(again(dora)).kind == "begin"
    assert do(dora, RIGHT, RIGHT) == "passed"


def test_a_crowd_worker_who_has_not_passed_gets_no_completion_code(practised):
    link = crowd.open_to_crowd(study=practised, images_each=1, completion_code="C0FFEE")
    worker = crowd.enter_from_crowd(invitation=link, worker="W1")
    assert again(worker).must_practise
    do(worker, WRONG, WRONG)
    assert do(worker, WRONG, WRONG) == "out"
    assert crowd.completion_of(again(worker)) is None


def test_what_is_kept_about_a_person_tells_their_practice(practised, dora):
    do(dora, RIGHT, WRONG)
    [place] = personal_data.everything_kept(dora.user)["studies"]
    assert [(row["right"], row["of"]) for row in place["practice"]] == [(2, 2), (0, 2)]


def test_labelling_asks_nothing_more_where_there_is_no_practice(study, bob):
    person = again(bob)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assign.next_image(annotator=person)
    assert not [q for q in asked if "practice" in q["sql"].split("WHERE")[-1]]
