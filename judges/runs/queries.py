"""What the pages about runs and judges show; reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from functools import cache
from typing import Any

from django.db.models import Count, F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from annotations.database.prepared import Prepared
from annotations.models import Study
from judges import installed
from judges.models import Run, Score
from judges.names import APART, runs_by_name
from judges.runs import lifecycle
from judges.runs.fit import MOST_FOR_ALL, MOST_FOR_ONE, Fit, Mend, StudyPrompts
from judges.runs.local_weights import is_provisional
from judges.runs.readiness import ABSENT, DOWNLOAD, NEEDS, READY, Readiness, readiness
from jurybox_judging import catalogue, registry
from jurybox_judging.options import Option
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.measured_speed import measured_speed

SPEED_WINDOW = timedelta(seconds=30)
# The engines of a judge, as headings of its options.
PART_TITLES = {
    "objects": gettext_noop("Object detector"),
    "colors": gettext_noop("Color classifier"),
    "depth": gettext_noop("Depth model"),
    "writing": gettext_noop("Text reader"),
    "similarity": gettext_noop("Similarity model"),
    "reward": gettext_noop("Reward model"),
    "answers": gettext_noop("Question answering model"),
    "talk": gettext_noop("Chat model"),
    "": gettext_noop("Rules"),
}


# Every page of a study asks it.
SCORED = Prepared(
    lambda mark: (
        Run.objects.order_by()
        .filter(study=mark("study"), scored__gt=F("failed"))
        .values_list("pk")[:1]
    )
)

# A judge that sees the picture before an edit, too.
EDITS = "edits"


def has_scores(study: Study) -> bool:
    """Whether some judge has scored an image of the study."""
    return SCORED.first(study=study.pk) is not None


@dataclass(frozen=True, slots=True)
class RunRow:
    run: Run
    title: str
    done: int
    failed: int
    assumed: int  # answers that were not given and count 0
    expected: int
    per_second: float | None
    seconds_left: int | None

    @property
    def in_words(self) -> str:
        failed = f"; {self.failed} could not be scored" if self.failed else ""
        return f"{self.done} of {self.expected} images, {self.state}{failed}"

    @property
    def state(self) -> str:
        if self.run.is_running and is_provisional(self.run.judge):
            return gettext_noop("its weights are being read")
        return self.run.get_state_display()

    @property
    def fingerprint(self) -> str:
        """Empty until its weights have been read."""
        return "" if is_provisional(self.run.judge) else self.run.judge.fingerprint

    @property
    def reason(self) -> str:
        return self.run.reason

    @property
    def percent(self) -> int:
        return 100 * self.done // self.expected if self.expected else 0

    @property
    def can_cancel(self) -> bool:
        return self.run.is_running

    @property
    def can_resume(self) -> bool:
        """Some images have no score: the run stopped, they failed, or they were added since."""
        if self.run.judge.why_no_look:
            return False
        return not self.run.is_running and (self.done < self.expected or self.failed > 0)


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """A judge as it is offered to a study: what it needs, and which images it can score."""

    name: str
    title: str
    about: str
    why_not: str
    started: bool
    complete: bool
    is_builtin: bool
    reads_edits: bool
    words: str  # what a search looks in
    released: date | None
    readiness: Readiness
    fit: Fit

    @property
    def is_offered(self) -> bool:
        """The built-in judges know the shapes of the demo alone; nobody else looks for them."""
        return self.started or not (self.is_builtin and self.fit.is_impossible)

    @property
    def can_start(self) -> bool:
        return self.started or not self.fit.is_impossible

    @property
    def is_at_hand(self) -> bool:
        """Whether one click starts it: nothing has to be named first, and some image has no score."""
        if self.complete or any(need.kind != DOWNLOAD for need in self.readiness.needs):
            return False
        return self.started or (self.readiness.is_ready and not self.fit.is_impossible)

    @property
    def kinds(self) -> set[str]:
        """What a list of judges is filtered by."""
        kinds = {need.kind for need in self.readiness.needs}
        if self.readiness.is_ready:
            kinds.add(READY)
        return kinds | ({EDITS} if self.reads_edits else set())

    @property
    def group(self) -> str:
        return (
            gettext_noop("Ready")
            if self.readiness.is_ready
            else gettext_noop("Needs something first")
        )

    @property
    def order(self) -> tuple[int, int, int]:
        """Judges that fit come first, and among them those that are ready."""
        states = (READY, NEEDS, ABSENT)
        return (not self.can_start, states.index(self.readiness.state), -self.fit.percent)


@dataclass(frozen=True, slots=True)
class OptionField:
    """An option as a field of the form: a list to choose from, a number or a text."""

    name: str
    told: Option
    required: bool

    @property
    def label(self) -> str:
        return self.name.rpartition(".")[2].replace("_", " ")

    @property
    def default(self) -> str:
        return self.told.shown_default

    @property
    def choices(self) -> tuple[str, ...]:
        """An empty choice is the empty field's."""
        if self.told.kind == "flag":
            return ("true", "false")
        return tuple(choice for choice in self.told.choices if choice)

    @property
    def is_number(self) -> bool:
        return self.told.kind in ("whole", "number")

    @property
    def step(self) -> str:
        return "1" if self.told.kind == "whole" else "any"


@dataclass(frozen=True, slots=True)
class JudgeInfo:
    """A judge of the catalogue: whether it can run here, its weights and its options.

    The field names are the keys of `judges --json`.
    """

    name: str
    title: str
    released: date | None
    why_not: str
    state: str  # "ready", "needs" or "cannot run here"
    needs: str  # what it needs first, in sentences
    download_gb: float | None  # what is fetched first, and the memory that all its weights want
    memory_gb: float | None
    weights: str
    options: dict[str, Any]
    declared: list[dict[str, Any]]
    kind: str  # the heading under which the command lists it
    measured: list[
        dict[str, Any]
    ]  # device, seconds an image, date; none where nobody has measured them

    @property
    def reads_weights(self) -> bool:
        return any(option.endswith(".precision") for option in self.options)

    @property
    def sentence(self) -> str:
        told = f"{gettext(self.state.capitalize())}." if self.state != NEEDS else ""
        weights = (
            gettext("Weights: %(weights)s.") % {"weights": self.weights} if self.weights else ""
        )
        speed = "; ".join(
            gettext("%(seconds)s s on %(device)s")
            % {"seconds": f"{one['seconds']:g}", "device": one["device"]}
            for one in self.measured
        )
        speed = gettext("An image took %(times)s.") % {"times": speed} if speed else ""
        return " ".join(part for part in (told, self.needs, weights, speed) if part)

    @property
    def groups(self) -> dict[str, list[OptionField]]:
        """Fields of the form by heading: one for each engine, one for the method's rules."""
        grouped: dict[str, list[OptionField]] = {}
        for name, told in registry.declared_options(self.name).items():
            part, _, own = name.rpartition(".")
            required = own == "checkpoint" and told.default == ""
            grouped.setdefault(PART_TITLES[part], []).append(OptionField(name, told, required))
        return grouped


def list_judges(*, only: str = "") -> list[JudgeInfo]:
    """Kind after kind, each in the order of the catalogue."""
    entries = {only: catalogue.entry(only)} if only else installed.entries()
    judges = [_info(name, entry) for name, entry in entries.items()]
    kinds = list(dict.fromkeys(judge.kind for judge in judges))
    return sorted(judges, key=lambda judge: kinds.index(judge.kind))


def judge_info(name: str) -> JudgeInfo:
    return _info(name, catalogue.entry(name))


def _info(name: str, entry: Entry) -> JudgeInfo:
    why_not = registry.lacking(entry)
    declared = registry.options_of(entry)
    options = {option: told.default for option, told in declared.items()}
    ready = readiness(entry, options)
    return JudgeInfo(
        name=name,
        title=entry.title,
        released=entry.release_date,
        why_not=why_not,
        state=ready.state,
        needs=ready.next_steps,
        download_gb=ready.download_gb,
        memory_gb=ready.wants_gb,
        weights="; ".join(
            f"{kind}: {value}, {gettext(registry.whereabouts(value))}"
            for kind in entry.parts
            if (value := options.get(f"{kind}.checkpoint"))
        ),
        options=options,
        declared=[told.as_json(option) for option, told in declared.items()],
        kind=_kind(name, entry),
        measured=[asdict(one) for one in measured_speed(entry)],
    )


def _kind(name: str, entry: Entry) -> str:
    if entry.is_own:
        return "Recipes of this installation"
    if name.endswith("-builtin"):
        return "Built in, without weights"
    if "writing" in entry.parts:
        return "Text in the picture"
    if "objects" in entry.parts:
        return "Object detection"
    if "reward" in entry.parts:
        return "Trained on people’s preferences"
    if "similarity" in entry.parts:
        return "Similarity of image and text"
    return "Questions about the image"


def run_rows(study: Study) -> list[RunRow]:
    return _rows(study, Run.objects.filter(study=study))


def running_rows(study: Study) -> list[RunRow]:
    return _rows(study, Run.objects.filter(study=study, state=Run.State.RUNNING))


def run_row(run: Run) -> RunRow:
    (row,) = _rows(run.study, Run.objects.filter(pk=run.pk))
    return row


def judge_choices(study: Study) -> list[JudgeChoice]:
    """Those that fit the study first; the number of queries is the same for every study."""
    progress = JudgeProgress(study)
    entries = installed.entries()
    fits = StudyPrompts(study, MOST_FOR_ALL).fits(entries)
    choices = [_choice(name, entry, fits[name], progress) for name, entry in entries.items()]
    return sorted(choices, key=lambda choice: choice.order)


def judge_choice(study: Study, name: str) -> JudgeChoice:
    return _choice(name, installed.entries()[name], fit_of(study, name), JudgeProgress(study))


def shared_mends(choices: Sequence[JudgeChoice]) -> list[tuple[Mend, int]]:
    """What would let judges score the study that cannot now, and how many: the one that helps most
    first."""
    found = Counter(
        mend
        for choice in choices
        if not choice.can_start and choice.fit.obstacles
        for mend in [choice.fit.obstacles[0].mend]
        if mend is not None and not mend.of_judge
    )
    return found.most_common()


class JudgeProgress:
    """Which judges have a run in a study, and which of them, with their usual options, have scored
    every image."""

    def __init__(self, study: Study) -> None:
        images = study.images.count()
        runs = list(Run.objects.filter(study=study).select_related("judge"))
        self.started = {run.judge.name for run in runs}
        self.complete = {
            run.judge.name
            for run in runs
            if run.state == Run.State.FINISHED
            and run.scored - run.failed >= images
            and catalogue.find(run.judge.name) is not None
            and not lifecycle.own_options(run.judge)
        }


def _choice(name: str, entry: Entry, fit: Fit, progress: JudgeProgress) -> JudgeChoice:
    ready = readiness(entry, registry.weights_of(entry))
    return JudgeChoice(
        name=name,
        title=entry.title,
        about=entry.about,
        why_not=registry.lacking(entry) if ready.absent else "",
        started=name in progress.started,
        complete=name in progress.complete,
        is_builtin=all(part == catalogue.BUILTIN for part in entry.parts.values()),
        reads_edits=_reads_edits(entry),
        words=" ".join((name, entry.title, entry.about, *_class_names(entry))).lower(),
        released=entry.release_date,
        readiness=ready,
        fit=fit,
    )


def _class_names(entry: Entry) -> list[str]:
    """Of its method and its engines."""
    paths = [entry.method, *(path for path, _ in entry.parts.values())]
    return [path.partition(":")[2] for path in paths]


@cache
def _reads_edits(entry: Entry) -> bool:
    """Whether it sees the picture that was edited beside the result."""
    return len(getattr(registry.method_of(entry, {}), "pictures", ())) > 1


def fit_of(study: Study, name: str) -> Fit:
    return StudyPrompts(study, MOST_FOR_ONE).fit(name)


def failures(run: Run) -> QuerySet[Score]:
    return (
        Score.objects.filter(run=run, value__isnull=True)
        .select_related("image")
        .order_by("image__key")
    )


def _rows(study: Study, runs: QuerySet[Run]) -> list[RunRow]:
    rows = list(runs.select_related("judge__recipe").order_by("judge__name", "pk"))
    if not rows:
        return []
    apart = {run.pk: name.partition(APART)[2] for name, run in runs_by_name(study).items()}
    lately = _lately([run.pk for run in rows if run.is_running])
    return [_row(run, apart[run.pk], lately=lately.get(run.pk, 0)) for run in rows]


def _lately(running: list[int]) -> dict[int, int]:
    """Images scored in the last seconds, by run."""
    if not running:
        return {}
    scores = Score.objects.filter(
        run__in=running, created_at__gte=timezone.now() - SPEED_WINDOW
    ).order_by()
    return dict(scores.values_list("run").annotate(Count("pk")))


def _row(run: Run, apart: str, *, lately: int) -> RunRow:
    per_second = seconds_left = None
    if run.is_running and lately:
        window = min(SPEED_WINDOW, timezone.now() - run.started_at).total_seconds()
        per_second = lately / max(window, 1.0)
        seconds_left = round((run.expected - run.scored) / per_second)
    return RunRow(
        run=run,
        title=" · ".join(part for part in (installed.title_of(run.judge), apart) if part),
        done=run.scored,
        failed=run.failed,
        assumed=run.assumed,
        expected=run.expected,
        per_second=per_second,
        seconds_left=seconds_left,
    )
