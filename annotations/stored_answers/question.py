"""A question about a study: its parameters, what it reads, and how its answer is computed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from django.db.models import Sum

from annotations.database.prepared import Prepared, ask
from annotations.models import Annotation, AnswerJob, Generator, Study
from annotations.versions import (
    labels_version,
    start_reading_labels,
    start_reading_votes,
    votes_version,
)

if TYPE_CHECKING:
    import numpy as np

AT_ONCE = 5_000  # forms, and images
FACTS = "; "  # after the versions in a stamp


Answer: TypeAlias = "Mapping[str, Any] | tuple[Mapping[str, Any], np.ndarray]"


@dataclass(frozen=True, slots=True)
class NoParameters:
    """Of a question that is the same for everybody."""


NONE = NoParameters()

# Value -> words, from the study and the answer's body; None until a worker has looked for them.
Choices: TypeAlias = "Callable[[Study, Mapping[str, Any]], Mapping[str, str] | None]"


def choose(title: str, choices: Choices, default: str = "") -> Any:
    """A field of a question's parameters that its page asks for. Fewer than two choices are not offered."""
    return field(default=default, metadata={"title": title, "choices": choices})


def write(title: str, fold: str, hint: str, name: str) -> Any:
    """A field of a question's parameters that somebody writes on its page, folded below `fold`. `name`: what it is
    called in addresses."""
    return field(default="", metadata={"title": title, "fold": fold, "hint": hint, "name": name})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`compute`: the body, or the body and whole numbers. `studies`: all whose labels it reads. `facts`:
    what else its answer rests on. `complete`: fills in what the parameters leave open. `names_studies`: other
    studies that the parameters name, which a visitor must be allowed to see. `keeps_up`: a worker computes it after each change, without a page that
    asks. `stores_small`: whether a page that computes it at once stores what it computed. `compute_for`: in
    its place for a worker; the last argument takes how far it is."""

    name: str
    compute: Callable[[Study, Any], Answer]
    compute_for: Callable[[AnswerJob, Any, Callable[..., None]], Answer] | None = None
    parameters: Callable[..., Any] = NoParameters
    reads_votes: bool = False
    studies: Callable[[Study, Any], list[Study]] = lambda study, parameters: [study]
    facts: Callable[[Study, Any], str] = lambda study, parameters: ""
    complete: Callable[[Study, Any], Any] = lambda study, parameters: parameters
    names_studies: Callable[[Any], list[str]] = lambda parameters: []
    is_small: Callable[[Study], bool] | None = None
    stores_small: bool = True
    keeps_up: bool = False

    def stamp(self, study: Study, parameters: Any, *, start: bool = False) -> str:
        """The versions of all that it reads. `start`: it will be read now."""
        labels = start_reading_labels if start else labels_version
        votes = start_reading_votes if start else votes_version
        parts = [labels(each.pk) for each in self.studies(study, parameters)]
        parts += [votes(study.pk)] if self.reads_votes else []
        facts = self.facts(study, parameters)
        return f"{' '.join(parts)}{FACTS}{facts}" if facts else " ".join(parts)

    def fits_a_page(self, study: Study, parameters: Any) -> bool:
        """Whether a page may compute it while somebody waits."""
        return all(map(self.is_small or is_small, self.studies(study, parameters)))


def key_of(parameters: Any) -> str:
    return hashlib.sha256(json.dumps(asdict(parameters), sort_keys=True).encode()).hexdigest()


ANY_AFTER = (
    "SELECT 1 FROM annotations_annotation WHERE study_id = %s AND state = %s LIMIT 1 OFFSET %s"
)


def is_small(study: Study) -> bool:
    """One without labels may have a million images."""
    if images_n(study) > AT_ONCE:
        return False
    return not ask(ANY_AFTER, [study.pk, Annotation.State.COUNTED, AT_ONCE])


IMAGES_N = Prepared(
    lambda mark: (
        Generator.objects.order_by()
        .filter(study=mark("study"))
        .values("study")
        .annotate(n=Sum("image_count"))
        .values_list("n")
    )
)


def images_n(study: Study) -> int:
    """How many images a study has: each generator knows how many are its own."""
    return IMAGES_N.first(study=study.pk) or 0
