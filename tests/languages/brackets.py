"""Which words of a page are not translated: every translated sentence stands in brackets."""

from __future__ import annotations

import gettext
import re
from html.parser import HTMLParser

from annotations.models import Study
from judges.runs import queries as run_queries


class Brackets(gettext.NullTranslations):
    """Every translated sentence in brackets."""

    def gettext(self, message):
        return message if re.fullmatch(r"[a-zA-Z:., ]{1,12}[Hi]", message) else f"⟦{message}⟧"

    def ngettext(self, one, many, number):
        return f"⟦{one if number == 1 else many}⟧"

    def language(self):
        return "eo"

    to_language = language


class Texts(HTMLParser):
    """What somebody reads or hears, without what is marked as data."""

    NOT_READ = ("script", "style", "code", "kbd", "title")
    HEARD = ("alt", "aria-label", "placeholder", "title")

    def __init__(self):
        super().__init__()
        self.inside: list[str] = []
        self.found: list[str] = []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.found += [given[name] or "" for name in self.HEARD if name in given]
        # What is marked as English is meant to be.
        if tag in self.NOT_READ or tag in self.inside or given.get("lang") == "en":
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if self.inside and tag == self.inside[-1]:
            self.inside.pop()

    def handle_data(self, data):
        if not self.inside:
            self.found.append(data)


WORD = re.compile(r"[A-Za-z]{2}")


def texts_outside_brackets(html: str, data: list[str]) -> set[str]:
    while html != (less := re.sub(r"⟦[^⟦⟧]*⟧", "", html)):
        html = less
    reader = Texts()
    reader.feed(html)
    longest_first = sorted(set(data) - {""}, key=len, reverse=True)
    known = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first)) or '$'})(?!\w)")
    texts = (known.sub("", text) for text in reader.found if WORD.search(text))
    return {" ".join(text.split()) for text in texts if WORD.search(text)}


ALWAYS = [
    *("Argilla", "doccano", "Potato", "Rapidata"),
    *("Jurybox", "Ctrl-K", "Brackets", "English", "Deutsch", "alice", "bob"),
]


def texts_of_forms(study: Study) -> list[str]:
    """What the study itself says: its title, prompts, and the questions as they were written."""

    def strings(value: object) -> list[str]:
        if isinstance(value, str):
            return [value, value.capitalize()]
        parts = (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        )
        return [one for part in parts for one in strings(part)]

    prompts = [prompt.text for prompt in study.prompts.all()]
    words = [word for text in prompts for word in text.split()]
    return [study.title, study.slug, *prompts, *words, *strings(study.form.definition)]


def assert_all_in_brackets(page, data: list[str]) -> None:
    assert page.status_code in (200, 400, 403, 404, 409, 422), page.status_code
    assert "⟦" in page.text
    left = texts_outside_brackets(page.text, [*ALWAYS, *filter(None, data)])
    assert left == set(), left


def names_of_judges() -> list[str]:
    """What a paper calls its judge; what has to be typed as it is; devices, weights and libraries."""
    judges = run_queries.list_judges()
    typed = [
        word for judge in judges for word in re.findall(r"[\w./+:-]+", judge.needs) if "." in word
    ]
    return [*(word for judge in judges for word in (judge.title, judge.name)), *typed, "GB"]


def texts_of_a_report(page) -> list[str]:
    """Names of judges and of files."""
    said = ["mm", "UTC", str(page.context["report_id"])]
    for row in page.context["rows"]:
        said += [row["title"], row["short"]]
    links = page.context["chart"].get("downloads", [])
    return [*said, *(file["name"] for column in links for file in column["files"])]
