from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import Count
from django.utils import timezone

from annotations import assigning
from annotations.models import Annotation, Assignment, Image
from tests import making

pytestmark = pytest.mark.django_db


def test_asking_again_gives_the_image_in_hand(bob):
    first = assigning.next_image(annotator=bob)
    assert assigning.next_image(annotator=bob) == first
    assert Image.objects.get(pk=first.image_id).taken == 1


def test_two_people_meet_the_images_in_the_same_seeded_order(bob, charlie):
    mine = [making.label(bob).image.key for _ in range(8)]
    theirs = [making.label(charlie).image.key for _ in range(8)]
    assert mine == theirs
    assert mine != sorted(mine)


def test_nobody_meets_an_image_twice_and_the_end_is_none(bob):
    seen = [making.label(bob).image_id for _ in range(8)]
    assert len(set(seen)) == 8
    assert assigning.next_image(annotator=bob) is None


def test_an_image_with_all_its_places_taken_is_offered_to_nobody(study):
    study.overlap = 1
    study.save()
    first, second = making.person(study, "one"), making.person(study, "two")
    for _ in range(8):
        making.label(first)
    assert assigning.next_image(annotator=second) is None


def test_a_lease_that_ran_out_goes_to_somebody_else(study):
    study.overlap = 1
    study.save()
    first, second = making.person(study, "one"), making.person(study, "two")
    held = assigning.next_image(annotator=first)
    Assignment.objects.filter(pk=held.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    assert assigning.next_image(annotator=second).image == held.image
    assert Image.objects.get(pk=held.image_id).taken == 1


def test_a_closed_page_gives_its_image_back_at_once(bob):
    held = assigning.next_image(annotator=bob)
    assigning.release(assignment=held)
    assigning.release(assignment=held)
    assert Image.objects.get(pk=held.image_id).taken == 0
    assert not Assignment.objects.exists()


def test_a_skipped_image_comes_to_others_but_not_back(bob, charlie):
    held = assigning.next_image(annotator=bob)
    assigning.skip(assignment=held, note="black square")
    assert assigning.next_image(annotator=bob).image != held.image
    assert assigning.next_image(annotator=charlie).image == held.image


def test_an_image_without_a_file_is_not_shown_to_people(db):
    study = making.study("names-only", files=False)
    assert assigning.next_image(annotator=making.person(study, "bob")) is None


def test_the_order_does_not_follow_the_generators(study):
    by_place = study.images.order_by("place").values_list("generator__name", flat=True)
    assert list(by_place) != sorted(by_place)


@pytest.mark.django_db(transaction=True)
def test_sixteen_people_at_once_give_each_image_exactly_its_places():
    study = making.study("crowd", prompts=8, overlap=3)
    people = [making.person(study, f"person-{n}") for n in range(16)]

    def label_all(person):
        try:
            done = 0
            while assigning.next_image(annotator=person) is not None:
                making.label(person)
                done += 1
            return done
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=16) as pool:
        done = list(pool.map(label_all, people))
    # 16 images × 3 places
    assert sum(done) == 48
    counts = Annotation.objects.values("image").annotate(n=Count("pk")).values_list("n", flat=True)
    assert list(counts) == [3] * 16
    assert set(Image.objects.values_list("taken", flat=True)) == {3}
