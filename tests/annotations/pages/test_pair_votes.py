import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.models import Pair, PairVote
from annotations.pairs import assign, draws, record
from tests import making

pytestmark = pytest.mark.django_db


def vote(person, said, **more):
    held = assign.next_pair(annotator=person)
    record.record_vote(
        pair=held.pair, annotator=person, said={"match": said, **more}, submission=uuid.uuid4()
    )
    return held


@pytest.fixture
def pairs(study):
    draws.plan(study, overlap=2, quality=True)
    draws.draw(study=study, per_prompt=1)
    return study


def page(client, study):
    return client.get(f"/studies/{study.slug}/compare/votes/")


def test_my_votes_stand_newest_first_with_the_sides_as_i_saw_them(pairs, bob, charlie, as_bob):
    first = vote(bob, "left", quality="right")
    second = vote(bob, "neither")
    vote(charlie, "both")
    text = page(as_bob, pairs).content.decode()
    assert text.count('class="own-vote"') == 2
    assert text.index(second.pair.public_id) < text.index(first.pair.public_id)
    ends = [first.pair.first, first.pair.second]
    left, right = ends if first.left == "first" else ends[::-1]
    assert text.index(left.public_id) < text.index(right.public_id)
    assert 'Which image fits the prompt better? <span class="answer">Left</span>' in text
    assert 'Which image is the better picture? <span class="answer">Right</span>' in text
    assert "Neither fits" in text
    # Who made them stays unknown.
    assert "early" not in text
    assert "late" not in text.replace("translate", "").replace("template", "").replace("later", "")


def test_change_gives_the_pair_back_and_the_new_vote_is_a_revision(pairs, bob, as_bob):
    held = vote(bob, "left")
    vote(bob, "both")
    answer = as_bob.post(
        f"/studies/{pairs.slug}/compare/change/", {"pair": held.pair.public_id}, follow=True
    )
    assert held.pair.public_id in answer.content.decode()
    assert assign.next_pair(annotator=bob).pair == held.pair
    vote(bob, "right")
    (current,) = PairVote.objects.filter(pair=held.pair, current=True)
    assert (current.revision, record.said_of(current.value, current.left)) == (2, "right")
    assert ">changed<" in page(as_bob, pairs).content.decode()


def test_a_pair_of_somebody_else_or_of_no_study_is_not_given(pairs, bob, charlie, as_bob):
    held = vote(charlie, "left")
    for name in (held.pair.public_id, "nothing"):
        answer = as_bob.post(f"/studies/{pairs.slug}/compare/change/", {"pair": name})
        assert answer.status_code == 400 or answer.status_code == 409
    assert PairVote.objects.filter(annotator=charlie, current=True).exists()


def test_a_closed_study_shows_votes_and_changes_none(pairs, bob, as_bob):
    held = vote(bob, "left")
    pairs.status = "closed"
    pairs.save()
    assert "Change</button>" not in page(as_bob, pairs).content.decode()
    as_bob.post(f"/studies/{pairs.slug}/compare/change/", {"pair": held.pair.public_id})
    assert PairVote.objects.filter(pair=held.pair, current=True).exists()


def test_queries_do_not_grow_with_the_votes(alice, db):
    made = making.study("many", prompts=12, overlap=1)
    person = making.person(made, "alice")
    draws.draw(study=made, per_prompt=1)
    from django.test import Client

    client = Client()
    client.force_login(person.user)
    counts = []
    for votes in (2, 8):
        for _ in range(votes):
            vote(person, "left")
        page(client, made)
        with CaptureQueriesContext(connection) as asked:
            page(client, made)
        counts.append(len(asked))
    assert Pair.objects.count() == 12
    assert counts[0] == counts[1]


def test_without_votes_it_says_so(pairs, bob, as_bob):
    assert "No votes yet" in page(as_bob, pairs).content.decode()
