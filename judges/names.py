"""What the judges of a study are called: by name, and where two share one, by what tells them apart."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from annotations.models import Study
from judges.models import IMPORTED, Judge, Run
from jurybox_judging import catalogue

# Between a judge's name and what tells it apart, in reports and addresses.
APART = "@"
USUAL = "usual options"
MOST_NAMED = 3  # options in a name
LONGEST = 60


def title(name: str) -> str:
    """What pages call a judge of this name, with what tells it from others."""
    known, _, apart = name.partition(APART)
    entry = catalogue.JUDGES.get(known)
    called = _own_titles.get(known) or (entry.title if entry else known)
    return " · ".join(part for part in (called, apart) if part)


def short_titles(names: Iterable[str], longest: int = 28) -> dict[str, str]:
    """Without what stands in brackets where a title is long, and still another one for each judge."""
    titles = {name: title(name) for name in names}
    short = {
        name: re.sub(r" \([^()]*\)", "", called) if len(called) > longest else called
        for name, called in titles.items()
    }
    shared = Counter(short.values())
    return {name: called if shared[called] == 1 else titles[name] for name, called in short.items()}


# Of the judges of the study at hand: titles of recipes of somebody's own, and the names of imported
# judges that a built-in one shares. Whatever tells a page of judges, runs or a stored report tells these
# with it, and no page has to ask for each name.
_own_titles: dict[str, str] = {}


def remember_titles(told: Iterable[tuple[str, str | None]]) -> None:
    """Of each judge the name and its own title; None of a built-in judge, whose title the catalogue has."""
    found: dict[str, set[str | None]] = defaultdict(set)
    for name, own in told:
        found[name].add(own)
    for name, titles in found.items():
        own = titles.pop() if len(titles) == 1 else None
        if own is None:
            _own_titles.pop(name, None)
        else:
            _own_titles[name] = own


def own_title(judge: Judge) -> str | None:
    """An imported judge keeps the name that it was given, though a built-in one is called so, too."""
    if judge.engine == IMPORTED and judge.name in catalogue.JUDGES:
        return judge.name
    return judge.recipe.title if judge.recipe else None


def runs_by_name(study: Study) -> dict[str, Run]:
    """Every judge of the study, in the order of their names."""
    runs = list(Run.objects.filter(study=study).select_related("judge__recipe").order_by("pk"))
    remember_titles((run.judge.name, own_title(run.judge)) for run in runs)
    names = names_of(runs)
    return {names[run.pk]: run for run in sorted(runs, key=lambda run: names[run.pk])}


def names_of(runs: Iterable[Run]) -> dict[int, str]:
    """The name of each run's judge. `runs` are all of a study: a judge's name depends on the others."""
    alike: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        alike[run.judge.name].append(run)
    return {
        run.pk: f"{name}{APART}{tail}" if tail else name
        for name, held in alike.items()
        for run, tail in zip(held, _tails(held), strict=True)
    }


def _tails(runs: list[Run]) -> list[str]:
    if len(runs) == 1:
        return [""]
    options = [run.judge.options for run in runs]
    differing = [
        key
        for key in sorted({key for some in options for key in some})
        if len({repr(some.get(key)) for some in options}) > 1
    ]
    tails = [_differing_words(some, differing) for some in options]
    return [
        tail if tails.count(tail) == 1 else run.judge.fingerprint[:6]
        for run, tail in zip(runs, tails, strict=True)
    ]


def _differing_words(options: dict[str, Any], differing: list[str]) -> str:
    """ "threshold 0.7"; what does not fit into a name stands in the fingerprint."""
    own = [f"{key} {_value(options[key])}" for key in differing if key in options]
    if not own:
        return USUAL
    told = ", ".join(own)
    return told if len(own) <= MOST_NAMED and len(told) <= LONGEST else ""


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)
