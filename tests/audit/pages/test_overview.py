"""The first page of a study names one next step, and what is there and missing."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from audit.models import ClosedTour
from audit.reports import make as reports
from tests import making

pytestmark = pytest.mark.django_db


def visit(client) -> str:
    return client.get(reverse("study", args=["shapes"])).content.decode()


def primary(text: str) -> list[str]:
    return re.findall(r'<a class="button primary"[^>]*>(.*?)</a>', text.partition("<main")[2])


def test_without_images_the_next_step_is_to_bring_some(as_alice, study):
    study.images.all().delete()
    text = visit(as_alice)
    assert primary(text) == ["Import images"]
    assert "No images yet." in text


def test_without_people_the_next_step_is_to_invite_some(as_alice, study):
    text = visit(as_alice)
    assert primary(text) == ["Invite people"]
    assert "8 images of 4 prompts by 2 generators." in text


def test_without_labels_the_next_step_is_to_label(as_alice, bob, study):
    assert primary(visit(as_alice)) == ["Label images"]


def test_without_scores_the_next_step_is_a_judge(as_alice, bob, study):
    making.label(bob)
    text = visit(as_alice)
    assert primary(text) == ["Start a judge"]
    assert "1 of 8 images labelled; 2 people in this study" in text


def test_with_both_the_next_step_is_to_look(as_alice, bob, study):
    making.label(bob)
    making.scores(study, {"early-0": True, "late-0": False})
    assert primary(visit(as_alice)) == ["See the summary"]
    reports.make_report(study=study)
    assert "No report yet" not in visit(as_alice)


def test_who_may_not_change_it_is_not_sent_there(client, study):
    client.force_login(making.person(study, "rita", role="researcher").user)
    text = visit(client)
    assert "Change the questions" not in text
    assert "Describe this study" not in text
    assert "See the people" in text


def test_ten_images_more_ask_no_question_more(as_alice, study):
    visit(as_alice)
    with CaptureQueriesContext(connection) as before:
        visit(as_alice)
    making.labels(study, {i.key: {f"p{n}": n % 2 for n in range(5)} for i in study.images.all()})
    with CaptureQueriesContext(connection) as after:
        visit(as_alice)
    assert len(after) == len(before)


TOUR = "What Jurybox does, in two minutes"


def test_an_empty_study_shows_the_tour_until_it_is_closed_for_good(as_alice, alice, study):
    study.images.all().delete()
    text = visit(as_alice)
    assert TOUR in text
    assert text.count("<svg") == 4
    answer = as_alice.post(reverse("tour-close"), {"study": "shapes"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/studies/shapes/")
    assert TOUR not in visit(as_alice)
    as_alice.post(reverse("tour-close"))
    assert ClosedTour.objects.filter(user=alice.user).count() == 1


def test_somebody_elses_tour_stays_open(as_alice, study):
    study.images.all().delete()
    rita = making.person(study, "rita", role="researcher")
    ClosedTour.objects.create(user=rita.user)
    assert TOUR in visit(as_alice)


def test_a_study_with_images_shows_no_tour(as_alice, study):
    assert TOUR not in visit(as_alice)


def test_the_tour_can_be_read_again_from_home(as_alice, alice, study):
    ClosedTour.objects.create(user=alice.user)
    assert f'href="{reverse("tour")}"' in as_alice.get(reverse("home")).content.decode()
    text = as_alice.get(reverse("tour")).content.decode()
    for step in ("Bring images", "Ask people", "Run judges", "See where they part"):
        assert step in text


def test_closing_the_tour_leads_nobody_into_a_strange_study(client, study):
    client.force_login(making.person(making.study("elsewhere"), "eve").user)
    answer = client.post(reverse("tour-close"), {"study": "shapes"})
    assert answer.headers["Location"] == "/"


def test_what_there_is_can_be_exported_from_here(as_alice, bob, study):
    text = visit(as_alice)
    assert re.findall(r'#export-(\w+)">(.*?)</a>', text) == [("images", "Export images")]
    making.label(bob)
    making.scores(study, {"early-0": True, "late-0": False})
    reports.make_report(study=study)
    text = visit(as_alice)
    assert [what for what, _ in re.findall(r'#export-(\w+)">(.*?)</a>', text)] == [
        "images",
        "labels",
        "scores",
    ]
    assert "Export reports" in text
    # Each leads to its row on the page of exports.
    page = as_alice.get(reverse("export", args=[study.slug])).content.decode()
    for what in ("images", "labels", "scores"):
        assert f'id="export-{what}"' in page
