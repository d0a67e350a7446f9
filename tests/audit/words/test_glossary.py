"""The words of the pages: one list, shown in the app, in the heads of tables and in the documentation."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation

from annotations.api.problems import CODES
from audit.words.glossary import (
    CHAPTERS,
    EXPLAINED,
    all_terms,
    explain_head,
    explain_refusal,
    meaning_of_head,
)

DOCS = Path(__file__).resolve().parents[3] / "docs" / "glossary.md"


def test_the_documentation_says_the_same_words():
    rows = re.findall(r"^\| \*\*(.+)\*\* \| (.+) \|$", DOCS.read_text(encoding="utf-8"), re.M)
    said = [(word, re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", meaning)) for word, meaning in rows]
    assert said == [(term.word, term.meaning) for term in all_terms()]


def test_a_word_and_a_head_stand_once():
    words = [term.word for term in all_terms()]
    heads = [head for term in all_terms() for head in {term.word, *term.heads}]
    assert len(words) == len(set(words))
    assert len(heads) == len(set(heads))
    anchors = [term.anchor for term in all_terms()]
    assert all(anchors) and len(anchors) == len(set(anchors))


def test_the_page_has_each_word_where_links_lead(as_alice):
    text = as_alice.get(reverse("words")).text
    assert all(f'<dt id="{term.anchor}">{term.word}</dt>' in text for term in all_terms())
    assert all(chapter.title in text for chapter in CHAPTERS)


def test_a_known_head_leads_to_its_meaning_and_another_is_itself():
    assert explain_head("κ") == (
        '<a class="term" href="/words/#cohens" title="agreement of two verdicts above what '
        'chance would give; it falls with prevalence alone">κ</a>'
    )
    assert explain_head("<b>") == "<b>"
    assert meaning_of_head("seconds") == ""


def test_a_meaning_is_in_the_language_of_the_page():
    with translation.override("de"):
        assert meaning_of_head("κ").startswith("Übereinstimmung zweier Urteile")


def test_search_finds_a_word(as_alice):
    found = as_alice.get(reverse("search"), {"q": "auroc"}).text
    assert '<a href="/words/#auroc">AUROC</a>' in found


# ---- Refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EXPLAINED)
def test_each_kind_of_refusal_leads_to_a_word_that_there_is(as_alice, kind):
    href = re.search(r'href="(.*?)#(.*?)"', explain_refusal(kind))
    assert f'<dt id="{href[2]}">{EXPLAINED[kind]}</dt>' in as_alice.get(href[1]).text


def test_a_kind_of_refusal_that_is_a_code_is_one_of_those_that_there_are():
    """The rest is what a page shows without a refusal: a judge that lacks something."""
    assert set(EXPLAINED) - set(CODES) == {"package", "server"}


@pytest.mark.parametrize("kind", ["label", "too-often", "no-such-kind", ""])
def test_other_refusals_have_no_link(kind):
    assert explain_refusal(kind) == ""


def test_a_refused_change_leads_to_its_explanation_whole_and_for_htmx(as_alice, study):
    address = reverse("study-delete", args=[study.slug])
    for headers in ({}, {"HX-Request": "true"}):
        answer = as_alice.post(address, {"name": "no"}, headers=headers)
        assert answer.status_code == 409
        assert '<a class="small" href="/words/#refused-change">What is this?</a>' in answer.text


def test_a_refused_form_and_a_rejected_file_lead_there_from_their_pages(as_alice, study):
    sent = {"definition": "Title: x\n", "use": "yes"}
    form = as_alice.post(reverse("form-edit", args=[study.slug]), sent)
    assert 'href="/words/#refused-form"' in form.text
    file = as_alice.post(reverse("study-new"), {"do": "make", "name": ""})
    assert 'href="/words/#rejected-file"' in file.text


def test_who_has_not_logged_in_gets_no_link_to_a_page_behind_the_log_in(rf):
    request = rf.get("/")
    request.user = AnonymousUser()
    context = {"message": "No.", "status": 409, "kind": "study"}
    assert "/words/" not in render(request, "error.html#sentence", context).content.decode()
