import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import Count
from django.utils import timezone

from annotations.errors import LabelRefused
from annotations.models import Image, Membership, Pair, PairAssignment, PairPlan, PairVote
from annotations.pairs import assign, expected, record
from annotations.studies import groups, selections
from tests import making
from tests.annotations.pairs.votes import votes_of

pytestmark = pytest.mark.django_db


def with_pairs(study, *, overlap=3):
    """One pair for each prompt: early against late."""
    PairPlan.objects.create(study=study, overlap=overlap)
    for place, prompt in enumerate(study.prompts.all()):
        first, second = Image.objects.filter(prompt=prompt).order_by("pk")
        Pair.objects.create(
            study=study, prompt=prompt, first=first, second=second, key=prompt.key, place=place
        )
    return study


def vote(person, said="left", **more):
    held = assign.next_pair(annotator=person)
    record.record_vote(
        pair=held.pair, annotator=person, said={"match": said}, submission=uuid.uuid4(), **more
    )
    return held


def test_a_vote_for_a_side_is_one_for_the_image_that_stood_there(study, bob):
    with_pairs(study)
    held = vote(bob, "left")
    (row,) = votes_of(study)
    assert (row.value, row.left) == (held.left, held.left)
    assert {row.first, row.second} == {"early", "late"}
    assert row.rater == bob.pk


def test_a_submission_that_comes_twice_is_saved_once(study, bob):
    with_pairs(study)
    held = assign.next_pair(annotator=bob)
    again = uuid.uuid4()
    for _ in range(2):
        record.record_vote(
            pair=held.pair, annotator=bob, said={"match": "both"}, submission=again, seconds=2
        )
    assert PairVote.objects.get().seconds == 2


def test_a_correction_keeps_the_earlier_vote(study, bob):
    with_pairs(study)
    held = vote(bob, "both")
    record.record_vote(
        pair=held.pair, annotator=bob, said={"match": "neither"}, submission=uuid.uuid4()
    )
    rows = PairVote.objects.order_by("revision").values_list("value", "revision", "current")
    assert list(rows) == [("both", 1, False), ("neither", 2, True)]
    assert [row.value for row in votes_of(study)] == ["neither"]
    assert Pair.objects.get(pk=held.pair_id).taken == 1


def test_what_is_taken_back_counts_no_longer_and_comes_again_with_the_same_sides(study, bob):
    with_pairs(study)
    held = vote(bob)
    record.take_back(pair=held.pair, annotator=bob)
    assert list(votes_of(study)) == []
    again = assign.next_pair(annotator=bob)
    assert (again.pair, again.left) == (held.pair, held.left)
    assert Pair.objects.get(pk=held.pair_id).taken == 1
    with pytest.raises(LabelRefused, match="already been taken back"):
        record.take_back(pair=held.pair, annotator=bob)


def test_a_vote_of_other_words_is_refused(study, bob):
    with_pairs(study)
    with pytest.raises(LabelRefused, match="one of left, right"):
        vote(bob, "first")


def test_a_pair_that_was_never_given_to_a_person_takes_no_vote_of_theirs(study, bob):
    with_pairs(study)
    pair = Pair.objects.first()
    with pytest.raises(LabelRefused, match="not given to you"):
        record.record_vote(
            pair=pair, annotator=bob, said={"match": "left"}, submission=uuid.uuid4()
        )


def test_a_lease_that_ran_out_goes_to_somebody_else(study, bob, charlie):
    with_pairs(study, overlap=1)
    held = assign.next_pair(annotator=bob)
    for _ in range(3):
        vote(charlie)
    assert assign.next_pair(annotator=charlie) is None
    PairAssignment.objects.filter(pk=held.pk).update(
        leased_until=timezone.now() - timedelta(seconds=1)
    )
    assert assign.next_pair(annotator=charlie).pair == held.pair


def test_a_late_vote_counts_while_a_place_is_free_and_is_refused_after(study, bob, charlie):
    with_pairs(study, overlap=1)
    held = assign.next_pair(annotator=bob)
    PairAssignment.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert assign.release_expired(study=study) == 1
    late = {"pair": held.pair, "annotator": bob, "said": {"match": "left"}}
    record.record_vote(**late, submission=uuid.uuid4())
    assert PairVote.objects.get().left == held.left
    held = assign.next_pair(annotator=bob)
    PairAssignment.objects.filter(pk=held.pk).update(
        leased_until=timezone.now() - timedelta(seconds=1)
    )
    assert {vote(charlie).pair_id for _ in range(3)} >= {held.pair_id}
    with pytest.raises(LabelRefused, match="somebody else"):
        record.record_vote(**{**late, "pair": held.pair}, submission=uuid.uuid4())


def test_a_skipped_pair_goes_to_others(study, bob, charlie):
    with_pairs(study, overlap=1)
    held = assign.next_pair(annotator=bob)
    assign.skip(assignment=held)
    assert assign.next_pair(annotator=bob).pair != held.pair
    assert held.pair_id in {vote(charlie).pair_id for _ in range(3)}


def test_the_next_pair_is_the_first_by_place_however_many_people_have_it(study, bob, charlie):
    with_pairs(study, overlap=2)
    first, second = [vote(charlie).pair.place for _ in range(2)]
    assert (first, second) == (0, 1)
    # Pairs that nobody has come later.
    assert [vote(bob).pair.place for _ in range(3)] == [0, 1, 2]
    # Nobody may have a third look at the first two.
    assert set(Pair.objects.filter(place__lt=2).values_list("taken", flat=True)) == {2}
    assert vote(charlie).pair.place == 2


def test_the_next_pair_is_found_without_walking_over_finished_ones(study):
    if connection.vendor != "sqlite":
        pytest.skip("plans of small tables say nothing there")
    with_pairs(study)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {assign.NEXT}", [3, study.pk, 0, 1])
        plan = " ".join(str(row[3]) for row in cursor.fetchall())
    assert "pair_by_places_taken (study_id=? AND taken=? AND place>?)" in plan


def test_a_paused_study_gives_no_pair(study, bob):
    with_pairs(study)
    study.status = "paused"
    study.save()
    bob.study.refresh_from_db()
    assert assign.next_pair(annotator=bob) is None


def test_a_worker_and_who_has_to_practise_first_get_no_pair(study, bob, monkeypatch):
    with_pairs(study)
    bob.worker = "0815"
    assert assign.next_pair(annotator=bob) is None
    bob.worker = ""
    monkeypatch.setattr(type(bob), "must_practise", True)
    assert assign.next_pair(annotator=bob) is None
    monkeypatch.undo()
    assert assign.next_pair(annotator=bob) is not None


def test_people_of_a_group_get_no_pair(study, bob):
    with_pairs(study)
    chosen = selections.choose(
        study=study, images=study.images.values_list("pk", flat=True), name="all of them"
    )
    group = groups.make_group(study=study, name="experts", selection=chosen, inside=True)
    groups.put(member=bob, group=group)
    assert assign.next_pair(annotator=Membership.objects.get(pk=bob.pk)) is None
    assert not PairAssignment.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_sixteen_people_at_once_compare_each_pair_exactly_its_times():
    study = with_pairs(making.study("crowd", prompts=12))
    people = [making.person(study, f"person-{n}") for n in range(16)]

    def vote_all(person):
        try:
            done = 0
            held = assign.next_pair(annotator=person)
            while held is not None:
                held = record.record_and_give_next(
                    pair=held.pair,
                    annotator=person,
                    said={"match": "left"},
                    submission=uuid.uuid4(),
                )
                done += 1
            return done
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=16) as pool:
        done = list(pool.map(vote_all, people))
    # 12 pairs × 3 places
    assert sum(done) == 36
    counts = PairVote.objects.order_by().values("pair").annotate(n=Count("pk"))
    assert sorted(row["n"] for row in counts) == [3] * 12
    assert set(Pair.objects.values_list("taken", flat=True)) == {3}
    assert set(PairAssignment.objects.values_list("state", flat=True)) == {"answered"}


def test_each_image_of_a_pair_stands_left_as_often_as_chance_would_have_it(db):
    study = with_pairs(making.study("sides", prompts=60, files=False), overlap=5)
    Image.objects.update(file="a.png", sha256="a", width=1, height=1)
    for number in range(5):
        person = making.person(study, f"person-{number}")
        for _ in range(60):
            vote(person)
    left = PairVote.objects.filter(left="first").count()
    # 300 votes: half, and 3σ = 3·√(300/4) = 26
    assert abs(left - 150) <= 26
    # Beyond chance: of the five of one pair, two or three.
    per_pair = PairVote.objects.filter(left="first").order_by().values("pair")
    assert {row["n"] for row in per_pair.annotate(n=Count("pk"))} <= {2, 3}


def test_the_newest_votes_are_found_by_their_index(study):
    """However many votes other studies have."""
    votes = expected.newest_votes(study)
    plan = votes.explain()
    if connection.vendor == "sqlite":
        assert (
            "USING COVERING INDEX vote_by_question (study_id=? AND question=? AND current=?)"
            in plan
        )
