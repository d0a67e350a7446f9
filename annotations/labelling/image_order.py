"""Which image a person meets next: the study's seeded order, walked generator by generator.

Everybody meets the images of one generator in the same seeded order of the prompts, but each
generator's order begins at another point of that circle. A person is given an image of the generator
they have met least, so what they see is balanced over the generators to within one image, and the
prompts come round evenly. In which order the generators take their turn is drawn anew every round:
a fixed one could be noticed, and annotators must not know who made an image.

`Membership.walk` remembers, for each generator, how many images of it this person was given and
where they stopped. What lies behind was finished, or has been in their hands, so a step costs the
same in the middle of a large study as at its beginning. Leases that ran out open images behind
them again: who has come to the end looks once more from the beginning.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef

from annotations.database.prepared import ask, execute
from annotations.models import Assignment, Generator, Image, Membership

CIRCLE = 1 << 31
# The parts of a generator's circle: from its own beginning to the seam, from the seam back to the
# beginning, and the end.
FIRST, SECOND, END = 0, 1, 2
# What is remembered of one generator.
SEEN, PART, PLACE, LAST, BEGINNING = range(5)
# The words of the index's condition, so that both databases see that it fits. Whether the person
# had an image is one look by key: as NOT EXISTS, PostgreSQL may read all that they ever had.
MOVE = "UPDATE annotations_membership SET walk = %s WHERE id = %s"
LOOK = """
    SELECT place, id, public_id FROM annotations_image
    WHERE generator_id = %s AND taken = {taken} AND (place, id) > (%s, %s) {bound}
      AND NOT (file = '') AND gold IS NULL
      AND (SELECT had.id FROM annotations_assignment AS had
           WHERE had.image_id = annotations_image.id AND had.annotator_id = %s) IS NULL
    ORDER BY place, id LIMIT 1"""


@dataclass(frozen=True, slots=True)
class Found:
    """An image by its key and its address; all that is needed to take a place on it."""

    image_id: int
    public_id: str


def seeded_place(study_slug: str, prompt_key: str, variant: str = "", sample: int = 0) -> int:
    """The same order for everybody who imports the same study; another sample, another place."""
    text = f"{study_slug}\0{prompt_key}"
    if sample or variant not in ("", Image.Variant.ORIGINAL):
        text += f"\0{variant}\0{sample}"
    return _hash(text) % CIRCLE


class Walk:
    """One person's way, held while their row is locked; `save` writes what has changed."""

    def __init__(self, annotator: Membership) -> None:
        self.annotator = annotator
        self.study = annotator.study
        state = annotator.walk
        self.given: int = state.get("given", 0)
        # generator id -> [images given, part of the circle, last place, last image, beginning]
        self.ways: dict[str, list[int]] = {key: list(v) for key, v in state.get("ways", {}).items()}

    def next(self) -> Found | None:
        """The image that follows; the walk moves on behind it."""
        found = self._next_gold() if self._gold_is_due() else None
        if found is None:
            found = self._next_ordinary()
        if found is None:
            self._begin_again()
            found = self._next_ordinary()
        if found is not None:
            self.given += 1
        return found

    def step_back(self, image: Image) -> None:
        """The image last given was given back: it comes next again."""
        way = self.ways.get(str(image.generator_id))
        if way and way[LAST] == image.pk:
            way[SEEN] -= 1
            way[LAST] -= 1
            self.given -= 1

    def state(self) -> dict[str, Any]:
        return {"given": self.given, "ways": self.ways}

    def save(self) -> None:
        self.annotator.walk = self.state()
        execute(MOVE, json.dumps(self.annotator.walk), self.annotator.pk)

    def _next_ordinary(self) -> Found | None:
        # The least seen first; among equals, a draw that is new in every round.
        turn = sorted(self.ways.items(), key=lambda item: self._rank(item[1]))
        for generator, way in turn:
            while way[PART] != END:
                row = _probe(int(generator), way, self.annotator)
                if row is not None:
                    place, image, public_id = row
                    way[SEEN] += 1
                    way[PLACE], way[LAST] = place, image
                    return Found(image, public_id)
                way[PART] += 1
                way[PLACE], way[LAST] = -1, 0
        return None

    def _rank(self, way: list[int]) -> tuple[int, int]:
        return way[SEEN], _hash(f"{self.study.slug}/{way[BEGINNING]}/{way[SEEN]}")

    def _begin_again(self) -> None:
        """Once more round, with the generators that have come since."""
        found = Generator.objects.filter(study_id=self.study.pk).order_by("name")
        keys = [str(pk) for pk in found.values_list("pk", flat=True)]
        least = min((way[SEEN] for way in self.ways.values()), default=0)
        for rank, key in enumerate(keys):
            beginning = CIRCLE * rank // len(keys)
            way = self.ways.setdefault(key, [least, FIRST, beginning, 0, beginning])
            way[PART], way[PLACE], way[LAST] = FIRST, way[BEGINNING], 0

    def _gold_is_due(self) -> bool:
        """One image of every hundred-over-share is a known one, at a drawn place among them."""
        share = self.study.gold_share
        if not share:
            return False
        block = self.given * share // 100
        first, end = -(-block * 100 // share), -(-(block + 1) * 100 // share)
        return self.given == first + _hash(f"{self.annotator.name}/{block}") % (end - first)

    def _next_gold(self) -> Found | None:
        touched = Assignment.objects.filter(image=OuterRef("pk"), annotator=self.annotator)
        gold = Image.objects.filter(study=self.study, gold__isnull=False).exclude(file="")
        row = gold.exclude(Exists(touched)).order_by("place", "pk").values_list("pk", "public_id")
        return Found(*row[0]) if row[:1] else None


def _probe(generator: int, way: list[int], annotator: Membership) -> tuple[int, int, str] | None:
    """The first open image of a generator behind the last one: one look into the index for each
    number of places that may be taken."""
    bound = f"AND place < {way[BEGINNING]}" if way[PART] == SECOND else ""
    looks = " UNION ALL ".join(
        f"SELECT * FROM ({LOOK.format(taken=taken, bound=bound)}) AS look_{taken}"  # noqa: S608
        for taken in range(annotator.study.overlap)
    )
    given = [generator, way[PLACE], way[LAST], annotator.pk] * annotator.study.overlap
    return next(iter(ask(f"{looks} ORDER BY place, id LIMIT 1", given)), None)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
