"""Which pairs people compare: so many of each prompt at random, or one generator against another.

Every pair keeps the probability with which it was drawn. Strengths of generators can be estimated only
where the pairs connect them, so a random draw adds what connects the generators within each slice (a
tag of the prompts) and in the study as a whole. Those added pairs have no known probability.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby
from operator import itemgetter
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotations import event_log
from annotations.errors import StudyRefused
from annotations.models import Generator, Image, Pair, PairDraw, PairPlan, Prompt, Study
from annotations.random_keys import new_public_id

EVERYWHERE = ""  # the slice of all prompts
BATCH = 2000
MOST = 1000  # of one prompt


@dataclass(frozen=True, slots=True)
class Candidate:
    prompt: int
    images: tuple[int, int]  # the lower key first
    generators: tuple[int, int]


@dataclass
class Graph:
    """Which generators the pairs of one slice connect (union-find)."""

    above: dict[int, int] = field(default_factory=dict)

    def root(self, node: int) -> int:
        self.above.setdefault(node, node)
        while self.above[node] != node:
            self.above[node] = self.above[self.above[node]]
            node = self.above[node]
        return node

    def join(self, one: int, other: int) -> bool:
        """False when they were connected before."""
        one, other = self.root(one), self.root(other)
        self.above[one] = other
        return one != other

    def parts(self) -> list[list[int]]:
        parts = defaultdict(list)
        for node in self.above:
            parts[self.root(node)].append(node)
        return sorted(parts.values(), key=len, reverse=True)


def plan(study: Study, *, overlap: int | None = None, quality: bool | None = None) -> PairPlan:
    """The study's plan, made or changed."""
    if overlap is not None and not 1 <= overlap <= 100:
        raise StudyRefused("Between 1 and 100 people compare each pair.")
    given = {"overlap": overlap, "asks_quality": quality}
    defaults = {name: value for name, value in given.items() if value is not None}
    return PairPlan.objects.update_or_create(study=study, defaults=defaults)[0]


@transaction.atomic
def draw(*, study: Study, per_prompt: int, seed: int = 0, by: Any = None) -> PairDraw:
    """So many pairs of each prompt at random, over all generators."""
    check(study, per_prompt)
    chance = random.Random(seed)
    tags = _tags(study)
    chosen: list[tuple[Candidate, float | None]] = []
    graphs: dict[str, Graph] = defaultdict(Graph)
    left_out: list[Candidate] = []
    for prompt, fresh, there in candidates(study):
        slices = (EVERYWHERE, *tags[prompt])
        drawn = set(chance.sample(range(len(fresh)), min(per_prompt, len(fresh))))
        for number, candidate in enumerate(fresh):
            if number in drawn:
                chosen.append((candidate, len(drawn) / len(fresh)))
            else:
                left_out.append(candidate)
        for name in slices:
            for candidate in (*fresh, *there):
                for generator in candidate.generators:
                    graphs[name].root(generator)
            for candidate in (*there, *(fresh[number] for number in drawn)):
                graphs[name].join(*candidate.generators)
    chosen += [(candidate, None) for candidate in _connecting(graphs, tags, left_out, chance)]
    made = PairDraw(study=study, by=PairDraw.DrawRule.RANDOM, per_prompt=per_prompt, seed=seed)
    return keep(made, chosen, chance, note=_gap_words(graphs), by=by)


@transaction.atomic
def duel(
    *, study: Study, one: str, other: str, per_prompt: int = 1, seed: int = 0, by: Any = None
) -> PairDraw:
    """One generator against another, on all prompts that both have."""
    check(study, per_prompt)
    sides = [_generator(study, name) for name in (one, other)]
    keys = {generator.pk for generator in sides}
    if len(keys) < 2:
        raise StudyRefused("A duel is between two generators, not one and itself.")
    chance, chosen = random.Random(seed), []
    for _, every, _ in candidates(study, among=sides):
        fresh = [candidate for candidate in every if set(candidate.generators) == keys]
        drawn = chance.sample(fresh, min(per_prompt, len(fresh)))
        chosen += [(candidate, len(drawn) / len(fresh)) for candidate in drawn]
    made = PairDraw(study=study, by=PairDraw.DrawRule.DUEL, per_prompt=per_prompt, seed=seed)
    kept = keep(made, chosen, chance, note="", by=by)
    kept.duel.set(sides)
    return kept


def check(study: Study, per_prompt: int) -> None:
    if not 1 <= per_prompt <= MOST:
        raise StudyRefused(f"Between 1 and {MOST} pairs of each prompt can be drawn.")
    # Two draws at once would choose the same pairs.
    Study.objects.order_by().select_for_update(no_key=True).get(pk=study.pk)


def _generator(study: Study, name: str) -> Generator:
    found = Generator.objects.filter(study=study, name=name).first()
    if found is None:
        known = ", ".join(study.generators.values_list("name", flat=True)[:20]) or "none"
        raise StudyRefused(f"The study has no generator “{name}”. Generators: {known}.")
    return found


def _tags(study: Study) -> dict[int, list[str]]:
    rows = Prompt.objects.filter(study=study).order_by().values_list("pk", "tags")
    return {pk: [str(tag) for tag in tags] for pk, tags in rows}


def candidates(
    study: Study, *, among: Sequence[Generator] = ()
) -> Iterator[tuple[int, list[Candidate], list[Candidate]]]:
    """Of each prompt the pairs of images by two generators that are not there yet, and those that
    are. In the order of the keys, so that a seed draws the same again."""
    images = Image.objects.filter(study=study).exclude(file="")
    if among:
        images = images.filter(generator__in=among)
    rows = images.order_by("prompt__key", "pk").values_list("prompt_id", "pk", "generator_id")
    there = set(Pair.objects.filter(study=study).order_by().values_list("first_id", "second_id"))
    for prompt, of_prompt in groupby(rows.iterator(), itemgetter(0)):
        every = [
            Candidate(prompt, (a[1], b[1]), (a[2], b[2]))
            for a, b in combinations(of_prompt, 2)
            if a[2] != b[2]
        ]
        yield (
            prompt,
            [one for one in every if one.images not in there],
            [one for one in every if one.images in there],
        )


def _connecting(
    graphs: dict[str, Graph],
    tags: dict[int, list[str]],
    left_out: list[Candidate],
    chance: random.Random,
) -> Iterator[Candidate]:
    """Of what was not drawn, in a random order: what connects parts of a slice."""
    chance.shuffle(left_out)
    for candidate in left_out:
        slices = (EVERYWHERE, *tags[candidate.prompt])
        # Every graph gets the pair, also when the first says that it is wanted.
        if any([graphs[name].join(*candidate.generators) for name in slices]):
            yield candidate


def _gap_words(graphs: dict[str, Graph]) -> str:
    """Where the generators could not be connected, in sentences."""
    names = dict(
        Generator.objects.filter(pk__in=graphs[EVERYWHERE].above).values_list("pk", "name")
    )
    sentences = []
    for name, graph in sorted(graphs.items()):
        parts = graph.parts()
        if len(parts) > 1:
            where = f"Among the prompts with the tag “{name}”" if name else "In the study"
            groups = " | ".join(sorted(", ".join(sorted(names[pk] for pk in p)) for p in parts))
            sentences.append(f"{where} no prompt connects these generators: {groups}.")
    return "\n".join(sentences)


def keep(
    made: PairDraw,
    chosen: Iterable[tuple[Candidate, float | None]],
    chance: random.Random,
    *,
    note: str,
    by: Any,
) -> PairDraw:
    study, rows = made.study, list(chosen)
    if not rows:
        raise StudyRefused(
            "There is nothing to draw: every possible pair is drawn already, or no prompt has "
            "pictures by two of these generators."
        )
    chance.shuffle(rows)  # People meet the prompts in no order.
    plan(study)
    last = Pair.objects.filter(study=study).aggregate(last=Max("place"))["last"]
    start = 0 if last is None else last + 1
    made.count, made.note, made.made_by = len(rows), note, by
    made.save()
    for begin in range(0, len(rows), BATCH):
        pairs = []
        for place, (candidate, probability) in enumerate(
            rows[begin : begin + BATCH], start=start + begin
        ):
            name = new_public_id()
            pairs.append(
                Pair(
                    study=study,
                    prompt_id=candidate.prompt,
                    first_id=candidate.images[0],
                    second_id=candidate.images[1],
                    key=name,
                    public_id=name,
                    draw=made,
                    chance=probability,
                    place=place,
                )
            )
        Pair.objects.bulk_create(pairs)
    event_log.note(study, "drawn", f"drew {made}", by=by)
    return made
