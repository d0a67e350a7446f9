"""A sentence that was stored in English is found among the translations, with its values."""

from __future__ import annotations

import pytest
from django.utils import translation

from annotations.language.stored_words import LONGEST, translate_stored


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("There is no such picture.", "Es gibt kein solches Bild."),
        ("“caption” is empty.", "„caption“ ist leer."),
        ("a “b” c.csv is empty.", "a “b” c.csv ist leer."),
        ("x.csv is larger than 5 MB.", "x.csv ist größer als 5 MB."),
        # Two sentences that were put together, and a sentence within another one.
        (
            "These files are empty. The prompt is empty.",
            "Diese Dateien sind leer. Der Prompt ist leer.",
        ),
        (
            "a.png is damaged: the file ends in the middle.",
            "a.png ist beschädigt: die Datei endet mittendrin.",
        ),
        # What stands in quotation marks is a file's own word, even where it is one of ours.
        (
            "There is no column “prompt”; there are: a.",
            "Es gibt keine Spalte „prompt“; es gibt: a.",
        ),
        ("Folder is: prompt. Name is: nothing.", "Ordner ist: Prompt. Name ist: nichts."),
        # A number alone, and a reason that stands as a sentence.
        ("+38.71 (34.91 to 42.51)", "+38.71 (34.91 bis 42.51)"),
        (
            "The judge scores all images of one generator alike, or nearly.",
            "Der Judge bewertet alle Bilder eines Generators gleich, oder fast.",
        ),
    ],
)
def test_a_stored_sentence_is_shown_in_german(stored, shown):
    with translation.override("de"):
        assert translate_stored(stored) == shown


@pytest.mark.parametrize(
    "text", ["", "Nothing knows this.", "x" * (LONGEST + 1), "%(name)s", "“” is", ". . . . . ."]
)
def test_what_no_translation_knows_is_left_alone(text):
    with translation.override("de"):
        assert translate_stored(text) == ""


def test_english_needs_no_translation():
    with translation.override("en"):
        assert translate_stored("The prompt is empty.") == ""


def test_chinese_sentences_stand_without_a_space():
    with translation.override("zh-hans"):
        both = translate_stored("These files are empty. The prompt is empty.")
    assert both == "这些文件是空的。提示词为空。"
