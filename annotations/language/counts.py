"""Numbers of things in words, in the language of the page: "1 image", "12 images"."""

from __future__ import annotations

from django.utils.translation import gettext, ngettext


def count_things(number: int, name: str) -> str:
    """`name`: of the things in the plural, as an outcome has them."""
    words = {
        "annotations": ngettext("%(number)s annotation", "%(number)s annotations", number),
        "answers": ngettext("%(number)s answer", "%(number)s answers", number),
        "atoms": ngettext("%(number)s atom", "%(number)s atoms", number),
        "generators": ngettext("%(number)s generator", "%(number)s generators", number),
        "images": ngettext("%(number)s image", "%(number)s images", number),
        "judges": ngettext("%(number)s judge", "%(number)s judges", number),
        "labelled images": ngettext(
            "%(number)s labelled image", "%(number)s labelled images", number
        ),
        "labels": ngettext("%(number)s label", "%(number)s labels", number),
        "people": ngettext("%(number)s person", "%(number)s people", number),
        "prompt_pictures": ngettext(
            "%(number)s prompt picture", "%(number)s prompt pictures", number
        ),
        "prompts": ngettext("%(number)s prompt", "%(number)s prompts", number),
        "questions": ngettext("%(number)s question", "%(number)s questions", number),
        "runs": ngettext("%(number)s run", "%(number)s runs", number),
        "scores": ngettext("%(number)s score", "%(number)s scores", number),
    }
    return words[name] % {"number": number}


def list_words(words: list[str]) -> str:
    return gettext(", ").join(words)
