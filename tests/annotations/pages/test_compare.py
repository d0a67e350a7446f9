import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.models import Image, Pair, PairAssignment, PairPlan, PairVote
from annotations.pairs import assign, draws, progress
from tests import making

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def pairs(study):
    draws.draw(study=study, per_prompt=1)
    return study


def send(client, study, pair, headers=HTMX, **said):
    fields = {"pair": pair.public_id, "submission": uuid.uuid4(), "seconds": "1.5", **said}
    return client.post(reverse("compare", args=[study.slug]), fields, **headers)


def test_the_page_shows_two_images_and_tells_nothing_of_who_made_them(pairs, as_bob, bob):
    html = as_bob.get(reverse("compare", args=[pairs.slug])).content.decode()
    held = assign.next_pair(annotator=bob)
    for image in (held.pair.first, held.pair.second):
        assert image.public_id in html
        assert image.key not in html
        assert image.file not in html
    assert held.pair.prompt.text in html
    assert "early" not in html
    assert "late" not in html.replace("template", "")


def test_the_left_image_stands_first(pairs, as_bob, bob):
    html = as_bob.get(reverse("compare", args=[pairs.slug])).content.decode()
    held = assign.next_pair(annotator=bob)
    pair = held.pair
    left, right = (pair.first, pair.second) if held.left == "first" else (pair.second, pair.first)
    assert html.index(left.public_id) < html.index(right.public_id)


def test_a_vote_is_saved_and_the_reply_is_the_next_pair(pairs, as_bob, bob):
    held = assign.next_pair(annotator=bob)
    reply = send(as_bob, pairs, held.pair, match="right").content.decode()
    vote = PairVote.objects.get()
    assert {vote.value, held.left} == {"first", "second"}
    assert vote.seconds == 1.5
    assert "<html" not in reply
    assert f'data-pair="{assign.next_pair(annotator=bob).pair.public_id}"' in reply


def test_without_scripts_a_vote_leads_back_to_the_page(pairs, as_bob, bob):
    held = assign.next_pair(annotator=bob)
    reply = send(as_bob, pairs, held.pair, headers={}, match="both")
    assert (reply.status_code, reply.url) == (302, reverse("compare", args=[pairs.slug]))


def test_a_refusal_stands_on_the_page(pairs, as_bob, bob):
    held = assign.next_pair(annotator=bob)
    assert "one of left, right" in send(as_bob, pairs, held.pair, match="up").content.decode()
    assert not PairVote.objects.exists()


def test_undo_brings_the_pair_back(pairs, as_bob, bob):
    held = assign.next_pair(annotator=bob)
    send(as_bob, pairs, held.pair, match="left")
    reply = as_bob.post(reverse("compare-undo", args=[pairs.slug]), **HTMX).content.decode()
    assert f'data-pair="{held.pair.public_id}"' in reply
    reply = as_bob.post(reverse("compare-undo", args=[pairs.slug]), **HTMX).content.decode()
    assert "nothing to take back" in reply


def test_skip_goes_on(pairs, as_bob, bob):
    held = assign.next_pair(annotator=bob)
    url = reverse("compare-skip", args=[pairs.slug])
    reply = as_bob.post(url, {"pair": held.pair.public_id}, **HTMX).content.decode()
    assert held.pair.public_id not in reply


def test_the_second_question_is_asked_where_the_plan_says_so(pairs, as_bob, bob):
    url = reverse("compare", args=[pairs.slug])
    assert "better picture" not in as_bob.get(url).content.decode()
    PairPlan.objects.update(asks_quality=True)
    assert "better picture" in as_bob.get(url).content.decode()
    held = assign.next_pair(annotator=bob)
    send(as_bob, pairs, held.pair, match="left", quality="neither")
    assert set(PairVote.objects.values_list("question", flat=True)) == {"match", "quality"}


def test_the_tab_is_there_only_where_the_study_has_pairs(study, as_bob):
    there = f'href="{reverse("compare", args=[study.slug])}"'
    url = reverse("label-answers", args=[study.slug])
    assert there not in as_bob.get(url).content.decode()
    draws.draw(study=study, per_prompt=1)
    assert there in as_bob.get(url).content.decode()


def test_the_end_says_thank_you(pairs, as_bob, bob):
    for _ in range(4):
        reply = send(as_bob, pairs, assign.next_pair(annotator=bob).pair, match="left")
    assert "That was the last pair" in reply.content.decode()


def test_a_pair_of_another_study_is_unknown_here(pairs, as_bob, bob):
    other = making.study("others", prompts=1)
    draws.draw(study=other, per_prompt=1)
    pair = Pair.objects.get(study=other)
    assert "no longer part" in send(as_bob, pairs, pair, match="left").content.decode()
    assert Image.objects.filter(study=other).count() == 2


def test_a_vote_asks_the_database_as_often_in_a_larger_study(client, bob):
    counts = []
    for prompts in (3, 12):
        study = making.study(f"of-{prompts}", prompts=prompts)
        draws.draw(study=study, per_prompt=1)
        person = making.person(study, f"person-{prompts}")
        client.force_login(person.user)
        held = assign.next_pair(annotator=person)
        with CaptureQueriesContext(connection) as asked:
            send(client, study, held.pair, match="left")
        counts.append(len(asked))
    # Three to know who asks, three for the vote, six for the next pair, one for progress, and what
    # locks, finds and frames.
    assert counts == [17, 17]


def test_where_many_pairs_are_left_the_count_stops_early(pairs, as_bob, bob, monkeypatch):
    """Of four pairs one is in hand; before the first vote three more are open, which is more than two."""
    monkeypatch.setattr(progress, "COUNTED_UP_TO", 2)
    url = reverse("compare", args=[pairs.slug])
    assert "0 done, more than 2 left" in as_bob.get(url).content.decode()
    held = assign.next_pair(annotator=bob)
    html = send(as_bob, pairs, held.pair, match="left").content.decode()
    assert "1 of 4" in html


def post(client, study, name, pair):
    return client.post(reverse(name, args=[study.slug]), {"pair": pair.public_id})


def test_an_open_page_renews_the_lease_and_a_closed_one_gives_the_pair_back(pairs, as_bob, bob):
    held = assign.next_pair(annotator=bob)
    earlier = timezone.now() + timedelta(minutes=1)
    PairAssignment.objects.update(leased_until=earlier)
    assert post(as_bob, pairs, "compare-alive", held.pair).status_code == 204
    assert PairAssignment.objects.get().leased_until > earlier
    # Renewed just now: the page was only loaded again.
    post(as_bob, pairs, "compare-release", held.pair)
    assert PairAssignment.objects.get().state == "leased"
    PairAssignment.objects.update(leased_until=earlier)
    assert post(as_bob, pairs, "compare-release", held.pair).status_code == 204
    assert PairAssignment.objects.get().state == "returned"
    held.pair.refresh_from_db()
    assert held.pair.taken == 0


def test_nobody_gives_back_the_pair_of_another_person(pairs, as_bob, charlie):
    held = assign.next_pair(annotator=charlie)
    PairAssignment.objects.update(leased_until=timezone.now() + timedelta(minutes=1))
    post(as_bob, pairs, "compare-release", held.pair)
    assert PairAssignment.objects.get().state == "leased"
