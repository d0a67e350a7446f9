"""How many of a study's images a judge can score, before it sees any.

A method wants something of every prompt that it can judge; where it wants nothing, it says why. That
takes no engine, no picture and some microseconds a prompt, so a page says it of every judge.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any, Generic, TypeVar

from django.db.models import Count, Q, QuerySet, prefetch_related_objects
from django.utils.translation import gettext_noop

from annotations.database.leases import reason_of
from annotations.models import Atom as AtomRow
from annotations.models import Image, Prompt, Study
from judges.looks.gather import placed_of
from judges.models import Look
from jurybox_judging import catalogue, registry
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.methods.shared.shown import NoPicture
from jurybox_judging.protocols import RESULT, Atom, KnownAnswers, Method, Placed, Subject, Unscored
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.names import load

# A list of all judges looks at so many prompts, evenly drawn; a judge’s own page at so many. More would make
# the page of a large study dearer than that of a small one.
MOST_FOR_ALL, MOST_FOR_ONE = 100, 200
# Prompts that are read at a time to see whether a judge can score any.
AT_A_TIME = 500
PICTURE = "picture"
NO_PICTURE = Unscored(
    "The study knows these images by name only; there is no file to look at.", lacks=PICTURE
)
# The true size matters to no method before it has seen something.
_SIZE = (512, 512)


@dataclass(frozen=True, slots=True)
class PromptImages:
    """A prompt as methods see it; how many images it has, and how many of them have a file."""

    subject: Subject
    images: int
    with_file: int


@dataclass(frozen=True, slots=True)
class Mend:
    """A page (url name) where one can bring what prompts lack; `of_judge`: it is the judge's own."""

    title: str
    page: str
    of_judge: bool = False


T = TypeVar("T")
_DRAFT = Mend(gettext_noop("Draft questions"), "prompt-parts")
MENDS = {
    "include": _DRAFT,
    "questions": _DRAFT,
    "choices": Mend(gettext_noop("Give choices"), "prompt-parts"),
    "yes or no": Mend(gettext_noop("Change the questions"), "prompt-parts"),
    PICTURE: Mend(gettext_noop("Add the files"), "imports"),
    NoPicture.lacks: Mend(gettext_noop("Add source pictures"), "imports"),
    "category": Mend(gettext_noop("Choose the category"), "run-options", of_judge=True),
    "kind": Mend(gettext_noop("Choose the kind"), "run-options", of_judge=True),
}


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why some images cannot be scored: the reason that was met first, and what prompts lack."""

    reason: str
    lacks: str
    images: int

    @property
    def mend(self) -> Mend | None:
        return MENDS.get(self.lacks)


@dataclass(frozen=True, slots=True)
class Fit:
    """Of the images that were looked at: all, those that can be scored, and why not the others, the
    most frequent reason first."""

    images: int
    scorable: int
    obstacles: tuple[Obstacle, ...] = ()
    prompts: int = 0
    prompts_in_all: int = 0
    wants: int = 0  # questions that its engines get first, of all images together

    @property
    def requests(self) -> int:
        """Of the whole study: what some prompts want stands for all."""
        return round(self.wants * self.prompts_in_all / self.prompts) if self.prompts else 0

    @property
    def is_sampled(self) -> bool:
        return self.prompts < self.prompts_in_all

    @property
    def is_impossible(self) -> bool:
        return self.images > 0 and self.scorable == 0

    @property
    def percent(self) -> int:
        """Rounded, but 0 and 100 only where none or all can be scored."""
        if self.scorable in (0, self.images):
            return 100 if self.scorable else 0
        return min(max(round(100 * self.scorable / self.images), 1), 99)


class Counts:
    """What rules say of prompts, each asked once: a page of all judges asks each of them about a hundred
    prompts, which nobody has changed since it was last opened."""

    def __init__(self) -> None:
        self._by_rules: dict[tuple[Any, ...], Fit] = {}

    def fit(self, rules: Rules, count: Callable[[Rules], Fit]) -> Fit:
        if rules.key not in self._by_rules:
            self._by_rules[rules.key] = count(rules)
        return self._by_rules[rules.key]


@lru_cache(maxsize=32)
def _counts_of(content: bytes, in_all: int) -> Counts:
    """The same ones for prompts with the same content."""
    return Counts()


class StudyPrompts:
    """The prompts of a study, or some of them in even distances, each with its images; read once for
    all judges."""

    def __init__(self, study: Study, most: int) -> None:
        keys = list(study.prompts.order_by("pk").values_list("pk", flat=True))
        self.in_all = len(keys)
        chosen = Prompt.objects.filter(study=study)
        if len(keys) > most:
            chosen = chosen.filter(pk__in=[keys[n * len(keys) // most] for n in range(most)])
        self.rows = _read(chosen)
        self.counts = _counts_of(_digest(self.rows), self.in_all)

    def fit(self, name: str, options: Mapping[str, Any] | None = None) -> Fit:
        return self.fits({name: catalogue.entry(name)}, options)[name]

    def fits(
        self, entries: Mapping[str, Entry], options: Mapping[str, Any] | None = None
    ) -> dict[str, Fit]:
        """Judges with equal rules share the counting."""
        return {
            name: self.counts.fit(
                Rules(entry, options) if options else _usual_rules(entry), self._count
            )
            for name, entry in entries.items()
        }

    def _count(self, rules: Rules) -> Fit:
        images = scorable = wants = 0
        reasons: dict[str, Unscored] = {}
        stopped: Counter[str] = Counter()
        for row in self.rows:
            images += row.images
            why, wanted = rules.ask(row.subject)
            usable = row.images if not rules.needs_file else row.with_file
            for unscored, number in (
                ((why, row.images),) if why else ((NO_PICTURE, row.images - usable),)
            ):
                if number:
                    kind = unscored.lacks or unscored.reason
                    reasons.setdefault(kind, unscored)
                    stopped[kind] += number
            scorable += 0 if why else usable
            wants += 0 if why else usable * wanted
        obstacles = tuple(
            Obstacle(reasons[kind].reason, reasons[kind].lacks, number)
            for kind, number in stopped.most_common()
        )
        return Fit(images, scorable, obstacles, len(self.rows), self.in_all, wants)


class Rules:
    """What decides whether a judge can score a prompt: its method, what its detector can name, and
    which questions its engine reads."""

    def __init__(self, entry: Entry, options: Mapping[str, Any]) -> None:
        self.method: Method = registry.method_of(entry, options)
        engines = {kind: load(path) for kind, (path, _) in entry.parts.items()}
        classes = getattr(engines.get("objects"), "classes", ())
        self.classes = classes if isinstance(classes, tuple) else ()
        self.needs_file = any(getattr(one, "needs_pixels", True) for one in engines.values())
        readers = (getattr(engine, "why_unreadable", None) for engine in engines.values())
        self.readers = tuple(dict.fromkeys(reader for reader in readers if reader is not None))
        self.key = (repr(self.method), self.classes, self.needs_file, self.readers)

    def ask(self, subject: Subject) -> tuple[Unscored | None, int]:
        """Why the judge cannot score this prompt, if it cannot; and how much it wants to know first."""
        seen = KnownAnswers()
        seen.classes = self.classes
        try:
            wants = self.method.wants(subject, seen)
            if not wants:
                judged = self.method.judge(subject, seen)
                return (judged if isinstance(judged, Unscored) else None), 0
        except Exception as error:
            # As a run says it of the image.
            return Unscored(reason_of(error)), 0
        for want in wants:
            for reader in self.readers:
                if reason := reader(want):
                    return Unscored(reason, lacks="known words"), 0
        return None, len(wants)


@lru_cache(maxsize=1_024)
def _usual_rules(entry: Entry) -> Rules:
    return Rules(entry, {})


@dataclass(frozen=True, slots=True)
class UnableJudges(Generic[T]):
    """Judges that cannot score a study, each with the others of the same reasons; how many they are."""

    groups: list[list[T]]
    number: int


def group_by_obstacles(judges: Sequence[T], fit_of: Callable[[T], Fit]) -> UnableJudges[T]:
    groups: dict[tuple[Obstacle, ...], list[T]] = {}
    for judge in judges:
        groups.setdefault(fit_of(judge).obstacles, []).append(judge)
    return UnableJudges(list(groups.values()), len(judges))


def check_can_score(*, study: Study, name: str, options: Mapping[str, Any] | None = None) -> None:
    """Refuses a judge that can score none of the study's images."""
    rules = Rules(catalogue.entry(name), options or {})
    first: Unscored | None = None
    for row in _batches(study):
        if not row.images:
            continue
        why, _ = rules.ask(row.subject)
        if why is None and not (rules.needs_file and not row.with_file):
            return
        first = first or why or NO_PICTURE
    if first is None:
        return  # There are no images, which is refused in other words.
    if first.lacks == PICTURE and Look.objects.filter(image__study=study).exists():
        return  # Answers of engines outlive the pictures, and may be all that it wants.
    raise JudgeRefused(
        f"“{name}” can score none of this study's images. The first reason: {first.reason}"
    )


def _batches(study: Study) -> Iterator[PromptImages]:
    last = 0
    while True:
        prompts = Prompt.objects.filter(study=study, pk__gt=last).order_by("pk")
        keys = list(prompts.values_list("pk", flat=True)[:AT_A_TIME])
        if not keys:
            return
        yield from _read(Prompt.objects.filter(study=study, pk__gt=last, pk__lte=keys[-1]))
        last = keys[-1]


def _read(prompts: QuerySet[Prompt]) -> list[PromptImages]:
    """Three queries, whatever the number of prompts; a fourth where some have pictures."""
    keys = prompts.order_by().values("pk")
    counted = Image.objects.filter(prompt__in=keys).order_by().values_list("prompt")
    images = {
        prompt: (number, with_file)
        for prompt, number, with_file in counted.annotate(
            number=Count("pk"), with_file=Count("pk", filter=~Q(file=""))
        )
    }
    atoms = _atoms(keys)
    rows = list(prompts.order_by("pk").only("text", "metadata", "picture_count"))
    prefetch_related_objects([prompt for prompt in rows if prompt.picture_count], "pictures")
    return [
        PromptImages(
            Subject(
                prompt.text,
                tuple(atoms.get(prompt.pk, ())),
                prompt.metadata,
                _SIZE,
                (*placed_of(prompt), Placed(RESULT, "")),
            ),
            *images.get(prompt.pk, (0, 0)),
        )
        for prompt in rows
    ]


_of_row = attrgetter("subject.prompt", "subject.metadata", "images", "with_file")
_of_atom = attrgetter("index", "kind", "text", "question", "expected", "parents")
_of_picture = attrgetter("place", "sha256")


def _digest(rows: list[PromptImages]) -> bytes:
    """Of all that a judge's rules may read."""
    told = [
        (*_of_row(row), *map(_of_atom, row.subject.atoms), *map(_of_picture, row.subject.pictures))
        for row in rows
    ]
    return hashlib.sha256(repr(told).encode()).digest()


def _atoms(prompts: Any) -> dict[int, list[Atom]]:
    rows = (
        AtomRow.objects.filter(prompt__in=prompts)
        .order_by("prompt_id", "index")
        .values_list("prompt_id", "index", "kind", "text", "question", "expected", "parents")
    )
    found: dict[int, list[Atom]] = {}
    for prompt, index, kind, text, question, expected, parents in rows:
        atom = Atom(index, kind, text, question, expected, tuple(parents))
        found.setdefault(prompt, []).append(atom)
    return found
