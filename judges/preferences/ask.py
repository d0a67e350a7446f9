"""Asks a model which of two images matches their prompt better, in both orders; every reply is stored, so that
nothing is done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotations.models import Study
from annotations.pictures.store import open_picture
from judges.models import Judge, Look
from judges.preferences.stored import Two, in_parts, judge_row, layout_of, pairs_of, stored_replies
from judges.signals import scores_changed
from jurybox_judging import registry
from jurybox_judging.ask_engine import Failed, ask_in_batches
from jurybox_judging.errors import JudgeRefused, Passing
from jurybox_judging.methods import which_of_two
from jurybox_judging.methods.which_of_two import APART, LEFT, RIGHT, STRIP, Layout
from jurybox_judging.protocols import Shown
from jurybox_judging.stored_form import key_of

AT_ONCE = 32  # pairs, whose pictures are in the memory together


@dataclass
class PairReplies:
    judge: Judge
    pairs: int = 0
    there: int = 0  # replies that were stored already
    new: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    unread: int = 0  # new replies without a verdict

    def sentence(self) -> str:
        lines = [
            f"{self.judge.name}: {self.pairs:,} pairs, each in both orders: {self.new:,} replies are new, "
            f"{self.there:,} were there."
        ]
        if self.unread:
            lines.append(f"{self.unread:,} replies have no verdict and count for nothing.")
        lines += [f"No reply {count:,} times: {why}" for why, count in self.failed.most_common(5)]
        return "\n".join(lines)


def ask(
    *,
    study: Study,
    name: str,
    options: Mapping[str, Any],
    limit: int | None = None,
    layout: Layout = APART,
    keep_alive: Callable[[], None] = lambda: None,
) -> PairReplies:
    registry.check_options(name, options)
    judge = judge_row(name, options, layout)
    engine = registry.build(name, options).parts["talk"]
    told = PairReplies(judge)
    try:
        for some in in_parts(_some(study, limit), AT_ONCE):
            _ask_some(judge, engine, some, told, keep_alive)
    except Passing as error:
        raise JudgeRefused(
            f"The model does not answer: {error.reason}. What it answered is stored; ask again later."
        ) from error
    finally:
        if told.new:
            scores_changed.send(sender=Judge, study_id=study.pk, ended=True)
    if not told.pairs:
        raise JudgeRefused(f"Study {study.slug} has no pair with both pictures.")
    return told


def _some(study: Study, limit: int | None) -> Iterator[Two]:
    for number, two in enumerate(pairs_of(study)):
        if limit is not None and number >= limit:
            return
        yield two


def _ask_some(
    judge: Judge, engine: Any, some: list[Two], told: PairReplies, keep_alive: Callable[[], None]
) -> None:
    layout = layout_of(judge)
    there = stored_replies(judge, some)
    told.pairs += len(some)
    told.there += len(there)
    asked = [(two, left) for two in some for left in (0, 1) if (two.pair, left) not in there]

    def call(batch: Any) -> Any:
        return engine.talk(
            [(_pair_pictures(two, left, layout), two.question(left, layout)) for two, left in batch]
        )

    for answers in ask_in_batches(engine, call, asked, keep_alive):
        looks = []
        for (two, left), replies in answers:
            if isinstance(replies, Failed):
                told.failed[replies.reason] += 1
                continue
            want = two.want(left, layout)
            looks.append(
                Look(
                    image_id=two.images[left],
                    engine=judge.facts["talk"]["key"],
                    want=key_of(want),
                    asked=want,
                    told=list(replies),
                )
            )
            told.unread += layout.read(replies[0]) is None
        Look.objects.bulk_create(looks, ignore_conflicts=True)
        told.new += len(looks)


def _pair_pictures(two: Two, left: int, layout: Layout) -> Shown:
    sides = open_picture(two.files[left]), open_picture(two.files[1 - left])
    if layout == STRIP:
        return which_of_two.side_by_side(*sides)
    places = [*(one.place for one in two.beside), LEFT, RIGHT]
    names = places if layout.are_named else [""] * len(places)
    return tuple(zip(names, [*map(open_picture, two.beside_files), *sides], strict=True))
