"""A study's title and description: on the page, by command, and noted."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotations.models import Event

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


def noted(study) -> list[str]:
    return [event.words for event in Event.objects.filter(study=study).order_by("pk")]


def change(client, **given):
    return client.post(reverse("manage-change", args=["shapes"]), given, **HTMX)


def test_the_owner_changes_both_on_the_page(as_alice, study):
    answer = change(as_alice, title="  March   audit ", description="Six generators.\n")
    study.refresh_from_db()
    assert (study.title, study.description) == ("March audit", "Six generators.")
    assert 'value="March audit"' in answer.content.decode()
    assert noted(study) == ["changed the title", "changed the description"]


def test_what_stays_the_same_is_not_noted(as_alice, study):
    change(as_alice, title=study.title, description=study.description)
    assert noted(study) == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"title": "  "}, "A title has 1 to 200 characters; this one has 0."),
        ({"title": "x" * 201}, "A title has 1 to 200 characters; this one has 201."),
        ({"title": "x", "description": "y" * 5001}, "at most 5000 characters; this one has 5001."),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_changes(as_alice, study, given, words):
    answer = change(as_alice, **given)
    assert answer.status_code == 409
    assert words in answer.content.decode()
    study.refresh_from_db()
    assert study.title == "Shapes"
    assert noted(study) == []


def run(*args: str) -> list[str]:
    out = io.StringIO()
    call_command("study", "shapes", *args, stdout=out)
    return out.getvalue().splitlines()


def test_the_command_changes_what_is_given_and_leaves_the_rest(study):
    study.description = "As it was."
    study.save()
    assert run("--title", "March audit", "--overlap", "5")[:4] == [
        "title: March audit",
        "description: As it was.",
        "status: open",
        "people for each image: 5",
    ]
    assert noted(study) == [
        "changed the title",
        "asked for 5 people for each image",
    ]


def test_the_command_changes_all_or_nothing(study):
    with pytest.raises(CommandError, match="open, paused or closed"):
        run("--title", "March audit", "--status", "asleep")
    study.refresh_from_db()
    assert study.title == "Shapes"
    assert noted(study) == []


def test_an_unknown_study_is_said(db):
    with pytest.raises(CommandError, match="There is no study “shapes”"):
        run()
