"""Comments beside an image: for those who run the study, and nobody else."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotations.models import Event
from audit.models import Comment
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def image(study):
    return study.images.get(key="early-0")


@pytest.fixture
def at(study, image):
    return reverse("comment-add", args=[study.slug, image.public_id])


def test_a_comment_stands_beside_the_image_with_its_writer(as_alice, study, image, at):
    page = as_alice.post(at, {"text": " Is this a cat? "}, follow=True)
    assert "Is this a cat?" in page.text
    written = Comment.objects.get()
    assert (written.text, written.by.username) == ("Is this a cat?", "alice")
    assert page.redirect_chain[-1][0].endswith(f"/data/{image.public_id}/#comments")


def test_htmx_gets_the_comments_alone(as_alice, at):
    part = as_alice.post(at, {"text": "one"}, headers={"HX-Request": "true"}).text
    assert part.lstrip().startswith('<section id="comments"')
    assert "one" in part


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("  ", "Write something first."),
        ("a" * 2001, "A comment has at most 2000 characters; this one has 2001."),
    ],
)
def test_what_is_empty_or_too_long_is_refused_with_a_sentence(as_alice, at, text, sentence):
    answer = as_alice.post(at, {"text": text})
    assert answer.status_code == 400
    assert sentence in answer.text
    assert not Comment.objects.exists()


def test_an_annotator_neither_writes_nor_reads_one(as_bob, study, image, at):
    assert as_bob.post(at, {"text": "mine"}).status_code == 403
    assert as_bob.get(reverse("data-image", args=[study.slug, image.public_id])).status_code == 403


def test_its_writer_and_an_owner_delete_it_and_no_other_researcher(study, image, clients_of):
    rita, rob = (making.person(study, name, role="researcher") for name in ("rita", "rob"))
    ours = [Comment.objects.create(study=study, image=image, text="a", by=rita.user) for _ in "12"]

    def delete(who, comment):
        address = reverse("comment-delete", args=[study.slug, comment.pk])
        return clients_of(who).post(address).status_code

    assert delete(rob, ours[0]) == 403
    assert delete(rita, ours[0]) == 302
    assert delete(None, ours[1]) == 302
    assert not Comment.objects.exists()
    assert "deleted a comment on the image early-0" in Event.objects.latest("pk").words


def test_a_researcher_is_offered_to_delete_what_she_wrote_alone(study, image, clients_of):
    rita = making.person(study, "rita", role="researcher")
    own, other = (
        Comment.objects.create(study=study, image=image, text="a", by=by)
        for by in (rita.user, None)
    )
    page = clients_of(rita).get(reverse("data-image", args=[study.slug, image.public_id])).text
    assert reverse("comment-delete", args=[study.slug, own.pk]) in page
    assert reverse("comment-delete", args=[study.slug, other.pk]) not in page


def test_a_comment_of_another_study_is_not_found(as_alice, study):
    other = making.study(slug="other")
    comment = Comment.objects.create(study=other, image=other.images.first(), text="theirs")
    address = reverse("comment-delete", args=[study.slug, comment.pk])
    assert as_alice.post(address).status_code == 404


def test_images_with_comments_are_found_on_the_page_of_images(as_alice, study, image):
    Comment.objects.create(study=study, image=image, text="look")
    page = as_alice.get(reverse("data", args=[study.slug]), {"comments": "any"})
    assert page.context["total"] == 1


@pytest.fixture
def clients_of(client, as_alice):
    def client_of(person):
        if person is None:
            return as_alice
        client.force_login(person.user)
        return client

    return client_of
