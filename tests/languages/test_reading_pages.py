"""The reading pages of the audit speak the language of who reads: their sentences, tables, filters and charts."""

from __future__ import annotations

import io
import json
import re
import zipfile
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import translation

from annotations.language.stored_words import translate_stored
from annotations.models import Study
from audit.charts import every_chart
from audit.doors.registry import all_exhibits
from audit.papers import PAPERS
from audit.questions.why import exhibits as why_chart
from audit.view import View
from audit.words import why as why_words
from tests import making
from tests.audit.pages.test_dashboards import build_large
from tests.languages.brackets import (
    assert_all_in_brackets,
    texts_of_forms,
)
from tests.languages.messages import waiting_sentences

HTMX = {"HX-Request": "true"}
MARKED = re.compile(r'<(span|div|pre|blockquote|p)[^>]* lang="en"[^>]*>(.*?)</\1>', re.DOTALL)
REPORT_PAGES = ("side-by-side", "slices", "gallery", "judge", "papers")
JUDGE = "some-judge"
OF_ANSWERS = tuple(all_exhibits())
# What a chart calls by name in any language.
NAMES_IN_CHARTS = {"AUROC", "Kendall τ-b", JUDGE, "other-judge", "κ"}
# In English on every page: how something was computed, and what a paper printed.
ENGLISH = re.compile(
    r'<dl class="terms">.*?</dl>|<ul class="signature">.*?</ul>|<th scope="row" lang="en">.*?</th>'
    r'|<h2 id="[a-z0-9-]+">(?=<span lang="en">).*?</h2>|<summary>(?=<span lang="en">).*?</summary>'
    r'|<p class="muted small">(?=<span lang="en">).*?</p>',
    re.DOTALL,
)


@pytest.fixture(scope="module")
def audited_once(make_once):
    return make_once(build_audited).pk


def build_audited() -> Study:
    study = build_large()
    making.person(study, "bob")
    return study


@pytest.fixture
def audited(db, audited_once, pictures_of_the_file):
    return Study.objects.get(pk=audited_once)


@pytest.fixture
def as_owner(client, audited):
    client.force_login(User.objects.get(username="alice"))
    return client


def names_of(study: Study) -> list[str]:
    """What the study and its judges are called, what files are, and how something was computed."""
    report = study.reports.first()
    return [
        *texts_of_forms(study),
        *(generator.name for generator in study.generators.all()),
        *(person.name for person in study.memberships.all()),
        *(
            *("some-judge", "other-judge", "Some-judge", "late", "early", "aligned", "colors"),
            "object",
        ),
        *(
            *("CSV", "HTML", "PDF", "LaTeX", "SVG", "PNG", "mm", "UTC", "AUROC", "released"),
            *("labelled", "Holm"),
        ),
        *(name for paper in PAPERS for name in (paper.name, *paper.tables[0].columns)),
        *(head for paper in PAPERS for table in paper.tables for head in table.columns),
        *("study", "NAME", "shape", "circle", "attribute", str(report.pk if report else "-")),
    ]


def get(client, name, study, language, *args, part=False, **query):
    headers = {"Accept-Language": language, **(HTMX if part else {})}
    return client.get(reverse(name, args=[study.slug, *args]), query, headers=headers)


@pytest.mark.parametrize("part", [False, True], ids=["whole", "fragment"])
@pytest.mark.parametrize("name", REPORT_PAGES)
def test_a_page_of_a_report_is_finished(as_owner, audited, bracketed, name, part):
    page = get(as_owner, name, audited, "eo", part=part)
    assert_all_in_brackets(page, names_of(audited))
    # A head that the glossary does not explain has no meaning to show.
    assert 'title=""' not in page.text


@pytest.mark.parametrize("language", ["de", "zh-hans"])
@pytest.mark.parametrize("name", REPORT_PAGES)
def test_nothing_on_a_page_of_a_report_stays_english(as_owner, audited, name, language):
    assert left_in_english(get(as_owner, name, audited, language)) == []


def left_in_english(page) -> list[str]:
    assert page.status_code == 200, page.status_code
    found = MARKED.findall(ENGLISH.sub("", page.text))
    texts = [unescape(re.sub(r"<[^>]+>", "", text)).strip() for _, text in found]
    waiting = waiting_sentences()
    return [text for text in texts if not any(one.fullmatch(text) for one in waiting)]


# ---- Answers that a worker computes -----------------------------------------------------------------------


def address_of(name: str, study: Study) -> str:
    """Of a page, or of a question by its name."""
    exhibits = all_exhibits().get(name)
    page = exhibits.page if exhibits else name
    if page == "question":
        return reverse("question", args=[study.slug, name]) + f"?judge={JUDGE}"
    return reverse(page, args=[study.slug])


@pytest.fixture
def answered(as_owner, audited):
    """Every page has its answer."""
    for name in OF_ANSWERS:
        as_owner.get(address_of(name, audited))
    making.compute_waiting_answers()
    return audited


@pytest.mark.parametrize("part", [False, True], ids=["whole", "fragment"])
def test_pages_of_answers_are_finished(as_owner, answered, bracketed, part):
    for name in OF_ANSWERS:
        headers = {**bracketed, **(HTMX if part else {})}
        page = as_owner.get(address_of(name, answered), headers=headers)
        assert_all_in_brackets(page, names_of(answered))


@pytest.mark.parametrize("language", ["de", "zh-hans"])
def test_nothing_on_pages_of_answers_stays_english(as_owner, answered, language):
    found = {
        name: left_in_english(
            as_owner.get(address_of(name, answered), headers={"Accept-Language": language})
        )
        for name in OF_ANSWERS
    }
    assert {f"{name}: {text}" for name, left in found.items() for text in left} == set()


@pytest.mark.parametrize("language", ["de", "zh-hans"])
@pytest.mark.parametrize("name", [*REPORT_PAGES, "leaderboard", "why"])
def test_an_empty_page_says_so_in_the_language(as_alice, study, bracketed, name, language):
    page = get(as_alice, name, study, "eo")
    assert_all_in_brackets(page, names_of(study))
    assert left_in_english(get(as_alice, name, study, language)) == []


@pytest.mark.parametrize("language", ["de", "zh-hans"])
def test_the_list_of_questions_is_in_the_language(as_owner, audited, bracketed, language):
    assert_all_in_brackets(get(as_owner, "questions", audited, "eo"), names_of(audited))
    assert left_in_english(get(as_owner, "questions", audited, language)) == []


def test_all_evidence_of_an_image_is_finished(as_owner, audited, bracketed):
    for image in audited.images.all()[:3]:
        page = get(as_owner, "evidence", audited, "eo", image.public_id)
        facts = [
            image.key,
            "ann",
            "ben",
            "cat",
            "Some",
            "None",
            *map(str, page.context["facts"].values()),
        ]
        assert_all_in_brackets(page, [*names_of(audited), *facts])


# ---- Charts --------------------------------------------------------------------------------------------


def spec_of(client, study, name, language):
    """The specification that a page draws."""
    page = client.get(
        reverse("chart", args=[study.slug, name, "json"]), headers={"Accept-Language": language}
    )
    return json.loads(page.content)


def titles_in(spec) -> set[str]:
    """All that a chart says: titles of axes, legends, tooltips, and its own."""
    if isinstance(spec, list):
        return set().union(*map(titles_in, spec))
    if not isinstance(spec, dict):
        return set()
    title = spec.get("title")
    return titles_in(list(spec.values())) | ({title} if isinstance(title, str) else set())


@pytest.mark.parametrize("name", sorted(every_chart.CHARTS))
def test_a_chart_of_a_page_is_in_its_language(as_owner, audited, name):
    skip_blank(audited, name)
    english, chinese = (
        titles_in(spec_of(as_owner, audited, name, one)) for one in ("en", "zh-hans")
    )
    plain = {title for title in english if title not in NAMES_IN_CHARTS}
    assert plain and not plain & chinese


@pytest.mark.parametrize(
    "name",
    [
        "drift",
        *(
            pytest.param(name, marks=pytest.mark.nightly("the chart of drift"))
            for name in sorted(every_chart.CHARTS)
            if name != "drift"
        ),
    ],
)
def test_a_chart_is_downloaded_in_english(as_owner, audited, name):
    skip_blank(audited, name)
    file = reverse("chart", args=[audited.slug, name, "svg"])
    assert (
        as_owner.get(file, headers={"Accept-Language": "zh-hans"}).content
        == as_owner.get(file, headers={"Accept-Language": "en"}).content
    )


def skip_blank(study, name):
    if every_chart.blank(name, study.reports.first().body, View()):
        pytest.skip("nothing to draw")


def test_a_picture_on_a_page_has_axes_in_its_language(as_owner, audited):
    address = reverse("chart", args=[audited.slug, "drift", "picture"])
    said = {
        language: as_owner.get(address, headers={"Accept-Language": language}).text
        for language in ("en", "de", "zh-hans")
    }
    assert "people − judge, points" in said["en"]
    assert "Menschen − Judge, Punkte" in said["de"]
    assert "人工 − 评判模型（分）" in said["zh-hans"]


@pytest.mark.parametrize("language", ["en", "de", "zh-hans"])
def test_the_names_of_causes_break_into_lines_that_fit_a_phone(language):
    with translation.override(language):
        names = [why_words.name(part) for part in (*why_words.NAMES, "people_and_wording")]
    lines = [line for name in names for line in why_chart.break_name(name).split("\n")]
    # A Chinese letter is as wide as two, and has two bytes in GBK.
    assert [line for line in lines if len(line.encode("gbk")) > 17] == []
    assert "".join(lines).replace(" ", "") == "".join(names).replace(" ", "")


def test_a_chart_is_kept_apart_by_language(as_owner, audited):
    page = as_owner.get(reverse("chart", args=[audited.slug, "drift", "json"]))
    assert {"Accept-Language", "Cookie"} <= {one.strip() for one in page["Vary"].split(",")}


# ---- Numbers in sentences ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("Qwen VL follows people (AUROC 0.91, 0.88 to 0.94), and holds.",
         "Qwen VL folgt Menschen (AUROC 0.91, 0.88 bis 0.94) und bleibt stabil."),
        ("A has drifted: 5.2 points (3.1 to 7.3) stricter on generators since 2024-05 than on older ones.",
         "A ist gedriftet: 5.2 Punkte (3.1 bis 7.3) strenger bei Generatoren seit 2024-05 als bei älteren."),
        ("A: Drift needs two generators with a release date, labels and scores.",
         "A: Drift braucht zwei Generatoren mit Erscheinungsdatum, Labels und Scores."),
        ("“rate 1 to 5”: no generator has enough images with two answers.",
         "„rate 1 to 5“: Kein Generator hat genug Bilder mit zwei Antworten."),
        ("too few to judge: 5 images, at least 30 needed", "zu wenige zum Urteilen: 5 Bilder, mindestens 30 nötig"),
        ("a sentence that nobody knows", ""),
    ],
)  # fmt: skip
def test_a_stored_sentence_finds_its_numbers_and_names_again(english, german):
    with translation.override("de"):
        assert translate_stored(english) == german


# ---- Downloads -------------------------------------------------------------------------------------------

CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("leaderboard-file", ()),
        ("leaderboard-table", ()),
        ("table", ("slices",)),
        ("question-table", ("each-question",)),
        ("question-document", ("each-question", "html")),
        ("question-document", ("each-question", "latex")),
    ],
)
def test_what_is_downloaded_stays_english(as_owner, answered, name, args):
    page = get(as_owner, name, answered, "zh-hans", *args)
    assert page.status_code == 200
    file = page.content
    if args[-1:] == ("latex",):
        with zipfile.ZipFile(io.BytesIO(file)) as folder:
            file = next(folder.read(one) for one in folder.namelist() if one.endswith(".tex"))
    assert file and not CHINESE.search(file.decode())
