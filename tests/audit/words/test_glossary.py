"""The words of the pages: one list, shown in the app, in the heads of tables and in the documentation."""

import re
from pathlib import Path

from django.urls import reverse
from django.utils import translation

from audit.words.glossary import CHAPTERS, all_terms, explain_head, meaning_of_head

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
