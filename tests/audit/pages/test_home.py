"""The home page: what an installation without a study offers, and the demo by one button."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotations.models import Membership, Study
from audit import demo
from audit.installation import pages
from judges.models import Run
from tests import making

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def ada(client):
    user = User.objects.create_user("ada", is_staff=True)
    client.force_login(user)
    return user


@pytest.fixture
def asked(monkeypatch):
    """What workers are called for."""
    calls = []
    monkeypatch.setattr(pages, "send", lambda task, *args: calls.append((task.name, *args)))
    return calls


def test_an_empty_home_offers_the_demo_and_a_study_of_ones_own(client, ada):
    page = client.get("/").text
    assert "Open the demo" in page
    assert reverse("demo-make") in page
    assert "Your own images" in page


def test_who_may_make_no_study_is_offered_none(client, bob, asked):
    client.force_login(User.objects.create_user("new"))
    assert "Open the demo" not in client.get("/").text
    client.force_login(bob.user)
    assert "Open the demo" not in client.get("/").text
    assert client.post(reverse("demo-make")).status_code == 403
    assert asked == [] and not Study.objects.filter(slug="demo").exists()


def test_the_demo_is_there_at_once_and_a_worker_draws_it(client, ada, asked, monkeypatch):
    assert client.post(reverse("demo-make")).headers["Location"] == "/"
    study = Study.objects.get(slug="demo")
    assert study.simulated
    assert Membership.objects.get(study=study, user=ada).role == "owner"
    assert asked == [("audit.tasks.make_demo_task", study.pk)]
    page = client.get("/").text
    assert "A worker draws the pictures" in page and "Open the demo" not in page
    assert "<html" not in client.get("/", **HTMX).content.decode()

    monkeypatch.setattr(demo, "PROMPTS", 2)
    monkeypatch.setattr(demo, "GENERATORS", 2)
    monkeypatch.setattr(demo, "SIGNS", 1)
    monkeypatch.setattr(demo, "EDITS", 1)
    runs = demo.finish(study.pk)
    assert (study.images.count(), len(runs)) == (4, 5)
    signs = Study.objects.get(slug="signs")
    assert (signs.images.count(), signs.memberships.filter(role="owner").count()) == (4, 1)
    edits = Study.objects.get(slug="edits")
    assert (edits.images.count(), edits.memberships.filter(role="owner").count()) == (5, 1)
    assert "A worker draws the pictures" not in client.get("/", **HTMX).content.decode()


def test_a_message_that_comes_twice_leaves_one_demo(ada, monkeypatch):
    monkeypatch.setattr(demo, "PROMPTS", 1)
    monkeypatch.setattr(demo, "GENERATORS", 2)
    monkeypatch.setattr(demo, "SIGNS", 1)
    monkeypatch.setattr(demo, "EDITS", 1)
    study = demo.begin(ada)
    for _ in range(2):
        demo.finish(study.pk)
    assert demo.begin(ada) == study
    assert study.images.count() == 2
    assert Run.objects.filter(study=study).count() == len(demo.JUDGES)
    assert study.memberships.filter(user=ada).count() == 1


def test_somebody_elses_demo_is_not_given_away(ada):
    study = demo.begin(ada)
    bea = User.objects.create_user("bea", is_staff=True)
    assert demo.begin(bea) == study
    assert not study.memberships.filter(user=bea).exists()


def test_a_real_study_of_that_name_stays_what_it_is(client, ada, asked):
    making.study("demo", prompts=1)
    answer = client.post(reverse("demo-make"))
    assert answer.status_code == 400
    assert "the demo would need that name" in answer.text
    assert asked == []


def test_a_demo_that_was_deleted_before_the_worker_came_is_not_made_again(ada):
    study = demo.begin(ada)
    key = study.pk
    study.delete()
    assert demo.finish(key) == []
    assert not Study.objects.exists()


def test_who_only_labels_reads_how_it_works_and_goes_on(client, study, bob):
    client.force_login(bob.user)
    page = client.get("/").text
    assert "How labelling works" in page and "Start labelling" in page
    assert reverse("label-answers", args=[study.slug]) not in page
    making.labels(study, {"early-0": {"bob": 1}})
    page = client.get("/").text
    assert "Continue labelling" in page
    assert reverse("label-answers", args=[study.slug]) in page


def test_who_researches_reads_no_instructions_for_labelling(as_alice, study):
    assert "How labelling works" not in as_alice.get("/").content.decode()
