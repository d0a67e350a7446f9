"""The data page: whole and as a fragment, what is chosen on it, and one image's own page."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.labelling import assign
from annotations.models import Image, Prompt, Selection
from annotations.studies import selections
from tests import making

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}
EVERYTHING = (
    "?q=red&tag=colors&variant=original&flag=any&labels=some&answer=aligned:yes&split=any"
    "&judge=some-judge&least=0&most=1&known=no&sort=score&generator=early"
)


@pytest.fixture
def judged(study):
    making.labels(study, {"early-0": {"ann": 1, "ben": 0}, "late-1": {"ann": 1, "ben": 1}})
    making.scores(study, {"early-0": True, "late-0": False, "early-1": "the file is broken"})
    return study


def shown(response) -> list[str]:
    return re.findall(r"choose ([a-z]+-\d+)<", response.content.decode())


def data(client, study, query="", **extra):
    return client.get(reverse("data", args=[study.slug]) + query, **extra)


def choose(client, study, **form):
    return client.post(reverse("data-choose", args=[study.slug]), form)


def test_all_images_with_what_people_and_the_judge_say(as_alice, judged):
    response = data(as_alice, judged)
    text = response.content.decode()
    assert text.count("<html") == 1
    assert len(shown(response)) == 8
    assert "1 of 2 yes" in text
    assert "1.000" in text
    assert "not scored" in text


def test_the_filter_of_the_address_stands_in_the_form(as_alice, judged):
    response = data(as_alice, judged, "?q=number+1&generator=late")
    assert shown(response) == ["late-1"]
    text = response.content.decode()
    assert 'value="number 1"' in text
    assert '<option value="late" selected>' in text


def test_htmx_gets_the_list_alone(as_alice, judged):
    text = data(as_alice, judged, **HTMX).content.decode()
    assert "<html" not in text
    assert 'id="finder"' not in text
    assert text.lstrip().startswith('<form id="list"')


def test_the_table_has_the_same_images(as_alice, judged):
    response = data(as_alice, judged, "?view=table&sort=-score&judge=some-judge")
    assert shown(response) == ["early-0", "late-0"]
    assert "<table" in response.content.decode()


def test_one_prompt_stands_by_every_generator(as_alice, judged):
    Prompt.objects.filter(key="p1").update(text="word " * 400)
    response = data(as_alice, judged, "?prompt=p1")
    assert shown(response) == ["early-1", "late-1"]
    text = response.content.decode()
    assert re.findall(r'<p class="data-prompt">(\w+)</p>', text) == ["early", "late"]
    assert text.count("word " * 400) == 1


def queries(client, study, query) -> int:
    with CaptureQueriesContext(connection) as seen:
        assert data(client, study, query).status_code == 200
    return len(seen)


@pytest.mark.parametrize("query", ["", "?view=table", EVERYTHING, "?prompt=p1"])
def test_ten_times_the_images_take_the_same_number_of_queries(as_alice, judged, query):
    large = making.study("large", prompts=40)
    making.person(large, "alice", role="owner")
    making.labels(large, {i.key: {"ann": 1, "ben": 0} for i in large.images.all()})
    making.scores(large, {f"early-{n}": True for n in range(40)})
    queries(as_alice, large, query), queries(as_alice, judged, query)  # counts people's answers
    assert queries(as_alice, large, query) == queries(as_alice, judged, query)


def test_pages_turn_with_the_filter(as_alice, judged, monkeypatch):
    from audit.pages import data as page

    monkeypatch.setattr(page, "PER_PAGE", 3)
    assert shown(data(as_alice, judged, "?page=3")) == ["late-2", "late-3"]
    assert shown(data(as_alice, judged, "?page=99")) == ["late-2", "late-3"]
    text = data(as_alice, judged, "?page=1&generator=late").content.decode()
    assert "?generator=late&amp;page=2" in text


def test_a_study_without_images_names_the_next_step(as_alice, study):
    Image.objects.all().delete()
    assert "Import files" in data(as_alice, study).content.decode()
    assert "No image fits" in data(as_alice, study, "?q=x").content.decode()


@pytest.mark.parametrize("query", ["?prompt=p7", "?generator=third", "?judge=x", "?selection=7"])
def test_what_the_study_does_not_have_is_not_found(as_alice, judged, query):
    elsewhere = making.study("elsewhere", prompts=9)
    pks = elsewhere.images.values_list("pk", flat=True)
    Selection.objects.all().delete()
    other = selections.choose(study=elsewhere, images=pks, name="theirs")
    assert (
        data(as_alice, judged, query.replace("selection=7", f"selection={other.pk}")).status_code
        == 404
    )


def test_an_image_of_another_study_is_not_found(as_alice, judged):
    theirs = making.study("elsewhere").images.first()
    where = reverse("data-image", args=[judged.slug, theirs.public_id])
    assert as_alice.get(where).status_code == 404


def test_annotators_get_nowhere(as_bob, judged):
    image = judged.images.first()
    assert data(as_bob, judged).status_code == 403
    assert as_bob.get(reverse("data-image", args=[judged.slug, image.public_id])).status_code == 403
    assert choose(as_bob, judged, do="label", all="1", query="").status_code == 403
    assert not Selection.objects.exists()


def test_those_ticked_are_labelled_before_all_others(as_alice, bob, judged):
    ticked = judged.images.filter(key__in=["late-2", "early-3"])
    response = choose(
        as_alice, judged, do="label", query="", image=[one.public_id for one in ticked]
    )
    chosen = Selection.objects.get()
    assert response.headers["Location"].endswith(f"?selection={chosen.pk}")
    judged.refresh_from_db()
    assert judged.first == chosen
    bob.study = judged
    first = {assign_and_answer(bob) for _ in range(2)}
    assert first == {"late-2", "early-3"}


def assign_and_answer(person) -> str:
    key = assign.next_image(annotator=person).image.key
    making.label(person)
    return key


def test_all_that_fit_are_chosen_by_the_filter_not_by_a_list(as_alice, judged):
    response = choose(as_alice, judged, do="keep", all="1", query="?generator=late")
    chosen = Selection.objects.get()
    assert chosen.images == 4
    response = choose(as_alice, judged, do="export", all="1", query="?generator=late")
    assert response.headers["Location"] == "/studies/shapes/export/?generator=late"
    assert Selection.objects.count() == 1


def test_images_of_another_study_are_not_chosen_with_the_others(as_alice, judged):
    theirs = making.study("elsewhere").images.first()
    mine = judged.images.first()
    choose(as_alice, judged, do="keep", query="", image=[theirs.public_id, mine.public_id])
    assert [one.image for one in Selection.objects.get().members.all()] == [mine]


def test_nothing_ticked_is_a_sentence(as_alice, judged):
    response = choose(as_alice, judged, do="label", query="")
    assert response.status_code == 422
    assert "No image was chosen" in response.content.decode()
    assert not Selection.objects.exists()


def test_a_researcher_chooses_but_does_not_say_what_is_labelled_first(client, judged):
    client.force_login(making.person(judged, "rita", role="researcher").user)
    assert choose(client, judged, do="keep", all="1", query="").status_code == 302
    assert choose(client, judged, do="label", all="1", query="").status_code == 403
    judged.refresh_from_db()
    assert judged.first is None


def test_the_walk_goes_through_the_list_and_back(as_alice, judged):
    response = choose(as_alice, judged, do="evidence", all="1", query="?generator=late")
    texts, where = [], response.headers["Location"]
    while where:
        text = as_alice.get(where).content.decode()
        texts.append(re.search(r"<h1>Image (.*)</h1>", text)[1])
        after = re.search(r'rel="next" href="([^"]*)"', text)
        where = after and after[1].replace("&amp;", "&")
    assert texts == ["late-0", "late-1", "late-2", "late-3"]
    assert "4 of 4" in text


def test_an_image_that_left_the_list_has_its_successor_where_it_stood(as_alice, judged):
    first = judged.images.get(key="early-1")  # the first without a label
    where = reverse("data-image", args=[judged.slug, first.public_id]) + "?labels=none&at=0"
    making.labels(judged, {"early-1": {"ann": 1}})
    text = as_alice.get(where).content.decode()
    after = re.search(r'rel="next" href="([^"]*)"', text)[1].replace("&amp;", "&")
    assert "Image early-2" in as_alice.get(after).content.decode()


def test_the_page_of_an_image_says_all_that_is_known_of_it(as_alice, judged):
    one = judged.images.get(key="early-0")
    Image.objects.filter(pk=one.pk).update(gold={"aligned": 1}, metadata={"seed": 7})
    text = as_alice.get(reverse("data-image", args=[judged.slug, one.public_id])).content.decode()
    for words in ("a red circle, number 0", "ann", "1 of 2 yes", "some-judge", "seed: 7", "early"):
        assert words in text
    assert "Gold question" in text


def test_an_image_without_file_labels_or_scores_has_a_page(as_alice, study):
    bare = making.study("bare", files=False)
    making.person(bare, "alice", role="owner")
    one = bare.images.first()
    text = as_alice.get(reverse("data-image", args=["bare", one.public_id])).content.decode()
    assert "came without a file" in text
    assert "Nobody has labelled" in text


def test_the_owner_draws_images_and_all_others_wait(as_alice, judged):
    # Six of the eight have no label yet.
    address = reverse("data-draw", args=[judged.slug])
    response = as_alice.post(address, {"count": "4", "by": "uniform", "seed": "7"}, follow=True)
    text = response.content.decode()
    assert "4 images drawn" in text
    assert "4 of 4 images of “Draw 1: 4 images” are labelled now, all others wait" in text
    assert Selection.objects.get().images == 4


def test_a_draw_that_cannot_be_is_refused_in_a_sentence(as_alice, judged):
    address = reverse("data-draw", args=[judged.slug])
    for count, words in (("9", "6 can be drawn"), ("many", "whole numbers"), ("0", "one image")):
        response = as_alice.post(address, {"count": count, "by": "uniform", "seed": "7"})
        assert response.status_code in (409, 422)
        assert words in response.content.decode()


def test_who_does_not_own_the_study_is_offered_no_draw(as_alice, alice, judged):
    assert "data/draw" in data(as_alice, judged).content.decode()
    alice.role = "researcher"
    alice.save()
    assert "data/draw" not in data(as_alice, judged).content.decode()
