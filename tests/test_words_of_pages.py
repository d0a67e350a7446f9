"""What pages say: product words that people of this field know, and sentences that are read once.

Templates are looked at in each of their branches, Python files for the texts that are no docstrings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 25  # words of a sentence
MOST_BRANCHES = 8  # of one condition in a template
FORBIDDEN = ("whoever", "nobody tells", "that is said", "of which", "so many", "it takes")
# What a page said before -> what it says.
PRODUCT_WORDS = {
    "Make the study": "Create study",
    "Make it empty": "Create empty study",
    "Make a link": "Create invite link",
    "Make a crowd link": "Create crowd link",
    "Make a token": "Create token",
    "Make the account": "Create account",
    "Make an account": "Create account",
    "Make the first account": "Create the first account",
    "Make a group": "Create group",
    "What may come": "Supported files",
    "go on where they stopped": "Uploads resume after a lost connection",
    "Nothing is written before you": "Nothing is saved until you create the study",
    "Names that the files do not say": "Missing names",
    "Sent files": "Uploads",
    "Being read": "Importing",
    "Take the table": "Import",
    "Take the votes": "Import votes",
    "the rows themselves": "or paste rows",
    "Click together": "Builder",
    "In words": "Text",
    "Use this form from now on": "Save as new version",
    "Start from a paper": "Templates",
    "This study asks": "Current form",
    "Who it is for": "Note",
    "Somebody who has an account": "Add an existing account",
    "crowd platform": "Crowdsourcing",
    "To settle": "Adjudication",
    "to settle": "Next case",
    "settled": "resolved",
    "Like the majority": "Agreement with majority",
    "nown answers": "Gold questions",
    "ractice round": "Qualification",
    "Practise": "Qualification",
    "Too fast": "Speeding",
    "Shortest time": "Minimum seconds",
    "et aside": "Exclude",
    "Judges’ dates": "Release dates",
    "Keep together": "Save selection",
    "Label these": "Assign for labelling",
    "no label yet": "unlabelled",
    "annot be told apart": "Statistically tied",
    "It cannot be told yet": "Not enough data yet",
    "What these numbers are": "About these numbers",
    "How it was computed": "Method",
    "images a person sees": "Share of gold questions (%)",
    "Votes said by judges": "Judge accuracy on pairwise votes",
    "Freeze them as anchors": "Create anchor set",
    "Three watches": "Alarms",
    "Whoever labels": "Mixed with the other images",
    "is not told which": "annotators cannot tell which are which",
    "six digits that": "the 6-digit code from your authenticator app",
}
# The pages and texts that keep to the words. Papers' questions are the papers'.
KEPT = (
    *(
        "templates/annotations",
        "templates/registration",
        "templates/home.html",
        "templates/base.html",
    ),
    *("templates/tour.html", "templates/tour_steps.html", "templates/error.html"),
    *(
        "templates/navigation.html",
        "templates/judges/new_study.html",
        "templates/judges/delivery.html",
    ),
    *("templates/judges/imports.html", "templates/audit/partials/pairs.html"),
    *(
        "templates/audit/data.html",
        "templates/audit/data_image.html",
        "templates/audit/export.html",
    ),
    *(
        "templates/audit/question.html",
        "templates/audit/questions.html",
        "audit/doors",
        "audit/questions",
    ),
    *(
        "annotations",
        "packages/formats",
        "audit/account_pages",
        "audit/accounts",
        "audit/navigation.py",
    ),
    *("audit/images", "audit/installation/proxies.py", "judges/intake"),
)
# Words of the database, which no page shows.
STATES = ("set aside", "flag settled")
# All others. The counts may only fall: lower them with each page that is put right.
NOT_YET = {"templates": 0, "python": 0}
SHOWN = ("annotations", "judges", "audit", "packages/formats", "packages/judging")
JUDGING = ROOT / "packages/judging/jurybox_judging"
# What models are asked, in the words of papers and of their code.
ASKED_OF_MODELS = {
    JUDGING / "methods" / place
    for place in (
        "chain_of_thought.py",
        "shared/chain_of_thought_as_coded.py",
        "which_of_two.py",
        "compbench/numeracy_method.py",
    )
} | {ROOT / "judges/draft_questions.py"}
# Not on a page: commands, tables of the database, papers' own words, programs' languages.
NOT_SHOWN = re.compile(
    r"/(management|migrations|models|papers|prompt_grammar|sets)/"
    # The head of a LaTeX file.
    r"|/handed_in/latex\.py$"
)
TEMPLATE_TAG = re.compile(r"(\{%.*?%\})", re.DOTALL)
INLINE = re.compile(r"</?(?:a|strong|em|code|span|b|i|kbd|small)\b[^>]*>")
SAID_BY_ATTRIBUTES = re.compile(r'\b(?:title|aria-label|placeholder|alt|hx-confirm)="([^"]*)"')


def branch(text: str, number: int) -> str:
    """A template with this branch of each condition, or with its last one."""
    stack: list[list[str]] = [[""]]
    for part in TEMPLATE_TAG.split(text):
        word = part[2:-2].split()[0] if part.startswith("{%") and part[2:-2].split() else ""
        if word in ("if", "blocktranslate"):
            stack.append([""])
        elif word in ("elif", "else", "plural") and len(stack) > 1:
            stack[-1].append("")
        elif word in ("endif", "endblocktranslate") and len(stack) > 1:
            branches = stack.pop()
            stack[-1][-1] += branches[min(number, len(branches) - 1)]
        elif word in ("for", "empty", "endfor", "include", "partialdef", "endpartialdef"):
            stack[-1][-1] += "|"
        elif not word:
            stack[-1][-1] += part
    return stack[0][-1]


def template_texts(path: Path) -> set[str]:
    text = re.sub(r"\{#.*?#\}", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r'\{% translate "([^"]*)"(?: as \w+)? %\}', r"\1", text)
    text = re.sub(r"<(script|style|pre)\b.*?</\1>", "|", text, flags=re.DOTALL)
    found: set[str] = set()
    for number in range(MOST_BRANCHES):
        plain = re.sub(r"\{\{.*?\}\}", "X", branch(text, number))
        found.update(SAID_BY_ATTRIBUTES.findall(plain))
        found.update(re.split(r"\|", re.sub(r"<[^>]*>", "|", INLINE.sub("", plain))))
    return {" ".join(one.split()) for one in found if one.strip()}


def python_texts(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    own = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    passed_over = {
        id(n.body[0].value) for n in ast.walk(tree) if isinstance(n, own) and documented(n)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            passed_over |= {id(part) for part in node.values}
            parts = (p.value if isinstance(p, ast.Constant) else "X" for p in node.values)
            found.add("".join(map(str, parts)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in passed_over:
            found.add(str(node.value))
    # Statements of the database, and lists of words.
    program = re.compile(r"\b(SELECT|INSERT|UPDATE|WHERE|JOIN)\b")
    return {" ".join(one.split()) for one in found if " " in one and not program.search(one)}


def documented(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return ast.get_docstring(node) is not None


def faults(path: Path) -> Iterator[str]:
    where = path.relative_to(ROOT)
    for text in template_texts(path) if path.suffix == ".html" else python_texts(path):
        for phrase in FORBIDDEN:
            if re.search(rf"\b{phrase}\b", text, re.IGNORECASE):
                yield f"{where}: “{phrase}” in “{text}”"
        for old, new in PRODUCT_WORDS.items():
            if old in text and text not in STATES:
                yield f"{where}: say “{new}” instead of “{old}” in “{text}”"
        for sentence in re.split(r"(?<=[.!?])[”’)]*\s+", text):
            if len(sentence.split()) > LONGEST:
                yield f"{where}: {len(sentence.split())} words in “{sentence}”"


def files(*places: str) -> list[Path]:
    found = [ROOT / place for place in places]
    inside = (p for place in found if place.is_dir() for p in sorted(place.rglob("*")))
    wanted = [*(p for p in found if p.is_file()), *inside]
    return [
        p
        for p in wanted
        if p.suffix in (".html", ".py")
        and p not in ASKED_OF_MODELS
        and not NOT_SHOWN.search(f"/{p.relative_to(ROOT).as_posix()}")
    ]


@pytest.mark.parametrize("place", KEPT)
def test_a_page_says_it_in_product_words_and_short_sentences(place):
    assert files(place), place
    assert [fault for path in files(place) for fault in faults(path)] == []


@pytest.mark.parametrize("kind", NOT_YET)
def test_the_other_pages_get_no_further_from_them(kind):
    others = files("templates") if kind == "templates" else files(*SHOWN)
    kept = set(files(*KEPT))
    left = [fault for path in others if path not in kept for fault in faults(path)]
    assert len(left) <= NOT_YET[kind], "\n".join(left)


def documents() -> list[Path]:
    """What people read beside the pages. Decisions are history, and keep the words of their day."""
    inside = [p for p in sorted((ROOT / "docs").rglob("*.md")) if "decisions" not in p.parts]
    return [
        *inside,
        *(ROOT / name for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md")),
        *sorted((JUDGING / "recipes/shipped").glob("*.toml")),
    ]


def old_words(text: str) -> list[str]:
    found = [one for one in FORBIDDEN if re.search(rf"\b{one}\b", text, re.IGNORECASE)]
    return found + [old for old in PRODUCT_WORDS if old in text]


def test_documents_and_recipes_use_the_words_of_the_pages():
    assert len(documents()) > 30
    faulty = {
        path.relative_to(ROOT).as_posix(): old_words(path.read_text()) for path in documents()
    }
    assert {name: found for name, found in faulty.items() if found} == {}


def test_an_old_word_in_a_document_is_found():
    assert old_words("Whoever practises: Make a link. That is enough.") == [
        "whoever",
        "Make a link",
    ]


def test_each_branch_of_a_template_is_looked_at(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        "<p>{% if a %}One <b>two</b>{% elif b %}no{% else %}{{ x }} three{% endif %} four</p>"
    )
    assert template_texts(page) == {"One two four", "no four", "X three four"}


def test_a_long_sentence_and_an_old_word_are_faults(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.test_words_of_pages.ROOT", tmp_path)
    page = tmp_path / "page.html"
    page.write_text(f"<p>{'word ' * 26}.</p><p>Whoever comes.</p><button>Make a link</button>")
    assert len(list(faults(page))) == 3
