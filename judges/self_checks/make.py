"""Ask a judge about images, change what the effect of is known, and ask it again.

Stored looks would hand back the old answers: the engines run anew, and nothing is stored but
the pairs of scores. What counts as a contradiction, `audit.self_checks` says.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from statistics import median
from typing import Any

from django.utils.translation import gettext_noop
from PIL import Image as Picture

from annotations.models import Image, Study
from annotations.pictures.store import open_picture
from judges.looks.gather import ImageScorer, subject_of
from judges.runs.score_chunk import IMAGE_FIELDS
from judges.self_checks.changes import CHANGES, Change
from judges.self_checks.wording import SIDES, exchanged, names_a_side
from jurybox_formats.sets.builtin.drawing import Style, paint
from jurybox_formats.sets.builtin.grammar import SHAPES, Group, Wish, describe
from jurybox_formats.sets.builtin.scene import Habits, plan
from jurybox_judging import registry
from jurybox_judging.protocols import Atom, Judgement, Subject, Unscored
from jurybox_judging.self_test import check_engines

DRAWINGS = 30
SIZE = 256


COUNT = 60
# So many times as many images are looked through for prompts that a check can use.
LOOKED_THROUGH = 10
DRAWN = "sides"  # the check on drawings of our own
STEPS = ("first", *CHANGES, DRAWN)

NO_PICTURE = "a part of this judge reads a file and never looks at the picture"
NO_FIT = "the judge does not say that the image fits its prompt"

Asked = tuple[Image, Subject, Picture.Image]
Verdict = Judgement | Unscored


@dataclass(slots=True)
class FoundImages:
    """`left_out`: by check, the reasons why images could not be used, and of how many."""

    fingerprint: str
    pairs: list[dict[str, Any]] = field(default_factory=list)
    left_out: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, check: str, image: Image, prompt: str, before: Verdict, after: Verdict) -> None:
        for verdict in (before, after):
            if isinstance(verdict, Unscored):
                reason = verdict.reason[:200]
                self.left_out[check][gettext_noop(f"the judge gave no score: {reason}")] += 1
                return
        assert isinstance(before, Judgement) and isinstance(after, Judgement)
        pair = {
            "check": check,
            "image": image.key,
            "prompt": prompt,
            "before": before.score,
            "after": after.score,
        }
        self.pairs.append(pair)

    def as_fields(self) -> dict[str, Any]:
        left_out = {check: dict(reasons) for check, reasons in self.left_out.items()}
        return {"fingerprint": self.fingerprint, "pairs": self.pairs, "left_out": left_out}


def check_judge(
    *,
    study: Study,
    name: str,
    options: Mapping[str, Any],
    count: int = COUNT,
    seed: int = 0,
    on_step: Callable[[int], None] = lambda step: None,
) -> FoundImages:
    """`on_step` hears the number of each of the STEPS before it begins."""
    registry.expect_here(name)
    judge = registry.build(name, options)
    registry.take_in_hand(judge)
    if judge.self_test:
        check_engines(judge.parts, keep_alive=lambda: None)
    for engine in judge.parts.values():
        engine.load()
    # Of weights that were fetched only now, the commit is known only now.
    judge = registry.build(name, options)
    found = FoundImages(registry.fingerprint(registry.identity(name, options)))
    with closing(ImageScorer(judge, anew=True)) as scorer:
        asker = _Asker(scorer, on_step)
        _on_the_study(asker, found, study, count, seed)
        asker.begin(DRAWN)
        _on_drawings(asker, found, seed)
    return found


class _Asker:
    def __init__(self, scorer: ImageScorer, on_step: Callable[[int], None]) -> None:
        self.scorer = scorer
        self.on_step = on_step
        self.engines = scorer.judge.parts.values()
        self.sees_pictures = all(getattr(engine, "needs_pixels", True) for engine in self.engines)

    def begin(self, step: str) -> None:
        """What engines remember of earlier steps would be no answer to this one."""
        self.on_step(1 + STEPS.index(step))
        for engine in self.engines:
            if forget := getattr(engine, "forget", None):
                forget()

    def ask(self, step: str, images: Sequence[Image], change: Change) -> list[Verdict | str]:
        """A verdict for each image, or why it cannot be changed so."""
        self.begin(step)
        verdicts: list[Verdict | str] = []
        while some := images[len(verdicts) : len(verdicts) + self._at_once()]:
            verdicts += self._ask(some, change)
        return verdicts

    def _at_once(self) -> int:
        """That may grow and shrink meanwhile."""
        return max(engine.batch for engine in self.engines)

    def _ask(self, images: Sequence[Image], change: Change) -> list[Verdict | str]:
        told: dict[int, Verdict | str] = {}
        asked: dict[int, Asked] = {}
        for place, image in enumerate(images):
            made = _change_image(image, change)
            if isinstance(made, str):
                told[place] = made
            else:
                asked[place] = made
        told |= zip(asked, self.judge(list(asked.values())), strict=True)
        return [told[place] for place in range(len(images))]

    def judge(self, asked: Sequence[Asked]) -> list[Verdict]:
        return self.scorer.finish(self.scorer.begin_pictures(asked))


def _change_image(image: Image, change: Change) -> Asked | str:
    subject = change.subject(subject_of(image))
    if isinstance(subject, str):
        return subject
    try:
        picture = open_picture(image.file)
    except OSError:
        return gettext_noop("its file cannot be read")
    if change.picture is not None:
        picture = change.picture(picture)
        subject = replace(subject, size=picture.size)
    return image, subject, picture


def _on_the_study(asker: _Asker, found: FoundImages, study: Study, count: int, seed: int) -> None:
    drawn = list(islice(_in_drawn_order(study, seed), LOOKED_THROUGH * count))
    chosen = {name: _usable(name, change, drawn, count, found) for name, change in CHANGES.items()}
    if not asker.sees_pictures:
        for name, change in CHANGES.items():
            if not change.falls:
                found.left_out[name] = Counter({NO_PICTURE: len(chosen[name])})
                chosen[name] = []
    every = list({image.pk: image for images in chosen.values() for image in images}.values())
    first = dict(
        zip((image.pk for image in every), asker.ask("first", every, Change()), strict=True)
    )
    scores = [told.score for told in first.values() if isinstance(told, Judgement)]
    for name, change in CHANGES.items():
        images = chosen[name]
        if change.falls:
            images = [image for image in images if _may_fall(first[image.pk], scores)]
            if others := len(chosen[name]) - len(images):
                found.left_out[name][NO_FIT] += others
        for image, after in zip(images, asker.ask(name, images, change), strict=True):
            before = first[image.pk]
            if isinstance(before, str) or isinstance(after, str):
                found.left_out[name][before if isinstance(before, str) else str(after)] += 1
            else:
                found.add(name, image, image.prompt.key, before, after)


def _may_fall(told: Verdict | str, scores: Sequence[float]) -> bool:
    """Whether the judge says that the image fits. One without verdicts says so by a score in its upper
    half; what it cannot score at all is counted as that."""
    if not isinstance(told, Judgement):
        return True
    return told.score >= median(scores) if told.correct is None else told.correct


def _usable(
    name: str, change: Change, drawn: Sequence[Image], count: int, found: FoundImages
) -> list[Image]:
    """The first `count` images that the check can use; those passed over on the way are counted."""
    images = list(drawn)
    if name == "mirror":
        # Words for sides show more than a mirror alone.
        images.sort(key=lambda image: not names_a_side(subject_of(image)))
    usable: list[Image] = []
    for image in images:
        if len(usable) == count:
            break
        subject = change.subject(subject_of(image))
        if isinstance(subject, str):
            found.left_out[name][subject] += 1
        else:
            usable.append(image)
    return usable


def _in_drawn_order(study: Study, seed: int) -> Iterator[Image]:
    """As a draw would put them, and the same again for the same seed: so checks can be compared."""
    rows = study.images.exclude(file="").values_list("pk", "key")
    order = sorted(rows, key=lambda row: hashlib.sha256(f"{seed} {row[1]}".encode()).digest())
    images = Image.objects.select_related("prompt").prefetch_related("prompt__atoms")
    for start in range(0, len(order), 200):
        wanted = [pk for pk, _ in order[start : start + 200]]
        by_pk = images.only(*IMAGE_FIELDS, "prompt__key").in_bulk(wanted)
        yield from (by_pk[pk] for pk in wanted if pk in by_pk)


def _on_drawings(asker: _Asker, found: FoundImages, seed: int) -> None:
    """Of a drawing and of its prompt with left for right, the judge must prefer what was drawn."""
    made = drawings(seed)
    if not asker.sees_pictures:
        found.left_out[DRAWN][NO_PICTURE] += len(made)
        return
    contrary = [(image, exchanged(subject, *SIDES), picture) for image, subject, picture in made]
    told = zip(made, asker.judge(made), asker.judge(contrary), strict=True)
    for (image, _, _), before, after in told:
        verdicts = {getattr(one, "correct", None) for one in (before, after)}
        if verdicts == {False}:
            found.left_out[DRAWN][
                gettext_noop(
                    "the judge does not see these shapes, or says of neither order that it fits"
                )
            ] += 1
        else:
            found.add(DRAWN, image, image.key, before, after)


# A judge that takes left for right everywhere gives a picture and its mirror image the same score; on a picture
# of which it is known what lies where, it cannot hide that.
def drawings(seed: int) -> list[tuple[Image, Subject, Picture.Image]]:
    """The image is a row that is not saved: scorers want a name for what they look at."""
    rng = random.Random(f"drawings {seed}")
    return [_drawing(f"drawing-{number}", rng) for number in range(DRAWINGS)]


def _drawing(key: str, rng: random.Random) -> tuple[Image, Subject, Picture.Image]:
    one, other = rng.sample(SHAPES, 2)
    wish = Wish((Group(one, 1), Group(other, 1)), rng.choice(("left of", "right of")))
    picture = paint(plan(wish, Habits(slip=0), rng), Style(), size=SIZE, rng=rng)
    told = describe(wish, key)
    atoms = [
        Atom(a.index, a.kind, a.text, a.question, a.expected, tuple(a.parents)) for a in told.atoms
    ]
    subject = Subject(told.text, tuple(atoms), told.metadata, picture.size)
    return Image(key=key, file=key), subject, picture
