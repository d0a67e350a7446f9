"""One navigation for all pages of a study: every name once, and to each role what is theirs."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, reverse

from annotations.models import PairPlan
from audit import navigation
from audit.pages import moved
from audit.reports import make as reports
from judges.models import SelfCheck, WeightCheck
from tests import making

pytestmark = pytest.mark.django_db


def there(name: str) -> bool:
    """Whether the page has been made yet."""
    try:
        reverse(name, args=["shapes"])
    except NoReverseMatch:
        return False
    return True


NAMES = [name for name in navigation.PAGES if there(name)]


def links(text: str, label: str) -> list[str]:
    """The words of the links of a `nav`."""
    (nav,) = re.findall(rf'<nav[^>]*aria-label="{label}".*?</nav>', text, re.DOTALL)
    return [unescape(words) for words in re.findall(r"<a [^>]*>(.*?)</a>", nav)]


def heading(text: str) -> str:
    (found,) = re.findall(r"<h1[^>]*>(.*?)</h1>", text, re.DOTALL)
    return unescape(found).strip()


def window_title(text: str) -> str:
    (found,) = re.findall(r"<title>(.*?)</title>", text, re.DOTALL)
    return unescape(found)


def visit(client, name: str, *args, **query) -> str:
    response = client.get(reverse(name, args=["shapes", *args]), query)
    assert response.status_code == 200, name
    return response.content.decode()


@pytest.fixture
def judged(study):
    making.labels(study, {i.key: {"ann": 1, "ben": i.pk % 2} for i in study.images.order_by("pk")})
    making.scores(study, {"early-0": True, "late-0": False, "early-1": "the file is broken"})
    reports.make_report(study=study)
    PairPlan.objects.create(study=study)
    return study


def test_a_name_stands_once_and_so_does_an_address():
    titles = [page.title for page in navigation.PAGES.values()]
    assert len(set(titles)) == len(titles)
    addresses = [
        name for page in navigation.PAGES.values() for name in (page.name, *page.same, *page.deeper)
    ]
    assert len(set(addresses)) == len(addresses)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_headed_by_its_name_and_says_where_it_is(as_alice, judged, name):
    page = navigation.PAGES[name]
    text = visit(as_alice, name)
    assert links(text, "Study")[1:] == [
        *("Data", "Label", "People", "Judges", "Audit", "Improve", "Settings"),
    ]
    if page.bare:  # the page of the annotators words itself
        return
    assert heading(text) == page.title
    assert window_title(text) == f"{page.title} · Shapes · Jurybox"
    tab = navigation.TABS[name]
    (section,) = [one for one in navigation.SECTIONS if tab in one.pages]
    shown = [one.title for one in (*section.pages, *tab.below) if there(one.name)]
    assert links(text, section.title) == shown
    assert re.search(r'<a href="[^"]*" aria-current="true">' + section.title + "</a>", text)
    title = page.title.replace("’", "’")
    assert re.search(r'<a href="[^"]*" aria-current="page">' + title + "</a>", text)


def test_the_first_page_of_a_study_is_headed_by_its_title_and_has_no_second_row(as_alice, study):
    text = visit(as_alice, "study")
    assert heading(text) == "Shapes"
    assert window_title(text) == "Shapes · Jurybox"
    assert 'class="pages"' not in text
    assert 'class="title" href="/studies/shapes/" aria-current="page"' in text


def deeper_pages(study) -> dict[str, tuple]:
    """Every page one level deeper that a visit can open, with what its address names."""
    image = study.images.order_by("pk")[0]
    run = study.runs.get()
    check = WeightCheck.objects.create(study=study, judge="geneval-builtin")
    asked = SelfCheck.objects.create(study=study, judge="geneval-builtin", count=1)
    return {
        "disagreement": (image.public_id,),
        "prompt-make": (),
        "prompt-write": (),
        "known-answer-choose": (),
        "known-answer-edit": (image.public_id,),
        "run-failures": (run.pk,),
        "run-card": (run.pk,),
        "look": (image.public_id,),
        "run-options": ("geneval-builtin",),
        "weight-check": (check.pk,),
        "self-check": (asked.pk,),
        "evidence": (image.public_id,),
        "data-image": (image.public_id,),
        "judge": (),
        "side-by-side": (),
        "why": (),
        "assisted": (),
        "papers": (),
        "questions": (),
        "question": ("label-time",),
    }


def test_a_page_one_level_deeper_has_its_way_back(as_alice, judged):
    where = deeper_pages(judged)
    report = judged.reports.get().pk
    texts = {name: visit(as_alice, name, *args) for name, args in where.items()}
    texts["report-changes"] = visit(as_alice, "report-changes", a=report, b=report)
    assert set(texts) == {name for page in navigation.PAGES.values() for name in page.deeper}
    for name, text in texts.items():
        page = navigation.BY_ADDRESS[name]
        tab = navigation.TABS[page.name]
        (section,) = [one for one in navigation.SECTIONS if tab in one.pages]
        above = [tab.title] if tab is page else [tab.title, page.title]
        assert links(text, "Breadcrumb") == ["Shapes", section.title, *above]
        assert heading(text) != page.title
        assert window_title(text).endswith(f" · {page.title} · Shapes · Jurybox")
        thing = re.findall(r'<li aria-current="page">(.*?)</li>', text)
        assert [unescape(words) for words in thing] == [heading(text)]


def test_two_pages_of_a_study_never_share_a_heading_or_a_title(as_alice, judged):
    texts = [visit(as_alice, name) for name in [*NAMES, "study"]]
    texts += [
        visit(as_alice, name, *args)
        for name, args in deeper_pages(judged).items()
        if name not in {"look", "evidence", "known-answer-edit"}  # the same picture, other sides
    ]
    for words in (heading, window_title):
        shown = [words(text) for text in texts]
        assert len(set(shown)) == len(shown), sorted(shown)


def test_annotators_see_only_what_is_theirs(as_bob, study):
    text = visit(as_bob, "label-answers")
    assert links(text, "Study") == ["Shapes", "Label", "My answers"]
    assert 'class="pages"' not in text
    assert links(visit(as_bob, "label"), "Study") == ["Shapes", "Label", "My answers"]


def test_researchers_see_no_page_that_is_the_owners(client, study):
    client.force_login(making.person(study, "rita", role="researcher").user)
    assert "Delete" not in links(visit(client, "manage"), "Settings")
    assert "History" not in links(visit(client, "manage"), "Settings")


def test_every_page_that_is_shown_may_be_opened(study):
    for role in ("annotator", "researcher", "owner"):
        client = Client()
        client.force_login(making.person(study, role, role=role).user)
        for name in NAMES:
            status = client.get(reverse(name, args=["shapes"])).status_code
            assert (status == 200) == navigation.PAGES[name].is_for(role), (role, name)


def test_pages_of_the_audit_keep_an_old_report(as_alice, judged):
    old = judged.reports.get().pk
    making.labels(judged, {"early-0": {"cleo": 1}})
    reports.make_report(study=judged)
    text = visit(as_alice, "slices", report=old)
    assert f'href="/studies/shapes/audit/?report={old}"' in text
    assert f'href="/studies/shapes/people/?report={old}"' not in text
    assert "?report=" not in visit(as_alice, "slices").partition("<main")[0]


def test_a_page_that_does_not_exist_yet_is_left_out(as_alice, study, monkeypatch):
    coming = navigation.Section("Data", (navigation.Page("not-there", "Nowhere"),))
    monkeypatch.setattr(navigation, "SECTIONS", (coming, *navigation.SECTIONS[1:]))
    # Made once for all studies.
    monkeypatch.setattr(navigation, "_sections_of", navigation._sections_of.__wrapped__)
    text = visit(as_alice, "study")
    assert links(text, "Study")[1:] == ["Label", "People", "Judges", "Audit", "Settings"]


def test_what_improves_generators_is_offered_once_a_judge_has_scored(as_alice, study):
    assert "Improve" not in links(visit(as_alice, "study"), "Study")
    making.scores(study, {"early-0": "the file is broken"})
    assert "Improve" not in links(visit(as_alice, "study"), "Study")
    making.scores(study, {"late-0": True}, name="other-judge")
    assert "Improve" in links(visit(as_alice, "study"), "Study")


def test_seventeen_tabs_lead_to_all_pages_beside_the_label_page():
    tabs = [
        page
        for section in navigation.SECTIONS
        if section.title != "Label"
        for page in section.pages
    ]
    assert len(tabs) == 17
    assert len({str(tab.title).rstrip("s") for tab in tabs}) == 17


def test_pages_under_a_tab_are_shown_while_one_of_them_is_open(as_alice, study):
    assert "Gold questions" not in links(visit(as_alice, "people"), "People")
    for name in ("agreement", "known-answers", "practice-round"):
        shown = links(visit(as_alice, name), "People")
        assert shown == ["Team", "Quality", "Inbox", "Gold questions", "Qualification"]


def test_the_audit_has_six_tabs_and_begins_with_the_summary(as_alice, judged):
    text = visit(as_alice, "judge")
    tabs = ["Summary", "Disagreements", "Slices", "Leaderboard", "Plan labels", "Reports"]
    assert links(text, "Audit") == tabs
    assert '<a href="/studies/shapes/audit/" aria-current="true">Audit</a>' in text


@pytest.mark.parametrize("address", moved.MOVED)
def test_an_old_address_leads_to_the_page_that_took_it_in(as_alice, judged, address):
    to, part = moved.MOVED[address]
    response = as_alice.get(f"/studies/shapes/{address}/?judge=some-judge&report=1")
    assert response.status_code == 301
    assert response.url == f"{reverse(to, args=['shapes'])}?judge=some-judge&report=1{part}"
    page = as_alice.get(response.url.partition("?")[0]).content.decode()
    assert not part or f'id="{part[1:]}"' in page


def test_the_navigation_asks_nothing_of_the_database(as_alice, alice, study):
    from annotations.access import Place

    shown = navigation.Navigation(
        study=study, here="summary", role="owner", choice="", thing="", back=""
    )
    assert Place(study, alice.user, alice).may_research
    with CaptureQueriesContext(connection) as asked:
        assert len(shown.sections) == 7
        assert shown.pages
    assert len(asked) == 0


def test_an_error_inside_a_study_keeps_the_way_round(as_alice, study):
    response = as_alice.get(reverse("disagreement", args=["shapes", "nothing-here"]))
    assert response.status_code == 404
    text = response.content.decode()
    assert "People" in links(text, "Study")
    assert "Breadcrumb" not in text


def test_strangers_learn_no_name_of_a_study(client, study):
    client.force_login(making.person(making.study("elsewhere"), "eve", role="owner").user)
    response = client.get(reverse("people", args=["shapes"]))
    assert response.status_code == 404
    assert "Shapes" not in response.content.decode()
