"""The order in which a person gets the images of a study.

All prompts stand on a circle, in an order drawn with the study's seed. Everybody gets the images of
one generator in that order, but each generator starts at another point of the circle. The next image
is always of the generator this person has seen least, so what they see is balanced over the
generators to within one image, and over the prompts as well. Which generator comes first in a round
is drawn again for every round: annotators must not guess who made an image, and could notice a
fixed order.

`Membership.walk` stores, for each generator, how many of its images this person got and where they
stopped. Images before that point are finished or were given to them, so finding the next one costs
the same in the middle of a large study as at its start. Expired leases free images before that
point again, so at the end the search starts once more from the beginning.

Images that the owner wants labelled first (`Study.first`) come before all these, in an order drawn
for them, which tells as little. While the images of a draw are given out (`Study.only_first`), all
others wait.

People of a group get the images of a selection only, or all others; inside a selection in the order
drawn for it, elsewhere as above.

Images with known answers are mixed in, and nothing may tell which they are: what a person gave back
comes again next, and what ran out in their hands comes again at the end, known or not.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from django.utils.crypto import salted_hmac

from annotations.database.prepared import ask, execute
from annotations.labelling import order_sql as sql
from annotations.models import Generator, Group, Image, Membership

CIRCLE = 1 << 31
# The parts of a generator's circle: from its starting point to the end of the numbers, from 0 back
# to the starting point, and finished.
FIRST, SECOND, END = 0, 1, 2
# What is stored for one generator, by position in a list.
SEEN, PART, PLACE, LAST, BEGINNING = range(5)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An image that may come next; somebody else may take its last place before."""

    image_id: int
    public_id: str


def seeded_place(study_slug: str, prompt_key: str, variant: str = "", sample: int = 0) -> int:
    """A prompt's place on the circle: the same for everybody who imports the same study. Further
    samples of a prompt have places of their own."""
    text = f"{study_slug}\0{prompt_key}"
    if sample or variant not in ("", Image.Variant.ORIGINAL):
        text += f"\0{variant}\0{sample}"
    return _hash(text) % CIRCLE


class Walk:
    """Where one person is in the order. Their row must be locked until `save`."""

    def __init__(self, annotator: Membership) -> None:
        self.annotator = annotator
        self.study = annotator.study
        self.group: Group | None = annotator.group if annotator.group_id else None
        state = annotator.walk
        self.given: int = state.get("given", 0)
        # The images they have in reserve, in the order in which they come.
        self.reserve: list[int] = list(state.get("reserve", ()))
        # The images they gave back: these come before all others.
        self.back: list[int] = list(state.get("back", ()))
        # The key of the skipped one that was offered to them again last.
        self.again: int = state.get("again", 0)
        # The selection that comes first, and where they stopped in it.
        self.first: list[int] = list(state.get("first", (0, 0)))
        # generator id -> [images given, part of the circle, last place, last image, beginning]
        self.ways: dict[str, list[int]] = {key: list(v) for key, v in state.get("ways", {}).items()}

    def next(self) -> Candidate | None:
        """The next image; the walk moves past it."""
        if not self.ways:
            self._begin_again()
        if not self.ways:
            self._begin_again()
        candidate = self._next_given_back()
        if candidate is None and self._is_due(self.given):
            candidate = self._next_known()
        candidate = candidate or self._next_of_selection() or self._next_ordinary()
        candidate = candidate or self._next_that_ran_out()
        if candidate is None:
            self._begin_again()
            candidate = self._next_of_selection() or self._next_ordinary()
        if candidate is not None:
            self.given += 1
        return candidate

    def next_skipped(self) -> Candidate | None:
        """An image that this person skipped and nobody has filled since, each in its turn."""
        rows = ask(self._part_of(sql.SKIPPED), [self.annotator.pk, self.study.overlap, self.again])
        if not rows:
            return None
        [(self.again, image, public_id)] = rows
        return Candidate(image, public_id)

    def step_back(self, image: Image) -> None:
        """The image was given back, so it comes next again. Of several, the last one goes first."""
        self.back = [image.pk, *(other for other in self.back if other != image.pk)]
        self.given = max(0, self.given - 1)
        way = self.ways.get(str(image.generator_id))
        if way is not None and image.gold is None:
            way[SEEN] -= 1

    def known_to_come(self, left: int) -> int:
        """How many known images come among the `left` images that this person holds or may get,
        so that the count of what is left goes down by one with each image, known or not."""
        person, share = self.annotator.pk, self.study.gold_share
        if not share:
            return 0
        never_had = [self.study.pk, person, person, person]
        [(fresh, again, held)] = ask(sql.KNOWN_LEFT, [*never_had, person, person, person, person])
        others = max(0, left + again - held - len(self.back))
        number, mixed_in = self.given + len(self.back), 0
        while mixed_in < fresh:
            if number % 100 == 0:
                # Whole hundreds at once: each has `share` known images.
                hundreds = min(others // (100 - share), (fresh - mixed_in) // share)
                mixed_in += hundreds * share
                others -= hundreds * (100 - share)
                number += hundreds * 100
                if mixed_in == fresh:
                    break
            if self._is_due(number):
                mixed_in += 1
            elif others:
                others -= 1
            else:
                break
            number += 1
        return again + mixed_in

    def state(self) -> dict[str, Any]:
        more = {"again": self.again, "reserve": self.reserve, "back": self.back}
        more["first"] = self.first if self.first[0] else []
        kept = {name: value for name, value in more.items() if value}
        return {"given": self.given, "ways": self.ways, **kept}

    def save(self) -> None:
        self.annotator.walk = self.state()
        execute(sql.SAVE, json.dumps(self.annotator.walk), self.annotator.pk)

    def _next_given_back(self) -> Candidate | None:
        """What they gave back, unless somebody else has filled it since."""
        while self.back:
            image = self.back.pop(0)
            rows = ask(self._part_of(sql.GIVEN_BACK), [image, *self._free_again()])
            for public_id, generator, ordinary in rows:
                way = self.ways.get(str(generator))
                if way is not None and ordinary:
                    way[SEEN] += 1
                return Candidate(image, public_id)
        return None

    def _next_that_ran_out(self) -> Candidate | None:
        rows = ask(self._part_of(sql.RAN_OUT), [self.annotator.pk, *self._free_again()])
        return Candidate(*rows[0]) if rows else None

    def _part_of(self, statement: str) -> str:
        """For this person's part of the images."""
        return statement.format(part=part_of(self.annotator))

    def _free_again(self) -> list[int]:
        person = self.annotator.pk
        return [person, self.study.overlap, self.study.gold_share, person]

    def _next_of_selection(self) -> Candidate | None:
        """The next image of the selection that the owner wants labelled first, or of the person's
        own."""
        group, selection = self.group, self.study.given_alone
        if selection is None:
            selection = group.selection_id if group and group.inside else self.study.first_id
        if selection is None:
            return None
        if self.first[0] != selection:
            self.first = [selection, 0]
        asked = [selection, self.first[1], self.study.overlap, self.annotator.pk]
        rows = ask(self._part_of(sql.FIRST_OF_ALL), asked)
        if not rows:
            # Nothing is left behind this point; `_begin_again` looks from the beginning.
            self.first = [selection, CIRCLE]
            return None
        [(place, image, public_id)] = rows
        self.first = [selection, place]
        return Candidate(image, public_id)

    def _next_ordinary(self) -> Candidate | None:
        if self.study.given_alone or (self.group and self.group.inside):
            return None
        # The least seen generator first; equals in an order drawn for this round.
        turn = sorted(self.ways.items(), key=lambda item: self._rank(item[1]))
        for generator, way in turn:
            while way[PART] != END:
                row = _first_open_image(int(generator), way, self.annotator)
                if row is not None:
                    place, image, public_id = row
                    way[SEEN] += 1
                    way[PLACE], way[LAST] = place, image
                    return Candidate(image, public_id)
                way[PART] += 1
                way[PLACE], way[LAST] = -1, 0
        return None

    def _rank(self, way: list[int]) -> tuple[int, int]:
        return way[SEEN], _hash(f"{self.study.slug}/{way[BEGINNING]}/{way[SEEN]}")

    def _begin_again(self) -> None:
        """Start again from the beginning, now with the generators that were added since."""
        self.first = [self.first[0], 0]
        generators = Generator.objects.filter(study_id=self.study.pk).order_by("name")
        keys = [str(pk) for pk in generators.values_list("pk", flat=True)]
        least = min((way[SEEN] for way in self.ways.values()), default=0)
        for rank, key in enumerate(keys):
            beginning = CIRCLE * rank // len(keys)
            way = self.ways.setdefault(key, [least, FIRST, beginning, 0, beginning])
            way[PART], way[PLACE], way[LAST] = FIRST, way[BEGINNING], 0

    def _is_due(self, number: int) -> bool:
        """Whether the image that they get after so many others is a known one: out of every
        100/share images one is, at a drawn place among them. Drawn with the server's secret: who
        knows this code and a name cannot tell the place."""
        share = self.study.gold_share
        if not share:
            return False
        block = number * share // 100
        first, end = -(-block * 100 // share), -(-(block + 1) * 100 // share)
        return number == first + self._draw_image(block) % (end - first)

    def _draw_image(self, block: int) -> int:
        text = f"{self.annotator.pk}/{block}"
        digest = salted_hmac("annotations.known", text, algorithm="sha256").digest()
        return int.from_bytes(digest[:4], "big")

    def _next_known(self) -> Candidate | None:
        person = self.annotator.pk
        rows = ask(sql.NEXT_KNOWN, [self.study.pk, person, person, person])
        return Candidate(*rows[0]) if rows else None


def part_of(annotator: Membership) -> str:
    """Which images this person may get at all, as SQL: those of their group, and while images of a
    draw are given out, only these."""
    part, alone = "", annotator.study.given_alone
    if annotator.group_id and (group := annotator.group):
        inside = sql.PART_INSIDE if group.inside else sql.PART_OUTSIDE
        part = inside.format(selection=int(group.selection_id))
    return part + (sql.PART_INSIDE.format(selection=int(alone)) if alone else "")


def _first_open_image(
    generator: int, way: list[int], annotator: Membership
) -> tuple[int, int, str] | None:
    """The first open image of a generator after the last one: one index look-up for each number of
    places that may be taken."""
    bound = f"AND place < {way[BEGINNING]}" if way[PART] == SECOND else ""
    part = part_of(annotator)
    queries = " UNION ALL ".join(
        f"SELECT * FROM ({sql.OPEN_IMAGE.format(taken=taken, bound=bound, part=part)}) AS open_{taken}"  # noqa: S608
        for taken in range(annotator.study.overlap)
    )
    given = [generator, way[PLACE], way[LAST], annotator.pk] * annotator.study.overlap
    return next(iter(ask(f"{queries} ORDER BY place, id LIMIT 1", given)), None)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
