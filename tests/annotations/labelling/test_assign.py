from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Count
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.labelling import assign, record
from annotations.labelling import queries as label_queries
from annotations.labelling.image_order import Walk
from annotations.labelling.queries import progress
from annotations.models import Annotation, Assignment, Image, Membership
from tests import making

pytestmark = pytest.mark.django_db


def test_asking_again_gives_the_image_in_hand(bob):
    first = assign.next_image(annotator=bob)
    assert assign.next_image(annotator=bob) == first
    assert Image.objects.get(pk=first.image_id).taken == 1


def test_two_people_meet_the_images_in_the_same_seeded_order(bob, charlie):
    mine = [making.label(bob).image.key for _ in range(8)]
    theirs = [making.label(charlie).image.key for _ in range(8)]
    assert mine == theirs
    assert mine != sorted(mine)


def test_nobody_meets_an_image_twice_and_the_end_is_none(bob):
    seen = [making.label(bob).image_id for _ in range(8)]
    assert len(set(seen)) == 8
    assert assign.next_image(annotator=bob) is None


def test_an_image_with_all_its_places_taken_is_offered_to_nobody(study):
    study.overlap = 1
    study.save()
    first, second = making.person(study, "one"), making.person(study, "two")
    for _ in range(8):
        making.label(first)
    assert assign.next_image(annotator=second) is None


def test_a_lease_of_a_clock_that_was_ahead_goes_to_somebody_else(study):
    """The clock was set back by an hour: the image must not wait for it."""
    ann, ben = (making.person(study, name) for name in ("ann", "ben"))
    study.overlap = 1
    study.save()
    for _ in range(7):
        making.label(ben)
    held = assign.next_image(annotator=ann)
    Assignment.objects.filter(pk=held.pk).update(leased_until=timezone.now() + timedelta(hours=1))
    assert assign.next_image(annotator=ben).image == held.image


def test_a_lease_that_ran_out_goes_to_somebody_else(study):
    study.overlap = 1
    study.save()
    first, second = making.person(study, "one"), making.person(study, "two")
    held = assign.next_image(annotator=first)
    Assignment.objects.filter(pk=held.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    assert assign.next_image(annotator=second).image == held.image
    assert Image.objects.get(pk=held.image_id).taken == 1


def test_a_closed_page_gives_its_image_back_at_once(bob):
    held = assign.next_image(annotator=bob)
    assign.release(assignment=held)
    assign.release(assignment=held)
    assert Image.objects.get(pk=held.image_id).taken == 0
    assert not Assignment.objects.exists()


def test_a_skipped_image_comes_to_others_but_not_back(bob, charlie):
    held = assign.next_image(annotator=bob)
    assign.skip(assignment=held, note="black square")
    assert assign.next_image(annotator=bob).image != held.image
    assert assign.next_image(annotator=charlie).image == held.image


def test_an_image_without_a_file_is_not_shown_to_people(db):
    study = making.study("names-only", files=False)
    assert assign.next_image(annotator=making.person(study, "bob")) is None


def test_the_order_does_not_follow_the_generators(study):
    by_place = study.images.order_by("place").values_list("generator__name", flat=True)
    assert list(by_place) != sorted(by_place)


def test_one_person_meets_the_generators_in_balance_at_every_moment(db):
    study = making.study("balanced", prompts=12)
    bob = making.person(study, "bob")
    met = {"early": 0, "late": 0}
    for _ in range(24):
        met[making.label(bob).image.generator.name] += 1
        assert abs(met["early"] - met["late"]) <= 1


def test_half_of_the_images_bring_every_prompt_nearly_once(db):
    study = making.study("balanced", prompts=12)
    bob = making.person(study, "bob")
    prompts = [making.label(bob).image.prompt_id for _ in range(12)]
    assert len(set(prompts)) >= 9


def test_the_turn_of_the_generators_is_not_a_pattern(db):
    study = making.study("balanced", prompts=12)
    bob = making.person(study, "bob")
    first_of_round = [making.label(bob).image.generator.name for _ in range(24)][::2]
    assert len(set(first_of_round)) == 2


def test_an_image_that_came_free_behind_somebody_is_met_in_the_end(study):
    study.overlap = 1
    study.save()
    first, second = making.person(study, "one"), making.person(study, "two")
    held = assign.next_image(annotator=first)
    seen = [making.label(second).image_id for _ in range(7)]
    assert held.image_id not in seen
    assert assign.next_image(annotator=second) is None
    assign.release(assignment=held)
    assert assign.next_image(annotator=second).image == held.image


def test_images_of_a_generator_that_comes_later_are_met(study, bob):
    for _ in range(8):
        making.label(bob)
    assert assign.next_image(annotator=bob) is None
    image = study.images.first()
    newest = study.generators.create(name="newest")
    image.pk, image.key, image.public_id, image.generator = None, "newest-0", "x" * 16, newest
    image.taken = 0
    image.save()
    assert assign.next_image(annotator=bob).image == image


def test_more_people_for_each_image_open_finished_ones_again(study):
    study.overlap = 1
    study.save()
    first = making.person(study, "one")
    for _ in range(8):
        making.label(first)
    second = making.person(study, "two")
    assert assign.next_image(annotator=second) is None
    study.overlap = 2
    study.save()
    second.study.refresh_from_db()
    assert assign.next_image(annotator=second) is not None


def test_the_image_loaded_ahead_is_the_one_that_comes(bob):
    expected = assign.next_image(annotator=bob).image.public_id
    for _ in range(7):
        assert assign.next_image(annotator=bob).image.public_id == expected
        expected = assign.upcoming(annotator=bob)
        making.label(bob)
    assert assign.next_image(annotator=bob).image.public_id == expected


def test_known_images_come_at_their_share_and_to_everybody(db):
    study = making.study("gold", prompts=10, overlap=1)
    study.gold_share = 20
    study.save()
    gold = study.images.order_by("key")[:4]
    Image.objects.filter(pk__in=[i.pk for i in gold]).update(gold={"aligned": 1})
    for name in ("one", "two"):
        person = making.person(study, name)
        met = [making.label(person).image.gold is not None for _ in range(10)]
        assert sum(met[:5]) == 1
        assert sum(met[5:]) == 1
    assert set(Image.objects.filter(gold__isnull=True).values_list("taken", flat=True)) <= {0, 1}


def test_no_more_known_images_are_counted_than_there_are(db):
    """Two known images and fourteen others, one of five known: the other fourteen take 18 places, of
    which three or four would be known ones."""
    study = making.study("gold", prompts=8)
    study.gold_share = 20
    study.save()
    known = study.images.order_by("key")[:2]
    Image.objects.filter(pk__in=[image.pk for image in known]).update(gold={"aligned": 1})
    assert Walk(making.person(study, "one")).known_to_come(14) == 2


def test_nobody_can_foresee_where_known_images_come(db, settings):
    """The place is drawn with the server's secret, not from names that people know."""
    study = making.study("gold", prompts=20)
    study.gold_share = 10
    study.save()
    person = making.person(study, "one")
    places = []
    for number in range(12):
        settings.SECRET_KEY = f"secret {number}"
        places.append([Walk(person)._draw_image(block) % 10 for block in range(3)])
    assert len({tuple(drawn) for drawn in places}) > 6


def recount(person):
    """What `progress` says, one image at a time."""
    had = {a.image_id: a.state for a in person.assignments.all()}
    left = 0
    for image in person.study.images.exclude(file="").filter(gold__isnull=True):
        state = had.get(image.pk)
        free = image.taken < person.study.overlap or state == "leased"
        left += free and state in (None, "leased")
    return sum(state == "answered" for state in had.values()), left


def test_the_progress_counter_equals_a_recount_at_every_moment(study):
    study.overlap = 2
    study.save()
    people = [making.person(study, f"p{n}") for n in range(3)]
    for step in range(30):
        person = people[step % 3]
        held = assign.next_image(annotator=person)
        for one in people:
            counted = progress(one)
            assert (counted.mine, counted.left) == recount(one)
        if held is None:
            continue
        if step % 7 == 3:
            assign.skip(assignment=held)
        elif step % 7 == 5:
            assign.release(assignment=held)
        elif step % 11 == 9:
            record.take_back(annotation=making.label(person))
        else:
            making.label(person)


def test_a_long_count_stops_and_says_that_there_are_more(study, bob, monkeypatch):
    monkeypatch.setattr(label_queries, "COUNTED_UP_TO", 5)
    assert progress(bob) == label_queries.Progress(0, 5, more=True)
    making.label(bob)
    making.label(bob)
    assert progress(bob) == label_queries.Progress(2, 5, more=True)
    making.label(bob)
    assert progress(bob) == label_queries.Progress(3, 5)


def test_one_person_holds_one_image(study, bob):
    first, second = study.images.all()[:2]
    soon = timezone.now() + timedelta(minutes=1)
    Assignment.objects.create(study=study, image=first, annotator=bob, leased_until=soon)
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.create(study=study, image=second, annotator=bob, leased_until=soon)


def test_a_step_looks_at_no_finished_image(db):
    """The plan of the one query that finds the next image: an index, no scan, no sort of images."""
    study = making.study("planned")
    bob = making.person(study, "bob")
    with CaptureQueriesContext(connection) as captured:
        assign.next_image(annotator=bob)
    looks = [q["sql"] for q in captured if "UNION ALL" in q["sql"]]
    assert len(looks) == 1
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + looks[0])
        plan = [row[3] for row in cursor.fetchall()]
    assert sum("USING INDEX open_image_by_generator" in line for line in plan) == 3
    assert not any(line.startswith("SCAN annotations") for line in plan)


@pytest.mark.django_db(transaction=True)
def test_sixteen_people_at_once_give_each_image_exactly_its_places():
    study = making.study("crowd", prompts=8, overlap=3)
    people = [making.person(study, f"person-{n}") for n in range(16)]

    def label_all(person):
        try:
            done = 0
            while assign.next_image(annotator=person) is not None:
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
    pairs = Assignment.objects.values_list("image", "annotator")
    assert len(set(pairs)) == len(pairs) == 48
    assert set(Assignment.objects.values_list("state", flat=True)) == {"answered"}


@pytest.mark.django_db(transaction=True)
def test_two_tabs_of_one_person_are_given_one_image():
    study = making.study("tabs")
    bob = making.person(study, "bob")

    def ask(_):
        try:
            return assign.next_image(annotator=Membership.objects.get(pk=bob.pk)).image_id
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1
    assert sum(Image.objects.values_list("taken", flat=True)) == 1
