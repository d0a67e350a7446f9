"""Templates are compiled once for each language, with the words that stand in them as they are."""

from __future__ import annotations

import pytest
from django.template import Context, engines
from django.template.base import TextNode
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.translation import override

WRITTEN = {
    '{% translate "Study" %}': "Studie",
    "{% blocktranslate %}Log out{% endblocktranslate %}": "Abmelden",
}
LATER = {
    "{% translate word %}": TranslateNode,
    '{% translate "Study" as word %}{{ word }}': TranslateNode,
    '{% translate "Study"|upper %}': TranslateNode,
    "{% blocktranslate %}You are {{ word }}{% endblocktranslate %}": BlockTranslateNode,
    "{% blocktranslate asvar word %}Log out{% endblocktranslate %}{{ word }}": BlockTranslateNode,
    "{% blocktranslate count n=2 %}one{% plural %}many{% endblocktranslate %}": BlockTranslateNode,
}


def compile_text(text):
    return engines["django"].from_string(text).template


@pytest.mark.parametrize(("text", "german"), WRITTEN.items())
def test_plain_words_are_translated_when_a_template_is_compiled(text, german):
    with override("de"):
        made = compile_text(text)
    (node,) = made.nodelist
    assert isinstance(node, TextNode)
    assert made.render(Context()) == german


@pytest.mark.parametrize(("text", "kind"), LATER.items())
def test_what_a_page_fills_in_is_translated_on_each_view(text, kind):
    with override("de"):
        made = compile_text(text)
    assert isinstance(made.nodelist[0], kind)


def test_a_percent_sign_stays_one():
    text = "{% blocktranslate %}50 % of all{% endblocktranslate %}"
    assert compile_text(text).render(Context()) == "50 % of all"


def test_each_language_has_its_own_template():
    made = {}
    for language in ("en", "de", "en"):
        with override(language):
            found = engines["django"].get_template("navigation.html").template
            assert made.setdefault(language, found) is found
    assert made["en"] is not made["de"]
