"""Images leased ahead for when a browser loses its connection: bounded, in order, and given back."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import Count
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.labelling import assign, record
from annotations.labelling.reserve import keep_reserve
from annotations.models import Annotation, Assignment, Image, Membership
from tests import making

pytestmark = pytest.mark.django_db


def keys(images) -> list[str]:
    return [image.key for image in images]


def again(person: Membership) -> Membership:
    return Membership.objects.get(pk=person.pk)


def places_are_those_in_use() -> bool:
    used = dict(
        Assignment.objects.exclude(state="skipped")
        .order_by()
        .values_list("image")
        .annotate(n=Count("pk"))
    )
    return all(used.get(image.pk, 0) == image.taken for image in Image.objects.all())


def test_the_reserve_is_what_comes_next_and_in_its_order(bob, charlie):
    expected = [making.label(charlie).image.key for _ in range(8)]
    first = assign.next_image(annotator=bob)
    # Eight images, bob at work alone: half of them at most.
    reserve = keep_reserve(annotator=again(bob))
    assert [first.image.key, *keys(reserve)] == expected[:5]
    came = [first.image.key, *(making.label(again(bob)).image.key for _ in range(8))]
    assert came == [expected[0], *expected]
    assert assign.next_image(annotator=again(bob)) is None
    assert places_are_those_in_use()


def test_asking_again_renews_and_adds_nothing(bob):
    assign.next_image(annotator=bob)
    reserve = keep_reserve(annotator=again(bob))
    Assignment.objects.update(leased_until=timezone.now() + timedelta(seconds=1))
    assert keys(keep_reserve(annotator=again(bob))) == keys(reserve)
    assert not Assignment.objects.filter(
        leased_until__lt=timezone.now() + timedelta(minutes=9)
    ).exists()


def test_what_is_left_is_shared_by_all_who_are_at_work(bob, charlie):
    assign.next_image(annotator=bob)
    assign.next_image(annotator=charlie)
    assert len(keep_reserve(annotator=again(bob))) == 8 // (2 * 2)


def test_a_setting_bounds_it_and_zero_is_none(bob, settings):
    assign.next_image(annotator=bob)
    settings.LABEL_RESERVE = 3
    assert len(keep_reserve(annotator=again(bob))) == 3
    settings.LABEL_RESERVE = 0
    assert keep_reserve(annotator=again(bob)) == []
    assert places_are_those_in_use()


def test_a_reserve_that_became_too_large_shrinks_from_its_end(bob, charlie):
    assign.next_image(annotator=bob)
    reserve = keys(keep_reserve(annotator=again(bob)))
    assign.next_image(annotator=charlie)
    assert keys(keep_reserve(annotator=again(bob))) == reserve[:2]
    # What was given back still comes in its turn.
    came = [making.label(again(bob)).image.key for _ in range(5)]
    assert came[1:] == reserve


def test_nobody_without_an_image_in_hand_has_a_reserve(bob):
    assert keep_reserve(annotator=bob) == []


def test_a_worker_has_no_more_in_reserve_than_their_task(bob):
    Membership.objects.filter(pk=bob.pk).update(quota=3)
    making.label(again(bob))
    assign.next_image(annotator=again(bob))
    assert len(keep_reserve(annotator=again(bob))) == 1


def test_a_closed_page_gives_all_back_and_the_order_is_as_before(bob, charlie):
    expected = [making.label(charlie).image.key for _ in range(8)]
    making.label(bob)
    assign.next_image(annotator=again(bob))
    keep_reserve(annotator=again(bob))
    assign.release_all(annotator=again(bob))
    assert not Assignment.objects.filter(annotator=bob).exclude(state="answered").exists()
    assert places_are_those_in_use()
    assert [making.label(again(bob)).image.key for _ in range(7)] == expected[1:]


def test_answers_from_the_reserve_leave_the_image_in_hand(bob):
    held = assign.next_image(annotator=bob)
    second, *_ = keep_reserve(annotator=again(bob))
    answers = {"aligned": "1", "quality": "1"}
    following = record.record_and_give_next(
        image=second,
        annotator=again(bob),
        form=bob.study.form,
        answers=answers,
        submission=uuid.uuid4(),
    )
    assert following is not None
    assert following.image == held.image
    assert Annotation.objects.get().image == second
    assert places_are_those_in_use()


def test_a_reserve_that_ran_out_goes_to_others_and_is_answered_late(study):
    study.overlap = 2
    study.save()
    ann, ben = making.person(study, "ann"), making.person(study, "ben")
    assign.next_image(annotator=ann)
    second, *_ = keep_reserve(annotator=again(ann))
    Assignment.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assign.release_expired(study=study)
    for _ in range(8):
        making.label(again(ben))
    record.record_label(
        image=second,
        annotator=again(ann),
        form=study.form,
        answers={"aligned": "1", "quality": "1"},
        submission=uuid.uuid4(),
    )
    assert Annotation.objects.filter(annotator=ann, image=second).exists()
    assert places_are_those_in_use()


def test_nobody_is_told_that_nothing_is_left_while_others_have_a_reserve(study):
    study.overlap = 1
    study.save()
    ann, ben = making.person(study, "ann"), making.person(study, "ben")
    assign.next_image(annotator=ann)
    assert len(keep_reserve(annotator=again(ann))) == 4
    for _ in range(7):
        making.label(again(ben))
    assert assign.next_image(annotator=again(ben)) is None
    making.label(again(ann))
    assert Annotation.objects.count() == 8
    assert places_are_those_in_use()


def test_a_reserve_that_is_answered_without_a_connection_is_left_alone(study):
    study.overlap = 1
    study.save()
    ann, ben = making.person(study, "ann"), making.person(study, "ben")
    assign.next_image(annotator=ann)
    keep_reserve(annotator=again(ann))
    # Not heard of for three minutes; their leases still run.
    Assignment.objects.update(leased_until=timezone.now() + timedelta(minutes=7))
    for _ in range(3):
        making.label(again(ben))
    assert assign.next_image(annotator=again(ben)) is None


def test_no_query_is_added_for_an_image_more(study, bob, settings, django_assert_num_queries):
    settings.LABEL_RESERVE = 1
    assign.next_image(annotator=bob)
    keep_reserve(annotator=again(bob))
    with CaptureQueriesContext(connection) as one:
        keep_reserve(annotator=again(bob))
    settings.LABEL_RESERVE = 4
    keep_reserve(annotator=again(bob))
    with django_assert_num_queries(len(one)):
        keep_reserve(annotator=again(bob))


@pytest.mark.django_db(transaction=True)
def test_eight_people_with_reserves_give_each_image_exactly_its_places():
    study = making.study("crowd", prompts=10, overlap=2)
    people = [making.person(study, f"person {n}") for n in range(8)]

    def work(person) -> int:
        done = 0
        try:
            while True:
                if assign.next_image(annotator=again(person)) is None:
                    return done
                keep_reserve(annotator=again(person))
                for _ in range(2):
                    if assign.next_image(annotator=again(person)):
                        making.label(again(person))
                        done += 1
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert sum(pool.map(work, people)) == study.images.count() * 2
    assert set(Image.objects.values_list("taken", flat=True)) == {2}
    per_image = Annotation.objects.order_by().values("image").annotate(n=Count("annotator"))
    assert {row["n"] for row in per_image} == {2}
