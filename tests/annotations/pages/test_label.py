"""The labelling pages: whole and as a fragment, the same queries with more, and bad input."""

import re
import uuid
from dataclasses import replace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.forms.versions import publish_form, use_form
from annotations.labelling import assign
from annotations.models import Annotation, Assignment, Flag, Image, Revision
from jurybox_formats.forms.definition import Example
from jurybox_formats.forms.papers import FORMS
from tests import making

pytestmark = pytest.mark.django_db
LABEL = "/studies/shapes/label/"
HTMX = {"HTTP_HX_REQUEST": "true"}


# Tables with a row for each answer of everybody.
GROWING = re.compile(r"SCAN annotations_(annotation|answer|assignment|handedback|image|revision)\b")


def in_hand(person) -> Image:
    return Assignment.objects.get(annotator=person, state="leased").image


def send(client, person, answers, *, image=None, htmx=True, **more):
    image = image or in_hand(person)
    fields = {
        "image": image.public_id,
        "form": person.study.form_id,
        "submission": str(uuid.uuid4()),
        **{f"answer-{key}": value for key, value in answers.items()},
        **more,
    }
    return client.post(LABEL, fields, **(HTMX if htmx else {}))


@pytest.mark.parametrize("slug", FORMS)
def test_every_form_has_its_page_whole_and_as_a_fragment(as_bob, bob, slug):
    use_form(study=bob.study, form=FORMS[slug])
    whole = as_bob.get(LABEL)
    assert whole.content.lstrip().startswith(b"<!doctype html>")
    part = as_bob.get(LABEL, **HTMX)
    assert part.content.strip().startswith(b'<div id="workplace"')
    assert b"<html" not in part.content


@pytest.mark.parametrize("address", [LABEL, "/"])
def test_no_page_of_an_annotator_looks_through_the_answers_of_all(as_bob, bob, address):
    for _ in range(2):
        making.label(bob)
    making.label(making.person(bob.study, "ann"))
    if connection.vendor != "sqlite":
        return
    with CaptureQueriesContext(connection) as asked:
        as_bob.get(address)
    with connection.cursor() as cursor:
        # Else the plans are those for tables of which nothing is known.
        cursor.execute("ANALYZE")
        for query in asked:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            assert not GROWING.search(" ".join(row[3] for row in cursor.fetchall())), query["sql"]


def test_back_leads_to_the_image_that_was_answered_or_corrected_last(client):
    study = making.study("shapes", prompts=3)
    bob = making.person(study, "bob")
    client.force_login(bob.user)
    first, second = (making.label(bob).image for _ in range(2))
    back = [reverse("label-answered", args=[study.slug, one.public_id]) for one in (first, second)]
    assert [address in client.get(LABEL).text for address in back] == [False, True]
    send(client, bob, {"aligned": 0, "quality": 1}, image=first, corrects="yes")
    assert [address in client.get(LABEL).text for address in back] == [True, False]


@pytest.mark.parametrize("slug", FORMS)
def test_a_page_asks_the_database_as_often_with_ten_images_more(
    client, django_assert_num_queries, slug
):
    asked = []
    for prompts in (3, 13):
        study = making.study(f"study-{prompts}", prompts=prompts)
        use_form(study=study, form=FORMS[slug])
        person = making.person(study, f"person-{prompts}")
        client.force_login(person.user)
        client.get(f"/studies/{study.slug}/label/")
        with django_assert_num_queries(100, exact=False) as queries:
            client.get(f"/studies/{study.slug}/label/")
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_atoms_are_answered_one_by_one_and_corrected_with_a_revision(as_bob, bob):
    use_form(study=bob.study, form=FORMS["geneval2-atoms"])
    as_bob.get(LABEL)
    image = in_hand(bob)
    reply = send(as_bob, bob, {"atom.0": "1", "atom.1": "0", "quality": "1"})
    assert b"data-refused" not in reply.content
    annotation = Annotation.objects.get(annotator=bob)
    given = annotation.answers.values_list("question", "atom__index", "value")
    # That not all of the prompt is there follows from the second part.
    follows = ("aligned", None, 0.0)
    assert set(given) == {("atom", 0, 1.0), ("atom", 1, 0.0), ("quality", None, 1.0), follows}
    page = as_bob.get(f"{LABEL}answers/{image.public_id}/")
    assert 'name="answer-atom.1" value="0" data-key="n" required checked' in page.content.decode()
    assert 'name="corrects" value="yes"' in page.content.decode()
    new = {"atom.0": "1", "atom.1": "1", "quality": "1"}
    send(as_bob, bob, new, image=image, corrects="yes")
    assert annotation.answers.get(atom__index=1).value == 1
    assert annotation.answers.get(question="aligned").value == 1
    kept = Revision.objects.get(annotation=annotation).answers
    assert {row["value"] for row in kept if row["question"] == "atom"} == {0.0, 1.0}
    # The image that was in hand meanwhile still is.
    assert in_hand(bob) != image


def test_several_choices_and_words_come_back_as_they_were_given(as_bob, bob):
    use_form(study=bob.study, form=FORMS["geneval-crowd"])
    as_bob.get(LABEL)
    image = in_hand(bob)
    given = {
        "objects": "circle <b>, none",
        "count-0": "2",
        "color-0": ["red", "white"],
        "realism-0": "3",
        "fit": "4",
    }
    assert b"data-refused" not in send(as_bob, bob, given).content
    answers = Annotation.objects.get(annotator=bob).answers
    assert answers.get(question="color-0").text == "red|white"
    page = as_bob.get(f"{LABEL}answers/{image.public_id}/").content.decode()
    assert "circle &lt;b&gt;, none</textarea>" in page
    assert page.count("checked") == 5 + 1  # two colours, three digits; and the flag's reason


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"aligned": "1"}, "has no answer yet"),
        ({"aligned": "7", "quality": "1"}, "takes one of"),
        ({"aligned": ["1", "0"], "quality": "1"}, "takes one answer"),
        ({"aligned": "1", "quality": "1", "taste": "1"}, "no question"),
        ({"aligned": "1", "quality": "1", "aligned.3": "1"}, "is not asked"),
    ],
)
def test_a_refused_answer_has_its_sentence_on_the_page(as_bob, bob, answers, words):
    as_bob.get(LABEL)
    reply = send(as_bob, bob, answers)
    assert reply.status_code == 200
    assert "data-refused" in reply.content.decode()
    assert words in reply.content.decode()
    assert "nothing was saved" in reply.content.decode()
    assert not Annotation.objects.exists()


def test_without_scripts_a_refusal_is_a_page(as_bob, bob):
    as_bob.get(LABEL)
    reply = send(as_bob, bob, {"aligned": "1"}, htmx=False)
    assert reply.status_code == 409
    assert b"has no answer yet" in reply.content


def test_without_scripts_an_answer_gives_the_next_image_and_the_page_only_shows_it(as_bob, bob):
    as_bob.get(LABEL)
    before = in_hand(bob)
    send(as_bob, bob, {"aligned": "1", "quality": "1"}, htmx=False)
    given = Assignment.objects.get(annotator=bob, state="leased")
    assert given.image != before
    assert given.image.public_id in as_bob.get(LABEL).content.decode()
    now = Assignment.objects.get(annotator=bob, state="leased")
    assert (now.pk, now.leased_until) == (given.pk, given.leased_until)


def test_a_double_click_leaves_one_answer(as_bob, bob):
    as_bob.get(LABEL)
    image, submission = in_hand(bob), str(uuid.uuid4())
    for _ in range(3):
        reply = send(
            as_bob, bob, {"aligned": "1", "quality": "1"}, image=image, submission=submission
        )
        assert b"data-refused" not in reply.content
    assert Annotation.objects.count() == 1
    assert not Revision.objects.exists()


def test_questions_that_changed_meanwhile_are_told(as_bob, bob):
    as_bob.get(LABEL)
    old = bob.study.form_id
    use_form(study=bob.study, form=FORMS["genai-likert"])
    reply = send(as_bob, bob, {"aligned": "1", "quality": "1"}, form=old)
    assert b"The questions have changed" in reply.content
    # And the reply brings the new ones.
    assert b"How well does the image" in reply.content


@pytest.mark.parametrize("status", ["paused", "closed"])
def test_a_study_that_takes_no_answers_says_so_and_keeps_the_earlier_ones(as_bob, bob, status):
    as_bob.get(LABEL)
    bob.study.status = status
    bob.study.save()
    reply = send(as_bob, bob, {"aligned": "1", "quality": "1"})
    assert f"This study is {status}; this answer was not saved" in reply.content.decode()
    assert b"Your earlier answers are kept" in reply.content


def test_an_image_that_went_to_others_is_told(as_bob, bob):
    as_bob.get(LABEL)
    image = in_hand(bob)
    assign.release_all(annotator=bob)
    Image.objects.filter(pk=image.pk).update(taken=bob.study.overlap)
    reply = send(as_bob, bob, {"aligned": "1", "quality": "1"}, image=image)
    assert b"given to somebody else because the page had been idle" in reply.content
    assert b"this answer was not saved" in reply.content


@pytest.mark.parametrize(
    "broken",
    [{"submission": "x"}, {"form": "x"}, {"form": "999999"}, {"image": "gone"}],
)
def test_an_incomplete_answer_is_told(as_bob, bob, broken):
    as_bob.get(LABEL)
    fields = {
        "image": in_hand(bob).public_id,
        "form": bob.study.form_id,
        "submission": str(uuid.uuid4()),
        "answer-aligned": "1",
        "answer-quality": "1",
    }
    reply = as_bob.post(LABEL, fields | broken, **HTMX)
    assert b"nothing was saved" in reply.content


def test_a_lost_session_leads_to_the_log_in(client, bob):
    assert client.post(LABEL, {}).url.startswith(reverse("login"))


def test_taking_back_in_a_closed_study_is_a_sentence_on_the_page(as_bob, bob):
    making.label(bob)
    bob.study.status = "closed"
    bob.study.save()
    reply = as_bob.post(f"{LABEL}undo/", **HTMX)
    assert b"takes no changes at the moment" in reply.content


# --- own answers


def test_own_answers_are_listed_and_nobody_elses(as_bob, bob, charlie):
    mine, others = making.label(bob), making.label(charlie)
    page = as_bob.get(f"{LABEL}answers/").content.decode()
    assert f"answers/{mine.image.public_id}/" in page
    if others.image != mine.image:
        assert f"answers/{others.image.public_id}/" not in page


def test_own_answers_are_told_in_the_words_of_the_form(as_bob, bob):
    use_form(study=bob.study, form=FORMS["geneval-crowd"])
    as_bob.get(LABEL)
    given = {"objects": "a|b", "count-0": "5", "color-0": ["red", "gray"], "realism-0": "1"}
    send(as_bob, bob, given | {"fit": "4"})
    said = dict(as_bob.get(f"{LABEL}answers/").context["rows"][0][1])
    assert said == {
        "objects": "a|b",
        "count-0": "5 or more",
        "color-0": "Red, Gray",
        "realism-0": "Completely unrealistic",
        "fit": "Fully captures the meaning of the caption.",
    }


def test_the_list_of_own_answers_asks_as_often_for_one_as_for_six(
    as_bob, bob, django_assert_num_queries
):
    making.label(bob)
    with django_assert_num_queries(100, exact=False) as one:
        as_bob.get(f"{LABEL}answers/")
    for _ in range(5):
        making.label(bob)
    with django_assert_num_queries(len(one)):
        as_bob.get(f"{LABEL}answers/")


def test_somebody_elses_answer_cannot_be_opened(as_bob, bob, charlie):
    others = making.label(charlie)
    assert as_bob.get(f"{LABEL}answers/{others.image.public_id}/").status_code == 404


def test_looking_at_an_answer_leads_back_and_on(as_bob, bob):
    first, second, third = (making.label(bob) for _ in range(3))
    page = as_bob.get(f"{LABEL}answers/{second.image.public_id}/").content.decode()
    assert f'hx-get="{LABEL}answers/{first.image.public_id}/"' in page
    assert f'hx-get="{LABEL}answers/{third.image.public_id}/"' in page
    assert Assignment.objects.filter(state="leased").count() == 0


def test_what_the_owner_has_set_aside_stays_so_when_it_is_corrected(as_bob, bob):
    annotation = making.label(bob)
    Annotation.objects.update(state=Annotation.State.SET_ASIDE)
    answers = {"aligned": "0", "quality": "0"}
    send(as_bob, bob, answers, image=annotation.image, corrects="yes")
    annotation.refresh_from_db()
    assert annotation.state == Annotation.State.SET_ASIDE
    assert annotation.revision == 2


# --- flags


def test_a_flag_is_kept_once_and_can_be_said_again(as_bob, bob):
    as_bob.get(LABEL)
    image = in_hand(bob)
    for reason in ("broken", "other"):
        sent = {"image": image.public_id, "reason": reason, "note": " odd "}
        assert as_bob.post(f"{LABEL}flag/", sent, **HTMX).status_code == 204
    flag = Flag.objects.get()
    assert (flag.reason, flag.note, flag.annotator) == ("other", "odd", bob)


@pytest.mark.parametrize(
    ("sent", "words"),
    [({"reason": "dull"}, "needs one of these reasons"), ({"image": "x"}, "no longer part")],
)
def test_a_flag_that_cannot_be_is_told(as_bob, bob, sent, words):
    as_bob.get(LABEL)
    fields = {"image": in_hand(bob).public_id, "reason": "broken", **sent}
    reply = as_bob.post(f"{LABEL}flag/", fields, **HTMX)
    assert reply.status_code == 409
    assert words in reply.content.decode()
    assert not Flag.objects.exists()


def test_a_break_gives_the_image_back_at_once(as_bob, bob):
    as_bob.get(LABEL)
    image = in_hand(bob)
    as_bob.post(f"{LABEL}release/", {"image": image.public_id})
    assert Assignment.objects.filter(annotator=bob).exists()
    as_bob.post(f"{LABEL}release/", {"image": image.public_id, "pause": "yes"})
    assert not Assignment.objects.filter(annotator=bob).exists()
    image.refresh_from_db()
    assert image.taken == 0


# --- blindness


def test_nothing_on_the_pages_tells_who_made_an_image(as_bob, bob):
    making.label(bob)
    image = Annotation.objects.get().image
    for path in (LABEL, f"{LABEL}answers/", f"{LABEL}answers/{image.public_id}/"):
        reply = as_bob.get(path)
        text = reply.content.decode() + str(reply.headers)
        assert not re.search(r"\b(early|late)\b", text)
        assert image.sha256 not in text


def test_the_bytes_of_an_image_carry_nothing_but_the_picture(as_bob, bob):
    as_bob.get(LABEL)
    for query in ("", "?small"):
        reply = as_bob.get(f"/images/{in_hand(bob).public_id}/{query}")
        content = b"".join(reply.streaming_content)
        for chunk in (b"tEXt", b"iTXt", b"zTXt", b"eXIf", b"Exif\0"):
            assert chunk not in content
        assert in_hand(bob).sha256 not in str(reply.headers)


def test_an_old_version_stays_with_the_answers_it_got(bob):
    annotation = making.label(bob)
    use_form(study=bob.study, form=FORMS["genai-likert"])
    annotation.refresh_from_db()
    assert annotation.form == publish_form(FORMS["geneval-audit"])


def test_an_example_shows_the_image_that_the_study_has_of_it(as_bob, bob):
    image = bob.study.images.first()
    likert = FORMS["genai-likert"]
    shown = Example("two circles", ("4",), "One is cut off.", image.key)
    lost = Example("three circles", ("1",), "", "no such image")
    use_form(study=bob.study, form=replace(likert, slug="own", examples=(shown, lost)))
    page = as_bob.get(LABEL).content.decode()
    assert f'src="/images/{image.public_id}/?small"' in page
    assert image.key not in page
    assert "three circles" in page


ALIVE = f"{LABEL}alive/"


def test_an_open_page_gets_the_forms_that_come_next_each_once(as_bob, bob):
    as_bob.get(LABEL)
    first = as_bob.post(ALIVE).json()
    assert len(first["images"]) == 4
    assert list(first["forms"]) == first["images"]
    for number, (public_id, html) in enumerate(first["forms"].items(), start=1):
        assert f'data-image="{public_id}"' in html
        assert f"{number} of 8" in html
        assert 'name="answer-aligned"' in html
    again = as_bob.post(ALIVE, {"have": first["images"][:3]}).json()
    assert again["images"] == first["images"]
    assert list(again["forms"]) == first["images"][3:]


def test_forms_ahead_tell_no_more_than_the_page(as_bob, bob):
    as_bob.get(LABEL)
    text = as_bob.post(ALIVE).content.decode()
    for image in bob.study.images.all():
        for secret in (image.key, image.sha256, image.generator.name):
            assert secret not in text


def test_an_answer_from_the_reserve_is_taken(as_bob, bob):
    as_bob.get(LABEL)
    held = in_hand(bob)
    second = Image.objects.get(public_id=as_bob.post(ALIVE).json()["images"][0])
    reply = send(as_bob, bob, {"aligned": "1", "quality": "0"}, image=second).content.decode()
    assert Annotation.objects.get().image == second
    assert f'data-image="{held.public_id}"' in reply


@pytest.mark.parametrize("slug", ["geneval-audit", "geneval2-atoms"])
def test_forms_ahead_ask_the_database_as_often_for_one_as_for_four(
    as_bob, bob, settings, django_assert_max_num_queries, slug
):
    use_form(study=bob.study, form=FORMS[slug])
    as_bob.get(LABEL)
    for size in (1, 4):
        settings.LABEL_RESERVE = size
        as_bob.post(ALIVE)
        with django_assert_max_num_queries(18):
            assert len(as_bob.post(ALIVE).json()["forms"]) == size


def test_an_answer_from_another_tab_does_not_replace_the_first(as_bob, bob):
    as_bob.get(LABEL)
    image = in_hand(bob)
    send(as_bob, bob, {"aligned": "1", "quality": "1"}, image=image)
    reply = send(as_bob, bob, {"aligned": "0", "quality": "0"}, image=image).content.decode()
    assert "perhaps in another tab; that answer is kept" in reply
    kept = dict(Annotation.objects.get().answers.values_list("question", "value"))
    assert kept == {"aligned": 1, "quality": 1}


def test_what_an_old_page_sends_does_not_spoil_the_log_in_form_that_is_open(study):
    """A page that is left sends its image back; where its log-in has ended, the answer comes after the
    log-in form and must not replace the secret that this form was made with."""
    browser = Client(enforce_csrf_checks=True)
    late = browser.post(reverse("label-release", args=[study.slug]), {"image": "x"})
    assert late.status_code == 403
    assert "csrftoken" not in late.cookies
    assert "csrftoken" in browser.get(reverse("login")).cookies


def test_after_the_last_image_an_owner_goes_on_to_the_study_and_an_annotator_home(
    client, alice, bob
):
    alice.study.images.all().delete()
    overview = reverse("study", args=[alice.study.slug])
    client.force_login(alice.user)
    link = f'<a class="button primary" href="{overview}">Go to the study</a>'
    assert link in client.get(LABEL).text
    client.force_login(bob.user)
    page = client.get(LABEL).text
    assert link not in page and "Go to your studies" in page
