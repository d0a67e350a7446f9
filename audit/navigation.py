"""The navigation of a study: its sections, the pages of each, and who may see them.

Every page has its one name here. Tabs, breadcrumbs, the page's heading and the window's title all
come from it. A page whose address does not exist is left out.

To add a page: a `Page` in its section, with its url name; or among those `below` the tab it belongs to, which
shows it beside the tabs while somebody is there. A page one level deeper (one person, one image) is named in
`deeper` of the page it belongs to; its view puts the name of what it shows into the context as `thing`, and
as `back` the address of the page above where that has filters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from django import template
from django.db import connection
from django.urls import NoReverseMatch, get_script_prefix, reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy

from annotations.access import Place
from annotations.models import Study
from annotations.models.people import Role
from judges.runs.queries import has_scores

register = template.Library()

ANNOTATOR, RESEARCHER, OWNER = Role.ANNOTATOR, Role.RESEARCHER, Role.OWNER
ROLES = (ANNOTATOR, RESEARCHER, OWNER)  # each sees what those before it see


@dataclass(frozen=True, slots=True)
class Page:
    name: str  # url name
    title: Promise
    role: Role = RESEARCHER  # the least role that sees it
    deeper: tuple[str, ...] = ()  # url names of the pages below this one
    same: tuple[str, ...] = ()  # url names under which this page is shown, too
    of_report: bool = False  # keeps showing the old report that the address names
    bare: bool = False  # needs the window for itself: no second row
    of_pairs: bool = False  # only where the study asks for pairs
    of_scores: bool = False  # only where a judge has scored the study
    below: tuple[Page, ...] = ()  # shown while this page or one of them is open

    def is_for(self, role: str) -> bool:
        return ROLES.index(Role(role)) >= ROLES.index(self.role)


@dataclass(frozen=True, slots=True)
class Section:
    title: Promise
    pages: tuple[Page, ...]


SECTIONS = (
    Section(
        gettext_lazy("Data"),
        (
            Page(
                "data",
                gettext_lazy("Images"),
                deeper=("data-image",),
                below=(
                    Page("pairs", gettext_lazy("Pairs"), same=("pairs-draw", "pairs-import")),
                    Page("export", gettext_lazy("Export")),
                ),
            ),
            Page(
                "prompts",
                gettext_lazy("Prompts"),
                deeper=("prompt-make", "prompt-write"),
                below=(Page("prompt-parts", gettext_lazy("Parts of the prompts")),),
            ),
            Page("generators", gettext_lazy("Generators"), same=("generator-import",)),
            Page("imports", gettext_lazy("Import")),
        ),
    ),
    Section(
        gettext_lazy("Label"),
        (
            Page(
                "label",
                gettext_lazy("Label"),
                ANNOTATOR,
                same=("label-answered", "practice"),
                bare=True,
            ),
            Page("compare", gettext_lazy("Compare"), ANNOTATOR, of_pairs=True),
            Page("label-answers", gettext_lazy("My answers"), ANNOTATOR),
            Page("compare-votes", gettext_lazy("My votes"), ANNOTATOR, of_pairs=True),
        ),
    ),
    Section(
        gettext_lazy("People"),
        (
            Page("people", gettext_lazy("Team")),
            Page(
                "agreement",
                gettext_lazy("Quality"),
                below=(
                    Page(
                        "known-answers",
                        gettext_lazy("Gold questions"),
                        deeper=("known-answer-choose", "known-answer-edit"),
                        same=("known-answer-import", "known-answer-walk"),
                    ),
                    Page(
                        "practice-round", gettext_lazy("Qualification"), same=("practice-change",)
                    ),
                ),
            ),
            Page(
                "disagreements",
                gettext_lazy("Inbox"),
                deeper=("disagreement",),
                below=(Page("flags", gettext_lazy("Flags")),),
            ),
        ),
    ),
    Section(
        gettext_lazy("Judges"),
        (
            Page(
                "runs",
                gettext_lazy("Judges"),
                deeper=("run-failures", "look", "run-card"),
                below=(
                    Page(
                        "run-judges",
                        gettext_lazy("Add a judge"),
                        deeper=("run-options", "weight-check", "self-check"),
                    ),
                    Page("model-servers", gettext_lazy("Model servers")),
                    Page("recipes", gettext_lazy("Recipes")),
                    Page("judge-dates", gettext_lazy("Release dates")),
                ),
            ),
        ),
    ),
    Section(
        gettext_lazy("Audit"),
        (
            Page(
                "summary",
                gettext_lazy("Summary"),
                deeper=("judge", "why", "side-by-side"),
                of_report=True,
            ),
            Page("gallery", gettext_lazy("Disagreements"), deeper=("evidence",), of_report=True),
            Page("slices", gettext_lazy("Slices"), of_report=True),
            Page("leaderboard", gettext_lazy("Leaderboard")),
            Page("plan", gettext_lazy("Plan labels"), deeper=("assisted",)),
            Page(
                "reports",
                gettext_lazy("Reports"),
                deeper=("report-changes", "papers", "questions", "question"),
                of_report=True,
            ),
        ),
    ),
    Section(
        gettext_lazy("Improve"),
        (
            Page(
                "jury",
                gettext_lazy("Jury"),
                of_scores=True,
                below=(Page("cascade", gettext_lazy("Cascade"), of_scores=True),),
            ),
            Page(
                "training",
                gettext_lazy("Training sets"),
                of_scores=True,
                below=(Page("repairs", gettext_lazy("Repairs"), of_scores=True),),
            ),
        ),
    ),
    Section(
        gettext_lazy("Settings"),
        (
            Page(
                "manage",
                gettext_lazy("Study"),
                same=("retention",),
                below=(
                    Page("form-edit", gettext_lazy("Questions"), OWNER),
                    Page("events", gettext_lazy("History"), OWNER),
                    Page("study-copy", gettext_lazy("Copy"), OWNER),
                    Page("study-delete", gettext_lazy("Delete"), OWNER),
                ),
            ),
        ),
    ),
)

START = "study"  # url name of the first page of a study
PAGES = {
    page.name: page for section in SECTIONS for tab in section.pages for page in (tab, *tab.below)
}
TABS = {
    page.name: tab for section in SECTIONS for tab in section.pages for page in (tab, *tab.below)
}
ANY_SLUG = "-any-study-"  # in the place of a study's own
BY_ADDRESS = {
    name: page for page in PAGES.values() for name in (page.name, *page.same, *page.deeper)
}


@dataclass(frozen=True, slots=True)
class Link:
    title: str
    url: str
    current: str = ""  # the value of aria-current


@dataclass(frozen=True)
class Navigation:
    """Where a person is in a study, and where they can go from there."""

    study: Study
    here: str  # url name
    role: str
    choice: str  # of a report: an old one, or one about another question or cut
    thing: str  # what a page one level deeper shows
    back: str  # the page above it as the person left it, where its view knows
    scored: bool = True  # whether a judge has scored the study

    @cached_property
    def page(self) -> Page | None:
        """The page that is shown, or the one that it belongs to."""
        return BY_ADDRESS.get(self.here)

    @cached_property
    def tab(self) -> Page | None:
        return TABS[self.page.name] if self.page else None

    @property
    def at_start(self) -> bool:
        return self.here == START

    @property
    def start(self) -> str:
        """The first page of the study for this person."""
        return reverse(START if self.role != ANNOTATOR else "label", args=[self.study.slug])

    @property
    def heading(self) -> str:
        return self.thing or (str(self.page.title) if self.page else self.study.title)

    @property
    def title(self) -> str:
        names = [self.thing, str(self.page.title) if self.page else "", self.study.title]
        return " · ".join(name for name in names if name)

    @cached_property
    def all(self) -> list[tuple[Section, list[Link]]]:
        """The sections that this person sees, with the pages of each."""
        return [(section, [self._link(*row) for row in rows]) for section, rows in self._rows]

    @cached_property
    def tabs(self) -> list[tuple[Section, list[Link]]]:
        return [
            (section, [self._link(*row) for row in rows if row[0] in section.pages])
            for section, rows in self._rows
        ]

    @cached_property
    def _rows(self) -> list[tuple[Section, list[tuple[Page, str, str]]]]:
        # The place was read together with the plan.
        has_pairs = bool(self.study._state.fields_cache.get("pair_plan"))
        return _sections_of(get_language(), get_script_prefix(), self.role, has_pairs, self.scored)

    @property
    def has_one_section(self) -> bool:
        """Whether this person sees one section only."""
        return len(self.tabs) == 1

    @cached_property
    def sections(self) -> list[Link]:
        """The first row. For people who see one section only, it has the pages of that."""
        if self.has_one_section:
            return self.tabs[0][1]
        return [
            Link(str(section.title), links[0].url, self._mark(section))
            for section, links in self.tabs
        ]

    @property
    def section(self) -> str:
        return next(
            (str(section.title) for section, _ in self.tabs if self.tab in section.pages), ""
        )

    @cached_property
    def pages(self) -> list[Link]:
        """The second row."""
        if self.has_one_section or self.page is None or self.page.bare:
            return []
        return next((links for section, links in self.tabs if self.tab in section.pages), [])

    @cached_property
    def below(self) -> list[Link]:
        """The pages below the open tab."""
        if self.tab is None or not self.pages:
            return []
        return [
            self._link(*row) for _, rows in self._rows for row in rows if row[0] in self.tab.below
        ]

    @cached_property
    def parent_links(self) -> list[Link]:
        """Of a page one level deeper: the study, the section and the page that it belongs to."""
        if self.page is None or self.here not in self.page.deeper:
            return []
        rows = [link for link in (*self.sections, *self.pages, *self.below) if link.current]
        if self.back:
            rows[-1] = Link(rows[-1].title, self.back)
        return [Link(self.study.title, self.start), *rows]

    def _link(self, page: Page, title: str, address: str) -> Link:
        url = address.replace(ANY_SLUG, self.study.slug)
        if page.of_report and self.choice:
            url = f"{url}?{self.choice}"
        is_here = "page" if self.here in (page.name, *page.same) else "true"
        return Link(title, url, is_here if page in (self.page, self.tab) else "")

    def _mark(self, section: Section) -> str:
        if self.tab not in section.pages:
            return ""
        return "page" if self.page and self.page.bare else "true"


@lru_cache(maxsize=256)
def _sections_of(
    language: str | None, prefix: str, role: str, has_pairs: bool, scored: bool
) -> list[tuple[Section, list[tuple[Page, str, str]]]]:
    """The pages of any study with their titles and addresses: looked up once, not forty on every view."""
    rows = [
        (
            section,
            [
                (page, str(page.title), address)
                for tab in section.pages
                for page in (tab, *tab.below)
                if page.is_for(role)
                and (has_pairs or not page.of_pairs)
                and (scored or not page.of_scores)
                and (address := _address(page))
            ],
        )
        for section in SECTIONS
    ]
    return [(section, pages) for section, pages in rows if pages]


def _address(page: Page) -> str:
    """Empty while there is no such page."""
    try:
        return reverse(page.name, args=[ANY_SLUG])
    except NoReverseMatch:
        return ""


@register.simple_tag(takes_context=True)
def study_navigation(context: template.Context) -> Navigation | None:
    """Of the study that the shown page belongs to. Asks one thing of the database, for researchers:
    whether a judge has scored the study."""
    request = context.get("request")
    place: Place | None = getattr(request, "place", None)
    if request is None or place is None:
        return None
    match = request.resolver_match
    # The page of a refusal may stand in a transaction that answers nothing more.
    may_ask = place.may_research and not connection.needs_rollback
    return Navigation(
        study=place.study,
        here=(match and match.url_name) or "",
        role=place.role,
        choice=context.get("choice") or "",
        thing=str(context.get("thing") or ""),
        back=context.get("back") or "",
        scored=may_ask and has_scores(place.study),
    )
