"""All images of a study: searched, filtered, sorted, chosen; and what is known of one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import (
    HtmxRequest,
    Place,
    owner_place_or_404,
    research_place_or_404,
)
from annotations.bounded_numbers import read_whole
from annotations.exports.pseudonyms import names_for
from annotations.forms.versions import form_of
from annotations.models import Image, Selection, Study
from annotations.stored_answers.question import images_n
from annotations.stored_answers.store import read_answer
from annotations.stored_answers.waiting import who_counts
from annotations.studies import selections
from audit.evidence import image_cards
from audit.images import browse, cards, comments
from audit.images.browse import PER_PAGE, Filters, NotThere
from audit.images.tally import TALLY
from audit.models import Report
from audit.next_labels.draw import draw_labels
from audit.pages.export import filters_or_404
from audit.pages.filters import select
from audit.words.report import title
from judges.models import Run, Score
from judges.names import runs_by_name

VIEWS = {"grid": gettext_lazy("grid"), "table": gettext_lazy("table")}
# A page beyond the last one is the last one.
LAST_PLACE = 10**9


@require_GET
def data(request: HtmxRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    page = _Page(request, place)
    template = "audit/data.html"
    if request.htmx:
        return render(request, f"{template}#list", page.list_context())
    return render(request, template, {**page.list_context(), **page.menus()})


@require_GET
def image(request: HtmxRequest, slug: str, public_id: str) -> HttpResponse:
    """All that is known of one image, with its neighbours in the list it was opened from."""
    place = research_place_or_404(request, slug)
    page = _Page(request, place)
    shown = (
        Image.objects.filter(study=place.study, public_id=public_id)
        .select_related("prompt", "generator")
        .first()
    )
    if shown is None:
        raise Http404
    return render(request, "audit/data_image.html", page.of_image(shown))


@require_POST
def choose(request: HtmxRequest, slug: str) -> HttpResponse:
    """Do something with the chosen images: those ticked, or all that fit the filter."""
    place = research_place_or_404(request, slug)
    study, do = place.study, request.POST.get("do", "")
    filters = filters_or_404(QueryDict(request.POST.get("query", "").lstrip("?")))
    if do in ("label", "known"):
        owner_place_or_404(request, slug)
    if "all" not in request.POST or do in ("label", "keep", "known"):
        chosen = _choose_selection(request, study, filters, do)
        filters = Filters(selection=str(chosen.pk), judge=filters.judge)
        if do == "label":
            selections.label_first(study=study, selection=chosen)
            messages.success(
                request,
                ngettext(
                    "%(number)s image will be labelled before all others.",
                    "%(number)s images will be labelled before all others.",
                    chosen.images,
                )
                % {"number": chosen.images},
            )
        if do == "known":
            return redirect("known-answer-walk", slug, chosen.pk)
    if do == "export":
        return redirect(reverse("export", args=[slug]) + filters.address())
    if do == "evidence":
        first = _ordered(study, filters).values_list("public_id", flat=True).first()
        if first is None:
            raise selections.SelectionRefused("No image fits this filter.")
        return redirect(reverse("data-image", args=[slug, first]) + filters.address(at="0"))
    return redirect(reverse("data", args=[slug]) + filters.address())


@require_POST
def label_as_usual(request: HtmxRequest, slug: str) -> HttpResponse:
    """The owner ends that some images are labelled first."""
    study = owner_place_or_404(request, slug).study
    selections.label_as_usual(study=study)
    messages.success(request, "Images are given out in the usual order again.")
    return redirect("data", slug=slug)


@require_POST
def draw(request: HtmxRequest, slug: str) -> HttpResponse:
    """The owner draws the images that people label next."""
    study = owner_place_or_404(request, slug).study
    count, seed = (_whole(request.POST.get(name, "")) for name in ("count", "seed"))
    made = draw_labels(
        study=study, count=count, seed=seed, by=request.POST.get("by", ""), user=request.user
    )
    messages.success(
        request,
        ngettext(
            "%(number)s image drawn. People get these, and all others wait.",
            "%(number)s images drawn. People get these, and all others wait.",
            made.count,
        )
        % {"number": made.count},
    )
    return redirect("data", slug=slug)


def _whole(text: str) -> int:
    value = read_whole(text, low=0, high=10**9)
    if value is None:
        raise selections.SelectionRefused("Write how many images, and the seed, as whole numbers.")
    return value


class _Page:
    def __init__(self, request: HtmxRequest, place: Place) -> None:
        self.request, self.place, self.study = request, place, place.study
        self.filters = filters_or_404(request.GET)
        self.judges = runs_by_name(self.study)
        if self.filters.judge and self.filters.judge not in self.judges:
            raise Http404
        self.judge = self.filters.judge or next(iter(self.judges), "")
        self.view = request.GET.get("view", "")
        self.view = self.view if self.view in VIEWS else "grid"

    @property
    def run(self) -> Run | None:
        return self.judges.get(self.judge)

    def address(self, name: str, *args: Any, **more: Any) -> str:
        view = {} if self.view == "grid" else {"view": self.view}
        return reverse(name, args=[self.study.slug, *args]) + self.filters.address(**view, **more)

    def list_context(self) -> dict[str, Any]:
        filters, study = self.filters, self.study
        behind = self._count_people()
        images = _ordered(study, filters, self.run)
        total = self._how_many(images)
        number, pages = _page_number(self.request.GET.get("page", "1"), total)
        begins = (number - 1) * PER_PAGE
        ids = list(images.values_list("pk", flat=True)[begins : begins + PER_PAGE])
        shown = cards.cards_of_images(ids, self.run, begins=begins)
        prompt = shown[0].image.prompt if filters.prompt and shown else None
        return {
            "study": study,
            "is_owner": self.place.owns,
            "view": self.view,
            "views": [
                {"name": words, "url": self._as_view(name), "here": name == self.view}
                for name, words in VIEWS.items()
            ],
            "total": total,
            "filters": filters,
            "query": filters.address(),
            "restricts": filters.restricts,
            "behind": behind,
            "judge_title": title(self.judge) if self.judge else "",
            "prompt": prompt,
            "all_prompts": reverse("data", args=[study.slug])
            + filters.without_filters("prompt").address(),
            "cards": [
                {
                    "card": card,
                    "url": self.address("data-image", card.image.public_id, at=str(card.at)),
                    "prompt_url": self._of_prompt(card.image.prompt.key),
                }
                for card in shown
            ],
            "number": number,
            "pages_of": pages,
            "from": begins + 1,
            "to": begins + len(shown),
            "earlier": self.address("data", page=number - 1) if number > 1 else "",
            "later": self.address("data", page=number + 1) if number < pages else "",
            "first_of_all": study.first_id and Selection.objects.filter(pk=study.first_id).first(),
            "left": selections.left_to_label(study),
            "sorts_out": filters.sort in ("score", "-score", "-split", "mean", "-mean"),
        }

    def menus(self) -> dict[str, Any]:
        filters, study = self.filters, self.study
        questions = form_of(study.form).questions
        names = [question.name for question in questions if question.kind == "choice"]
        generators = study.generators.values_list("name", flat=True)
        made = list(study.selections.all()[:100])
        menus = [
            select(
                "generator",
                gettext("generator"),
                _any((g, g) for g in generators),
                filters.generator,
            ),
            select(
                "tag", gettext("tag"), _any((t, t) for t in browse.all_tags(study)), filters.tag
            ),
            select("variant", gettext("prompts"), _any(browse.VARIANTS.items()), filters.variant),
            select("labels", gettext("labelled by"), _any(browse.LABELS.items()), filters.labels),
            select("answer", gettext("people say"), _any(_answers(questions)), filters.answer),
            select(
                "split",
                gettext("people differ about"),
                _any([(browse.ANY, gettext("something")), *((name, name) for name in names)]),
                filters.split,
            ),
            select("flag", gettext("flags"), _any(browse.FLAGS.items()), filters.flag),
            select(
                "comments", gettext("comments"), _any(browse.COMMENTS.items()), filters.comments
            ),
            select("known", gettext("gold questions"), _any(browse.KNOWN.items()), filters.known),
        ]
        if made:
            listed = [(str(one.pk), f"{one.name} ({one.images})") for one in made]
            menus.append(select("selection", gettext("selection"), _any(listed), filters.selection))
        judges = [(name, title(name)) for name in self.judges]
        return {
            "menus": [menu for menu in menus if len(menu["choices"]) > 1],
            "draw_count": _draw_count(self.request.GET.get("draw", "")),
            "judge_menu": select("judge", gettext("judge"), judges, self.judge) if judges else None,
            "sort_menu": select("sort", gettext("sort by"), self._sorts(), filters.sort),
            "used": sum(
                bool(getattr(filters, name))
                for name in (
                    "variant",
                    "labels",
                    "answer",
                    "split",
                    "flag",
                    "comments",
                    "known",
                    "selection",
                )
            ),
        }

    def of_image(self, shown: Image) -> dict[str, Any]:
        study = self.study
        at = self.request.GET.get("at", "")
        before, after, total = self._neighbours(shown, at)
        whole, parts = image_cards.votes([shown.pk])
        scores = list(
            Score.objects.filter(image=shown, run__study=study)
            .select_related("run__judge")
            .defer("evidence")
            .order_by("run__judge__name")
        )
        reported = _reported(study)
        name_of = names_for(study, owns=self.place.owns)
        names = {run.pk: name for name, run in self.judges.items()}
        return {
            "study": study,
            "is_owner": self.place.owns,
            "image": shown,
            "thing": gettext("Image %(key)s") % {"key": shown.key},
            "image_url": reverse("image", args=[shown.public_id]) if shown.file else "",
            "back": self.address("data", page=_page_of(at)),
            "prompt_url": self._of_prompt(shown.prompt.key),
            "known_url": reverse("known-answer-edit", args=[study.slug, shown.public_id])
            if self.place.owns
            else "",
            "before": before,
            "after": after,
            "at": int(at) + 1 if total else 0,
            "total": total,
            "votes": whole.get(shown.pk, {}),
            "atoms": [
                {"atom": atom, "people": parts.get((shown.pk, atom.pk))}
                for atom in shown.prompt.atoms.all()
            ],
            "raters": image_cards.raters(shown, name_of),
            "scores": [
                {
                    "score": score,
                    "title": title(names[score.run_id]),
                    "verdict": "" if score.correct is None else "yes" if score.correct else "no",
                    "evidence": reverse("evidence", args=[study.slug, shown.public_id])
                    + f"?{urlencode({'judge': names[score.run_id]})}"
                    if names[score.run_id] in reported
                    else "",
                }
                for score in scores
            ],
            "flags": shown.flags.select_related("annotator"),
            "decisions": shown.decisions.select_related("atom", "decided_by"),
            "history": _history(shown, name_of),
            "known": sorted((shown.gold or {}).items()),
            "selections": Selection.objects.filter(members__image=shown),
            **comments.comments_context(self.place, shown),
        }

    def _neighbours(self, shown: Image, at: str) -> tuple[str, str, int]:
        """The addresses of the images before and after this one, and how long the list is. An image
        that has dropped out of the list since has its successor where it stood itself."""
        if (place := read_whole(at, low=0, high=LAST_PLACE)) is None:
            return "", "", 0
        images = _ordered(self.study, self.filters, self.run)
        around = list(images.values_list("pk", "public_id")[max(place - 1, 0) : place + 2])
        here = next((n for n, (pk, _) in enumerate(around) if pk == shown.pk), None)
        first = max(place - 1, 0)
        if here is None:
            known = dict(enumerate(around, start=first))
            before, after = known.get(place - 1), known.get(place)
            steps = (place - 1, place)
        else:
            before = around[here - 1] if here else None
            after = around[here + 1] if here + 1 < len(around) else None
            steps = (first + here - 1, first + here + 1)
        urls = [
            self.address("data-image", one[1], at=str(step)) if one else ""
            for one, step in zip((before, after), steps, strict=True)
        ]
        return urls[0], urls[1], self._how_many(images)

    def _how_many(self, images: QuerySet[Image]) -> int:
        return images.count() if self.filters.restricts else images_n(self.study)

    def _count_people(self) -> str:
        """Who counts the new answers that are filtered by; empty where none are left to count."""
        if not self.filters.asks_people:
            return ""
        answer = read_answer(TALLY, self.study)
        return who_counts(answer) if answer.is_old else ""

    def _sorts(self) -> list[tuple[str, str | Promise]]:
        return [
            (name, words)
            for name, words in browse.SORTS.items()
            if "score" not in name or self.judges
        ]

    def _of_prompt(self, key: str) -> str:
        kept = {"judge": self.filters.judge} if self.filters.judge else {}
        return reverse("data", args=[self.study.slug]) + Filters(prompt=key, **kept).address()

    def _as_view(self, name: str) -> str:
        view = {} if name == "grid" else {"view": name}
        return reverse("data", args=[self.study.slug]) + self.filters.address(**view)


def _ordered(study: Study, filters: Filters, run: Run | None = None) -> QuerySet[Image]:
    try:
        return browse.images_of(study, filters, run)
    except NotThere as error:
        raise Http404 from error


def _choose_selection(request: HtmxRequest, study: Study, filters: Filters, do: str) -> Selection:
    if "all" in request.POST:
        pks = _ordered(study, filters).values_list("pk", flat=True).iterator(chunk_size=5000)
    else:
        pks = iter(selections.images_named(study, request.POST.getlist("image")[:10_000]))
    what = {"label": "labelled first", "known": "gold questions"}.get(do, "chosen")
    name = request.POST.get("name", "").strip() or f"{what}, {timezone.now():%Y-%m-%d %H:%M}"
    return selections.choose(study=study, images=pks, name=name, by=request.user)


def _draw_count(text: str) -> str:
    """How many images the page that plans labels says to draw."""
    return "" if read_whole(text, low=0, high=LAST_PLACE) is None else text


def _any(choices: Any) -> list[tuple[str, str]]:
    return [("", gettext("any")), *choices]


def _answers(questions: Any) -> list[tuple[str, str]]:
    """The choices of people's answers: a side for yes and no, a span for a rating."""
    listed = []
    for question in questions:
        values = [choice.value for choice in question.choices]
        numbers = sorted(value for value in values if not isinstance(value, str))
        if question.kind != "choice" or not numbers:
            continue
        if set(numbers) == {0, 1}:
            listed += [
                (f"{question.name}:{side}", f"{question.name}: {words}")
                for side, words in browse.SAYS.items()
            ]
            continue
        listed += [
            (
                f"{question.name}:{low:g}-{high:g}",
                gettext("%(question)s: %(low)s to %(high)s")
                % {"question": question.name, "low": f"{low:g}", "high": f"{high:g}"},
            )
            for low, high in zip(numbers, numbers[1:], strict=False)
        ]
    return listed


def _page_number(wanted: str, images: int) -> tuple[int, int]:
    pages = max(1, -(-images // PER_PAGE))
    return min(read_whole(wanted, low=1) or 1, pages), pages


def _page_of(at: str) -> int | None:
    place = read_whole(at, low=PER_PAGE)
    return None if place is None else place // PER_PAGE + 1


def _reported(study: Study) -> set[str]:
    """The judges of the newest report, which have an evidence page."""
    newest = Report.objects.filter(study=study).with_usual_options().defer("body").first()
    if newest is None:
        return set()
    return set(Report.objects.values_list("body__signature__judges", flat=True).get(pk=newest.pk))


def _history(shown: Image, name_of: Callable[[int], str]) -> list[dict[str, Any]]:
    """Who was given the image, answered, corrected or skipped it, the newest first."""
    rows = [
        {"at": one.submitted_at, "who": name_of(one.annotator_id), "did": _did(one)}
        for one in shown.annotations.all()
    ]
    rows += [
        {"at": one.created_at, "who": name_of(one.annotator_id), "did": one.get_state_display()}
        for one in shown.assignments.exclude(state="answered")
    ]
    return sorted(rows, key=lambda row: row["at"], reverse=True)


def _did(annotation: Any) -> str:
    if annotation.state != annotation.State.COUNTED:
        return annotation.get_state_display()
    if annotation.revision > 1:
        return gettext("corrected (version %(number)s)") % {"number": annotation.revision}
    return gettext("answered")
