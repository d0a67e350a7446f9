"""Votes on pairs have a version of their own: it moves once between two countings."""

import uuid

import pytest

from annotations.models import LabelVersion, Membership, Pair
from annotations.pairs import assign, draws, record, simulated
from annotations.pairs.files import take
from annotations.pairs.votes import questions_of
from annotations.versions import (
    labels_version,
    start_reading_labels,
    start_reading_votes,
    votes_version,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def drawn(study):
    draws.draw(study=study, per_prompt=1)
    return study


def vote(person):
    held = assign.next_pair(annotator=person)
    record.record_vote(
        pair=held.pair, annotator=person, said={"match": "left"}, submission=uuid.uuid4()
    )
    return held.pair


def file_says(study):
    pair = Pair.objects.filter(study=study).select_related("first", "second", "prompt").last()
    row = {
        "pair_id": pair.key,
        "prompt_id": pair.prompt.key,
        "first": pair.first.key,
        "second": pair.second.key,
        "rater": "someone else",
        "question": "match",
        "value": "first",
        "left": "first",
    }
    take(study, [row])


def simulated_vote(study):
    person = Membership.objects.create(study=study, name="made up", simulated=True)
    simulated.vote(study=study, people=[person], seen=lambda image, name: 1.0, seed=0)


def test_a_vote_moves_it_once_until_it_is_counted(drawn, bob):
    before = votes_version(drawn.pk)
    pair = vote(bob)
    moved = votes_version(drawn.pk)
    assert moved != before
    vote(bob)
    assert votes_version(drawn.pk) == moved
    assert start_reading_votes(drawn.pk) == moved
    record.take_back(pair=pair, annotator=bob)
    assert votes_version(drawn.pk) not in (before, moved)


@pytest.mark.parametrize("writes", [file_says, simulated_vote])
def test_whoever_writes_votes_says_so(drawn, writes):
    before = start_reading_votes(drawn.pk)
    writes(drawn)
    assert votes_version(drawn.pk) != before


def test_votes_make_no_label_old(drawn, bob):
    before = start_reading_labels(drawn.pk)
    vote(bob)
    assert labels_version(drawn.pk) == before


def test_the_first_vote_of_a_study_without_a_version_counts(drawn, bob):
    LabelVersion.objects.all().delete()
    vote(bob)
    assert votes_version(drawn.pk) == "w1"


def test_questions_are_those_that_somebody_has_voted_on_and_stands_by(drawn, bob):
    draws.plan(drawn, quality=True)
    assert questions_of(drawn) == []
    held = assign.next_pair(annotator=bob)
    said = {"match": "left", "quality": "both"}
    record.record_vote(pair=held.pair, annotator=bob, said=said, submission=uuid.uuid4())
    vote(bob)
    assert questions_of(drawn) == ["match", "quality"]
    record.take_back(pair=held.pair, annotator=bob)
    assert questions_of(drawn) == ["match"]
