"""The page of the jury: what it gains, and the button that uses it."""

import pytest
from django.urls import reverse

from judges.models import JURY, Run
from tests import making
from tests.audit.questions.test_jury import study  # noqa: F401

pytestmark = pytest.mark.django_db


@pytest.fixture
def researcher(client, study):  # noqa: F811
    client.force_login(making.person(study, "rita", role="researcher").user)
    return client


def test_a_suggested_jury_is_used_in_one_click(researcher, study):  # noqa: F811
    page = making.html_of(researcher.get(reverse("jury", args=[study.slug])))
    assert "The jury beats its best member" in page
    response = researcher.post(reverse("jury-use", args=[study.slug]))
    assert response.url == reverse("runs", args=[study.slug])
    run = Run.objects.get(study=study, judge__method=JURY)
    assert 0 < run.scored == run.expected < study.images.count()
    # The same one a second time is refused in words.
    again = researcher.post(reverse("jury-use", args=[study.slug]), follow=True)
    assert "This jury is used here already." in again.content.decode()


def test_chosen_members_are_those_that_are_used(researcher, study):  # noqa: F811
    ticked = {"member": ["even", "noise"], "way": "mean"}
    address = researcher.get(reverse("jury-choose", args=[study.slug]), ticked).url
    page = making.html_of(researcher.get(address))
    assert 'name="members" value="even,noise"' in page
    chosen = {"members": "even,noise", "way": "mean"}
    researcher.post(reverse("jury-use", args=[study.slug]), chosen)
    options = Run.objects.get(study=study, judge__method=JURY).judge.options
    assert [*options["names"].values()] == ["even", "noise"]
    assert options["way"] == "mean"


def test_an_annotator_has_no_jury(client, study):  # noqa: F811
    client.force_login(making.person(study, "ann-too").user)
    assert client.get(reverse("jury", args=[study.slug])).status_code == 403
    assert client.post(reverse("jury-use", args=[study.slug])).status_code == 403
