"""Audit → Training set: what was taken and why; borderline images go to people."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Annotation, DrawnImage
from audit.models import TrainingSet
from audit.next_labels.to_people import surely_all
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db):
    """Two hundred images; people have labelled those of the first ten prompts, after a draw."""
    made = making.study("many", prompts=100)
    keys = [(f"{name}-{n}", n) for name in ("early", "late") for n in range(100)]
    making.scores(made, {key: n / 100 for key, n in keys})
    return made


def choose(client, **typed):
    usual = {"judge": "some-judge", "rule": "paper", "most": 9, "precision": "0.9"}
    where = reverse("training-choose", args=["many"])
    return client.post(where, {**usual, "category": "color", **typed}, follow=True)


def test_an_empty_page_says_what_a_training_set_is(as_alice, study):
    page = as_alice.get(reverse("training", args=["many"])).content.decode()
    assert "Nothing has been chosen yet" in page
    assert "Choose and freeze" in page


def test_without_a_judge_there_is_nothing_to_choose_by(as_alice):
    making.study("bare", prompts=1)
    making.person(making.Study.objects.get(slug="bare"), "alice", role="owner")
    page = as_alice.get(reverse("training", args=["bare"])).content.decode()
    assert "No judge has scored this study yet" in page
    assert "Choose and freeze" not in page


def test_the_page_says_what_was_taken_and_shows_the_best_and_the_borderline_images(as_alice, study):
    page = choose(as_alice).content.decode()
    # Above .92 of 1 to 100: .93 to .99, by two generators.
    assert "14 of 200 images are taken, of 7 prompts" in page
    assert "effective sample size" in page
    assert "No evaluation study was named" in page
    assert page.count('class="card shot"') == 24
    best = page.split('id="best"')[1].split('id="borderline"')[0]
    assert best.index("early, score 0.990") < best.index("late, score 0.980")
    borderline = page.split('id="borderline"')[1]
    assert "score 0.920, not taken" in borderline
    assert "score 0.930, weight 0.930" in borderline


def test_a_poll_gets_the_part_alone(as_alice, study):
    choose(as_alice)
    where = reverse("training", args=["many"])
    part = as_alice.get(where, headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div id="numbers"')
    assert "<html" not in part
    assert "14 of 200 images" in part


def test_a_researcher_sees_the_set_and_chooses_nothing(client, as_alice, study):
    choose(as_alice)
    client.force_login(making.person(study, "rita", role="researcher").user)
    page = client.get(reverse("training", args=["many"])).content.decode()
    assert "14 of 200 images" in page
    assert "<button" not in page.split('id="numbers"')[1].split("</main>")[0]
    assert choose(client).status_code == 403


def test_thirty_borderline_images_surely_go_to_people(as_alice, study):
    choose(as_alice)
    made = TrainingSet.objects.get()
    where = reverse("training-confirm", args=["many", made.pk])
    page = as_alice.post(where, follow=True).content.decode()
    assert "others by chance. People get these" in page
    drawn = DrawnImage.objects.filter(draw__study=study, drawn=True)
    near = set(made.body["near"][:30])
    assert near <= set(drawn.values_list("image__key", flat=True))
    assert drawn.count() == surely_all(30, 200)
    assert set(drawn.filter(image__key__in=near).values_list("chance", flat=True)) == {1.0}
    assert drawn.exclude(image__key__in=near).first().chance < 1
    # Each other image can be drawn, too: without that no score of the study could be stated.
    assert DrawnImage.objects.filter(draw__study=study, chance__gt=0).count() == 200


def test_a_set_that_people_chose_has_nothing_borderline(as_alice, study):
    making.labels(study, {"early-1": {"ann": 1}})
    page = choose(as_alice, rule="people").content.decode()
    assert "borderline" not in page.lower()
    made = TrainingSet.objects.get()
    answer = as_alice.post(reverse("training-confirm", args=["many", made.pk]))
    assert "People alone chose" in answer.content.decode()
    assert Annotation.objects.count() == 1


def test_prompts_of_studies_that_one_may_not_see_cannot_be_asked_about(as_alice, study):
    making.study("secret", prompts=1)
    assert "There is no study “secret”" in choose(as_alice, evaluation="secret").content.decode()
    assert not TrainingSet.objects.exists()


def test_the_file_holds_each_image_that_was_taken(as_alice, study):
    choose(as_alice)
    made = TrainingSet.objects.get()
    lines = as_alice.get(reverse("training-table", args=["many", made.pk])).content.decode()
    rows = lines.splitlines()
    assert len(rows) == 15
    assert rows[1].startswith("early-93,p93,")


def test_a_larger_set_asks_the_database_no_more(as_alice, study):
    def queries(limit: str) -> int:
        choose(as_alice, category=limit)
        with CaptureQueriesContext(connection) as asked:
            as_alice.get(reverse("training", args=["many"]))
        return len(asked)

    assert queries("color") == queries("complex")


@pytest.fixture
def alice(study):
    return making.person(study, "alice", role="owner")


def test_sets_can_be_chosen_between_once_there_are_two(as_alice, study):
    assert 'name="set"' not in choose(as_alice).content.decode()
    assert 'name="set"' in choose(as_alice, precision="0.8").content.decode()
