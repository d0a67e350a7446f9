"""The images of a study that fit some filters: the query behind the data page, its command and the
exports that are restricted to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.utils.translation import gettext_lazy

from annotations.bounded_numbers import read_number, read_whole
from annotations.models import Assignment, Generator, Image, Prompt, Selection, Study
from annotations.stored_answers.question import Question
from annotations.stored_answers.store import read_figures
from annotations.studies.flags import flags_of
from audit.models import Comment, Tally
from judges.models import Run
from judges.names import runs_by_name

PER_PAGE = 60
LONGEST, MOST_WORDS = 300, 12
MOST_TAGS = 300

VARIANTS = dict(Image.Variant.choices)
FLAGS = {"open": gettext_lazy("open"), "any": gettext_lazy("open or resolved")}
COMMENTS = {"any": gettext_lazy("with comments")}
LABELS = {
    "none": gettext_lazy("nobody"),
    "some": gettext_lazy("fewer people than wanted"),
    "enough": gettext_lazy("as many as wanted"),
    "can't tell": gettext_lazy("somebody cannot tell"),
}
KNOWN = {"yes": gettext_lazy("gold questions"), "no": gettext_lazy("no gold questions")}
SORTS = {
    "": gettext_lazy("image id"),
    "score": gettext_lazy("judge’s score, lowest first"),
    "-score": gettext_lazy("judge’s score, highest first"),
    "-split": gettext_lazy("people differ most"),
    "mean": gettext_lazy("people’s answer, lowest first"),
    "-mean": gettext_lazy("people’s answer, highest first"),
}
# What most people answered, for questions of yes and no.
SAYS = {
    "yes": gettext_lazy("most say yes"),
    "no": gettext_lazy("most say no"),
    "draw": gettext_lazy("as many yes as no"),
}
ANY = "any"


class NotThere(LookupError):
    """A filter names something that the study does not have."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What the address says. Empty means everything."""

    q: str = ""
    prompt: str = ""  # the prompt's key
    tag: str = ""
    generator: str = ""
    variant: str = ""
    flag: str = ""
    comments: str = ""
    labels: str = ""
    answer: str = ""  # QUESTION:yes|no|draw, or QUESTION:LOW-HIGH for a mean
    split: str = ""  # the question about which people differ, or "any"
    judge: str = ""
    least: str = ""
    most: str = ""
    known: str = ""
    selection: str = ""
    sort: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> Filters:
        """Unknown words are left out, so that an old link still opens."""
        given = {part.name: _clean(query.get(part.name) or "") for part in fields(cls)}
        for name, known in (
            ("variant", VARIANTS),
            ("flag", FLAGS),
            ("comments", COMMENTS),
            ("labels", LABELS),
            ("known", KNOWN),
            ("sort", SORTS),
        ):
            if given[name] not in known:
                given[name] = ""
        for name in ("least", "most"):
            if read_number(given[name]) is None:
                given[name] = ""
        if not given["judge"]:
            given["least"] = given["most"] = ""
            given["sort"] = given["sort"] if "score" not in given["sort"] else ""
        if _answer_of(given["answer"]) is None:
            given["answer"] = ""
        if given["selection"] and read_whole(given["selection"], low=0) is None:
            raise NotThere("selection")
        return cls(**given)

    @property
    def phrases(self) -> list[str]:
        return self.q.split()[:MOST_WORDS]

    @property
    def asks_people(self) -> bool:
        """Whether it rests on what was counted of people's answers."""
        return bool(self.answer or self.split or self.labels == "can't tell") or self.sort in (
            "-split",
            "mean",
            "-mean",
        )

    @property
    def restricts(self) -> bool:
        return any(
            getattr(self, part.name) for part in fields(self) if part.name not in ("sort", "judge")
        )

    def address(self, **more: Any) -> str:
        """As the query of an address; empty values are left out."""
        given = {part.name: getattr(self, part.name) for part in fields(self)} | more
        given = {name: value for name, value in given.items() if value not in ("", None)}
        return f"?{urlencode(given)}" if given else ""

    def without_filters(self, *names: str) -> Filters:
        return replace(self, **dict.fromkeys(names, ""))


def images_of(study: Study, filters: Filters, run: Run | None = None) -> QuerySet[Image]:
    """In the chosen order. `run` is that of the judge, where the caller has it already."""
    images = Image.objects.filter(study=study)
    if filters.phrases:
        prompts = Prompt.objects.filter(study=study).order_by()
        for word in filters.phrases:
            prompts = prompts.filter(text_holds(word))
        images = images.filter(prompt__in=prompts.values("pk"))
    if filters.prompt:
        images = images.filter(prompt=_one(Prompt, study, key=filters.prompt))
    if filters.tag:
        images = images.filter(prompt__in=_with_tag(study, filters.tag))
    if filters.generator:
        images = images.filter(generator=_one(Generator, study, name=filters.generator))
    if filters.variant:
        images = images.filter(variant=filters.variant)
    if filters.flag:
        flags = flags_of(study).order_by()
        if filters.flag == "open":
            flags = flags.filter(settled_at=None)
        images = images.filter(pk__in=flags.values("image"))
    if filters.comments:
        commented = Comment.objects.filter(study=study).order_by().values("image")
        images = images.filter(pk__in=commented)
    if filters.known:
        images = images.filter(gold__isnull=filters.known == "no")
    if filters.selection:
        chosen = _one(Selection, study, pk=int(filters.selection))
        images = images.filter(selected__selection=chosen)
    if filters.labels:
        images = _labelled(images, study, filters.labels)
    if filters.answer:
        images = _with_answer(images, study, filters.answer)
    if filters.split:
        differ = Tally.objects.filter(study=study, split__gt=0).order_by()
        if filters.split != ANY:
            differ = differ.filter(question=filters.split)
        images = images.filter(pk__in=differ.values("image"))
    return _sorted(_scored(images, study, filters, run), study, filters)


def ids_of(study: Study, filters: Filters) -> list[int]:
    """Every image that fits, in the order of the keys, as exports go through them."""
    return list(images_of(study, filters).order_by("key").values_list("pk", flat=True))


def all_tags(study: Study) -> list[str]:
    return (read_figures(TAGS, study).body or {})["tags"]


def _tags(study: Study) -> dict[str, Any]:
    table = Prompt._meta.db_table
    each = (
        f"SELECT DISTINCT jsonb_array_elements_text(tags) AS tag FROM {table}"  # noqa: S608
        " WHERE study_id = %s AND jsonb_typeof(tags) = 'array'"
        if connection.vendor == "postgresql"
        else f"SELECT DISTINCT tag.value AS tag FROM {table}, json_each({table}.tags) AS tag"  # noqa: S608
        " WHERE study_id = %s AND json_type(tags) = 'array'"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"{each} ORDER BY tag LIMIT %s", [study.pk, MOST_TAGS])
        return {"tags": [str(tag) for (tag,) in cursor.fetchall()]}


TAGS = Question(name="tags", compute=lambda study, _: _tags(study), keeps_up=True)


def _clean(value: Any) -> str:
    """Without what a database refuses or nobody can see."""
    text = "".join(sign for sign in str(value) if sign.isprintable() or sign.isspace())
    return text.encode("utf-8", "ignore").decode()[:LONGEST].strip()


def _one(model: Any, study: Study, **named: Any) -> Any:
    row = model.objects.filter(study=study, **named).first()
    if row is None:
        raise NotThere(model.__name__)
    return row


def text_holds(word: str) -> Q:
    found = Q(text__icontains=word)
    if not word.isascii():
        # SQLite knows upper and lower case of A to Z only.
        for form in {word.lower(), word.upper(), word.capitalize()}:
            found |= Q(text__contains=form)
    return found


def _with_tag(study: Study, tag: str) -> Any:
    if connection.vendor == "postgresql":
        return Prompt.objects.filter(study=study, tags__contains=[tag]).order_by().values("pk")
    table = Prompt._meta.db_table
    words = (
        f"SELECT {table}.id FROM {table}, json_each({table}.tags) AS tag"  # noqa: S608
        f" WHERE {table}.study_id = %s AND tag.value = %s"
    )
    return RawSQL(words, [study.pk, tag])  # noqa: S611


def _labelled(images: QuerySet[Image], study: Study, wanted: str) -> QuerySet[Image]:
    """`Image.taken` counts answers and leases. Only few images are leased; theirs are taken off."""
    if wanted == "can't tell":
        unsure = Tally.objects.filter(study=study, cannot_tell__gt=0).order_by()
        return images.filter(pk__in=unsure.values("image"))
    leases = Assignment.objects.filter(study=study, state=Assignment.State.LEASED).order_by()
    held: dict[int, int] = {}
    for pk in leases.values_list("image", flat=True):
        held[pk] = held.get(pk, 0) + 1
    low, high = {
        "none": (0, 0),
        "some": (1, study.overlap - 1),
        "enough": (study.overlap, None),
    }[wanted]
    fits = _age_range(low, high, 0) & ~Q(pk__in=held)
    for extra in sorted(set(held.values())):
        there = [pk for pk, n in held.items() if n == extra]
        fits |= _age_range(low, high, extra) & Q(pk__in=there)
    return images.filter(fits)


def _age_range(low: int, high: int | None, extra: int) -> Q:
    fits = Q(taken__gte=low + extra)
    return fits if high is None else fits & Q(taken__lte=high + extra)


def _answer_of(answer: str) -> tuple[str, dict[str, float]] | None:
    """The question, and what its mean must be."""
    if not answer:
        return None
    question, _, says = answer.rpartition(":")
    if says in SAYS:
        means = {"yes": {"mean__gt": 0.5}, "no": {"mean__lt": 0.5}, "draw": {"mean": 0.5}}
        return (question, means[says]) if question else None
    low, dash, high = says.partition("-")
    least, most = read_number(low), read_number(high)
    if not question or not dash or least is None or most is None:
        return None
    return question, {"mean__gte": least, "mean__lte": most}


def _with_answer(images: QuerySet[Image], study: Study, answer: str) -> QuerySet[Image]:
    asked = _answer_of(answer)
    assert asked is not None
    question, mean = asked
    said = Tally.objects.filter(study=study, question=question, **mean).order_by()
    return images.filter(pk__in=said.values("image"))


def _scored(
    images: QuerySet[Image], study: Study, filters: Filters, run: Run | None
) -> QuerySet[Image]:
    by_score = filters.sort in ("score", "-score")
    if not filters.judge or not (filters.least or filters.most or by_score):
        if filters.judge and run is None and filters.judge not in runs_by_name(study):
            raise NotThere("judge")
        return images
    run = run or runs_by_name(study).get(filters.judge)
    if run is None:
        raise NotThere("judge")
    given: dict[str, Any] = {"scores__run": run, "scores__value__isnull": False}
    least, most = read_number(filters.least), read_number(filters.most)
    if least is not None:
        given["scores__value__gte"] = least
    if most is not None:
        given["scores__value__lte"] = most
    return images.filter(**given)


def _sorted(images: QuerySet[Image], study: Study, filters: Filters) -> QuerySet[Image]:
    down = filters.sort.startswith("-")
    name = filters.sort.removeprefix("-")
    if name == "score":
        value = F("scores__value")
        return images.order_by(value.desc() if down else value.asc(), "scores__image_id")
    if name in ("split", "mean"):
        images = images.filter(
            tallies__study=study,
            tallies__question=sorting_question(study, filters),
            **{f"tallies__{name}__isnull": False},
        )
        value = F(f"tallies__{name}")
        return images.order_by(value.desc() if down else value.asc(), "tallies__image_id")
    if filters.prompt:
        dated = F("generator__release_date").asc(nulls_last=True)
        return images.order_by(dated, "generator__name", "variant", "sample", "pk")
    return images.order_by("key")


def sorting_question(study: Study, filters: Filters) -> str:
    """The question whose answers are sorted by: the one filtered by, else the study's first."""
    if filters.split not in ("", ANY):
        return filters.split
    if filters.answer:
        return filters.answer.rpartition(":")[0]
    first = Tally.objects.filter(study=study).order_by("question").values_list("question")
    asked = [name for (name,) in first.distinct()]
    from annotations.forms.versions import form_of

    named = [q.name for q in form_of(study.form).questions if q.name in asked]
    return (named or asked or [""])[0]
