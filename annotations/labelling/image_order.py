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
for them, which tells as little.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef
from django.utils.crypto import salted_hmac

from annotations.database.prepared import ask, execute
from annotations.models import Assignment, Generator, Image, Membership, PracticeAnswer

CIRCLE = 1 << 31
# The parts of a generator's circle: from its starting point to the end of the numbers, from 0 back
# to the starting point, and finished.
FIRST, SECOND, END = 0, 1, 2
# What is stored for one generator, by position in a list.
SEEN, PART, PLACE, LAST, BEGINNING = range(5)
SAVE = "UPDATE annotations_membership SET walk = %s WHERE id = %s"
# Repeats the condition of the index word by word, so that both databases use it. Whether the person
# had the image is one look-up by key: with NOT EXISTS, PostgreSQL may read all they ever had.
OPEN_IMAGE = """
    SELECT place, id, public_id FROM annotations_image
    WHERE generator_id = %s AND taken = {taken} AND (place, id) > (%s, %s) {bound}
      AND NOT (file = '') AND gold IS NULL
      AND (SELECT had.id FROM annotations_assignment AS had
           WHERE had.image_id = annotations_image.id AND had.annotator_id = %s) IS NULL
    ORDER BY place, id LIMIT 1"""
SKIPPED = """
    SELECT image.id, image.public_id
    FROM annotations_assignment AS had
    JOIN annotations_image AS image ON image.id = had.image_id
    WHERE had.annotator_id = %s AND had.state = 'skipped'
      AND (image.taken < %s OR image.gold IS NOT NULL)
    ORDER BY CASE WHEN image.id > %s THEN 0 ELSE 1 END, image.id LIMIT 1"""


FIRST_OF_ALL = """
    SELECT chosen.place, image.id, image.public_id
    FROM annotations_selectedimage AS chosen
    JOIN annotations_image AS image ON image.id = chosen.image_id
    WHERE chosen.selection_id = %s AND chosen.place >= %s AND image.taken < %s
      AND NOT (image.file = '') AND image.gold IS NULL
      AND (SELECT had.id FROM annotations_assignment AS had
           WHERE had.image_id = image.id AND had.annotator_id = %s) IS NULL
    ORDER BY chosen.place LIMIT 1"""


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
        state = annotator.walk
        self.given: int = state.get("given", 0)
        # The images they have in reserve, in the order in which they come.
        self.reserve: list[int] = list(state.get("reserve", ()))
        # The image they skipped that was offered to them again last.
        self.again: int = state.get("again", 0)
        # The selection that comes first, and where they stopped in it.
        self.first: list[int] = list(state.get("first", (0, 0)))
        # generator id -> [images given, part of the circle, last place, last image, beginning]
        self.ways: dict[str, list[int]] = {key: list(v) for key, v in state.get("ways", {}).items()}

    def next(self) -> Candidate | None:
        """The next image; the walk moves past it."""
        candidate = self._next_gold() if self._gold_is_due() else None
        candidate = candidate or self._next_of_selection() or self._next_ordinary()
        if candidate is None:
            self._begin_again()
            candidate = self._next_of_selection() or self._next_ordinary()
        if candidate is not None:
            self.given += 1
        return candidate

    def next_skipped(self) -> Candidate | None:
        """An image that this person skipped and nobody has filled since, each in its turn."""
        rows = ask(SKIPPED, [self.annotator.pk, self.study.overlap, self.again])
        if not rows:
            return None
        [(image, public_id)] = rows
        self.again = image
        return Candidate(image, public_id)

    def step_back(self, image: Image) -> None:
        """The image was given back, so it comes next again. Of several, the last one goes first."""
        way = self.ways.get(str(image.generator_id))
        if way is None or image.gold is not None:
            return
        part = FIRST if image.place >= way[BEGINNING] else SECOND
        before = [part, image.place, image.pk - 1]
        if before < [way[PART], way[PLACE], way[LAST]]:
            way[PART], way[PLACE], way[LAST] = before
            way[SEEN] -= 1
            self.given -= 1
        if self.study.first_id is not None:
            self.first = [self.study.first_id, 0]

    def state(self) -> dict[str, Any]:
        more = {"again": self.again, "reserve": self.reserve}
        more["first"] = self.first if self.first[0] else []
        kept = {name: value for name, value in more.items() if value}
        return {"given": self.given, "ways": self.ways, **kept}

    def save(self) -> None:
        self.annotator.walk = self.state()
        execute(SAVE, json.dumps(self.annotator.walk), self.annotator.pk)

    def _next_of_selection(self) -> Candidate | None:
        """The next image of the selection that the owner wants labelled first."""
        selection = self.study.first_id
        if selection is None:
            return None
        if self.first[0] != selection:
            self.first = [selection, 0]
        asked = [selection, self.first[1], self.study.overlap, self.annotator.pk]
        rows = ask(FIRST_OF_ALL, asked)
        if not rows:
            # Nothing is left behind this point; `_begin_again` looks from the beginning.
            self.first = [selection, CIRCLE]
            return None
        [(place, image, public_id)] = rows
        self.first = [selection, place]
        return Candidate(image, public_id)

    def _next_ordinary(self) -> Candidate | None:
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

    def _gold_is_due(self) -> bool:
        """Out of every 100/share images one is a gold image, at a drawn place among them. Drawn with
        the server's secret: who knows this code and a name cannot tell the place."""
        share = self.study.gold_share
        if not share:
            return False
        block = self.given * share // 100
        first, end = -(-block * 100 // share), -(-(block + 1) * 100 // share)
        return self.given == first + self._drawn(block) % (end - first)

    def _drawn(self, block: int) -> int:
        text = f"{self.annotator.pk}/{block}"
        digest = salted_hmac("annotations.known", text, algorithm="sha256").digest()
        return int.from_bytes(digest[:4], "big")

    def _next_gold(self) -> Candidate | None:
        touched = Assignment.objects.filter(image=OuterRef("pk"), annotator=self.annotator)
        # Who practised with an image has read what is right about it.
        practised = PracticeAnswer.objects.filter(
            image=OuterRef("pk"), attempt__annotator=self.annotator
        )
        gold = Image.objects.filter(study=self.study, gold__isnull=False).exclude(file="")
        row = (
            gold.exclude(Exists(touched) | Exists(practised))
            .order_by("place", "pk")
            .values_list("pk", "public_id")
        )
        return Candidate(*row[0]) if row[:1] else None


def _first_open_image(
    generator: int, way: list[int], annotator: Membership
) -> tuple[int, int, str] | None:
    """The first open image of a generator after the last one: one index look-up for each number of
    places that may be taken."""
    bound = f"AND place < {way[BEGINNING]}" if way[PART] == SECOND else ""
    queries = " UNION ALL ".join(
        f"SELECT * FROM ({OPEN_IMAGE.format(taken=taken, bound=bound)}) AS open_{taken}"  # noqa: S608
        for taken in range(annotator.study.overlap)
    )
    given = [generator, way[PLACE], way[LAST], annotator.pk] * annotator.study.overlap
    return next(iter(ask(f"{queries} ORDER BY place, id LIMIT 1", given)), None)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
