"""The reply put together from the frame is the template's, byte for byte."""

import re
from dataclasses import replace

import pytest

from annotations.forms.html import form_html
from annotations.forms.versions import publish_form, questions_for, use_form
from annotations.labelling import queries
from annotations.models import Image, Prompt
from annotations.pages import label
from jurybox_formats.forms.papers import FORMS
from tests import editing, making
from tests.annotations.pages.test_label import HTMX, LABEL, in_hand

pytestmark = pytest.mark.django_db
# Drawn anew for every reply.
DRAWN = re.compile(
    r'((?:name="csrfmiddlewaretoken" value|name="submission" value|data-submission)=)"[^"]+"'
)


def from_frame(client, monkeypatch):
    filled = []

    def spied(*given, ours=label._fill_page):
        filled.append(ours(*given))
        return filled[-1]

    with monkeypatch.context() as patch:
        patch.setattr(label, "_fill_page", spied)
        page = client.get(LABEL, **HTMX).content.decode()
    assert filled == [page]
    return DRAWN.sub(r"\1", page)


def from_template(client, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(label, "_is_usual", lambda context: False)
        return DRAWN.sub(r"\1", client.get(LABEL, **HTMX).content.decode())


@pytest.mark.parametrize("slug", FORMS)
def test_every_form_in_the_frame_is_what_the_template_makes_of_it(as_bob, bob, slug, monkeypatch):
    making.label(bob)
    use_form(study=bob.study, form=FORMS[slug])
    assert from_frame(as_bob, monkeypatch) == from_template(as_bob, monkeypatch)


def test_what_differs_between_images_is_in_its_place(as_bob, bob, monkeypatch):
    for _ in range(2):
        making.label(bob)
        as_bob.get(LABEL)
        image = in_hand(bob)
        words = f'{image.pk} < "cups" & [form]'
        Prompt.objects.filter(pk=image.prompt_id).update(text=words)
        Image.objects.filter(pk=image.pk).update(width=None, height=image.pk)
        page = from_frame(as_bob, monkeypatch)
        assert page == from_template(as_bob, monkeypatch)
        assert f'height="{2 * image.pk}"' in page and 'width=""' in page
        assert "&lt; &quot;cups&quot; &amp;" in page


def test_many_images_left_are_told_without_a_number(as_bob, bob, monkeypatch):
    making.label(bob)
    monkeypatch.setattr(queries, "COUNTED_UP_TO", 2)
    page = from_frame(as_bob, monkeypatch)
    assert "more than 2 left" in page
    assert page == from_template(as_bob, monkeypatch)


def test_the_last_image_has_none_after_it(as_bob, bob, monkeypatch):
    for _ in range(7):
        making.label(bob)
    page = from_frame(as_bob, monkeypatch)
    assert "data-upcoming" not in page
    assert page == from_template(as_bob, monkeypatch)


def test_what_the_frame_has_no_place_for_comes_from_the_template(as_bob, bob, monkeypatch):
    monkeypatch.setattr(label, "_fill_page", None)
    assert b'id="answers"' in as_bob.get(LABEL, **HTMX).content  # the first image
    annotation = making.label(bob)
    image = annotation.image.public_id
    assert b"data-correcting" in as_bob.get(f"{LABEL}answers/{image}/", **HTMX).content
    assert b"data-correcting" in as_bob.post(f"{LABEL}undo/", **HTMX).content


def test_the_whole_page_holds_the_frame_too(as_bob, bob, monkeypatch):
    making.label(bob)
    page = as_bob.get(LABEL).content.decode()
    with monkeypatch.context() as patch:
        patch.setattr(label, "_is_usual", lambda context: False)
        plain = as_bob.get(LABEL).content.decode()
    page, plain = (re.sub(r"\b\w{64}\b", "", DRAWN.sub(r"\1", one)) for one in (page, plain))
    assert page.split() == plain.split()
    assert page.count('id="workplace"') == 1


AUDIT = FORMS["geneval-audit"]
WITH_PROMPT = replace(
    AUDIT, questions=tuple(replace(one, with_prompt=True) for one in AUDIT.questions)
)


@pytest.mark.parametrize(
    ("form", "tags"),
    [
        (FORMS["geneval-crowd"], ["color", "color"]),
        (FORMS["t2i-compbench"], ["color", "complex"]),
        (WITH_PROMPT, ["color", "color"]),
    ],
)
def test_a_form_that_depends_on_the_prompt_is_made_for_each_prompt(form, tags):
    version = publish_form(form)
    pages = set()
    for thing, tag in zip(("cup", "dog"), tags, strict=True):
        text, clauses = f"a {thing}", [{"class": thing}]
        prompt = Prompt(pk=0, text=text, tags=[tag], metadata={"include": clauses})
        pages.add(form_html(version, questions_for(version, prompt), text, {}))
    assert len(pages) == 2


def test_the_pictures_of_an_edit_and_of_the_next_one_are_looked_up_at_once(
    client, django_assert_num_queries
):
    bob = making.person(editing.study(), "bob")
    client.force_login(bob.user)
    client.get("/studies/edits/label/")
    with django_assert_num_queries(100, exact=False) as queries:
        page = client.get("/studies/edits/label/", **HTMX).content.decode()
    assert sum("promptpicture" in query["sql"] for query in queries) == 1
    assert len(re.findall('/pictures/[^/"]+/', page)) == 2


def test_the_dialogs_speak_the_language_of_each_page(as_bob):
    said = [
        as_bob.get(LABEL, HTTP_ACCEPT_LANGUAGE=language).text for language in ("en", "de", "en")
    ]
    assert ["A break" in page for page in said] == [True, False, True]
    assert ["Eine Pause" in page for page in said] == [False, True, False]
