"""A model's votes on pairs of images, as looks at the left one of two: each order is a look of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from annotations.models import Pair, Study
from judges.looks.gather import placed_of
from judges.models import Judge, Look
from jurybox_judging import registry
from jurybox_judging.methods import which_of_two
from jurybox_judging.methods.which_of_two import APART, LAYOUTS, STRIP, Layout
from jurybox_judging.protocols import Placed, Talk
from jurybox_judging.stored_form import key_of, want_as_json

CHUNK = 2000
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Two:
    """A pair as a model sees it; the pictures by their hashes. `beside`: those of the prompt, and
    `beside_files` their files."""

    pair: int
    prompt: str
    images: tuple[int, int]
    keys: tuple[str, str]
    hashes: tuple[str, str]
    files: tuple[str, str]
    beside: tuple[Placed, ...] = ()
    beside_files: tuple[str, ...] = ()

    def question(self, left: int, layout: Layout) -> Talk:
        """The request with this one of the two on the left."""
        sides = self.hashes[left], self.hashes[1 - left]
        return which_of_two.question(self.prompt, sides, self.beside, layout)

    def want(self, left: int, layout: Layout) -> dict[str, Any]:
        """The same as it is stored; of a strip the question itself does not name the pictures."""
        plain = want_as_json(self.question(left, layout), closed=False)
        other = {"beside": self.hashes[1 - left]} if layout == STRIP else {}
        return {**plain, "kind": "which of two", **other}


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """`value`: first, second, tie, or None where a reply has no verdict; `consistent`: both orders
    named the same."""

    value: str | None
    consistent: bool | None


def in_parts(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def pairs_of(study: Study) -> Iterator[Two]:
    """Those of which both pictures are there."""
    rows = Pair.objects.filter(study=study).exclude(first__file="").exclude(second__file="")
    beside = _prompt_pictures(study)
    found = rows.order_by("pk").values_list(
        "pk",
        "prompt",
        "prompt__text",
        *(
            f"{side}__{name}"
            for name in ("pk", "key", "sha256", "file")
            for side in ("first", "second")
        ),
    )
    for pk, of, prompt, *ends in found.iterator(chunk_size=CHUNK):
        sides = (tuple(ends[at : at + 2]) for at in (0, 2, 4, 6))
        yield Two(pk, prompt, *sides, *beside.get(of, ()))


def _prompt_pictures(study: Study) -> dict[int, tuple[tuple[Placed, ...], tuple[str, ...]]]:
    """Of each prompt that has some: what stands where, and the files."""
    found = {}
    for prompt in study.prompts.filter(picture_count__gt=0).prefetch_related("pictures"):
        placed = placed_of(prompt)
        files = {row.place: row.file for row in prompt.pictures.all()}
        found[prompt.pk] = placed, tuple(files[one.place] for one in placed)
    return found


def judge_row(name: str, options: Mapping[str, Any], layout: Layout = APART) -> Judge:
    """The row of a model that compares, frozen as a judge of single images is; it has no run."""
    identity = registry.identity(name, options)
    part = identity["facts"].get("talk")
    if part is None:
        raise registry.JudgeRefused(
            f"“{name}” does not talk about a picture. Take a judge with a part “talk”, such as "
            "chain-of-thought-server."
        )
    engine = registry.build(name, options).parts["talk"]
    if layout != STRIP and not getattr(engine, "takes_several", False):
        raise registry.JudgeRefused(
            f"The engine of “{name}” takes one picture, and two are shown. Take one that takes several, "
            "such as a model server or Qwen-VL, or ask with --like strip."
        )
    own = {key: value for key, value in identity["options"].items() if key.startswith("talk.")}
    frozen = {
        "method": which_of_two.IDENTITY,
        "method_version": layout.version,
        "engine": part["engine"],
        "engine_version": engine.version,
        "checkpoint": part.get("checkpoint", "")[:300],
        "revision": part.get("revision", "")[:80],
        "precision": part.get("precision", ""),
        "template": layout.words,
        "options": own,
        "facts": {"talk": part},
    }
    named = (part.get("checkpoint") or name).rstrip("/").rpartition("/")[2]
    judge, _ = Judge.objects.get_or_create(
        fingerprint=registry.fingerprint(frozen),
        defaults={
            "name": f"which-of-two-{_told_apart(layout)}{named}".lower()[:120],
            **frozen,
        },
    )
    return judge


def _told_apart(layout: Layout) -> str:
    """In a judge's name, where the layout is not the usual one."""
    return "" if layout == APART else f"{layout.name}-"


def judges_that_compare() -> list[Judge]:
    return list(Judge.objects.filter(method=which_of_two.IDENTITY).order_by("name", "fingerprint"))


def layout_of(judge: Judge) -> Layout:
    return LAYOUTS[judge.method_version]


def stored_replies(judge: Judge, pairs: Sequence[Two]) -> dict[tuple[int, int], str]:
    """(Pair, which of the two stood left) -> the reply."""
    keys: dict[tuple[int, str], list[tuple[int, int]]] = {}
    layout = layout_of(judge)
    for two in pairs:
        for left in (0, 1):
            key = key_of(two.want(left, layout))
            keys.setdefault((two.images[left], key), []).append((two.pair, left))
    looks = Look.objects.filter(
        engine=judge.facts["talk"]["key"], image__in={image for image, _ in keys}
    )
    found: dict[tuple[int, int], str] = {}
    for image, want, told in looks.values_list("image_id", "want", "told"):
        for place in keys.get((image, want), ()):
            found[place] = str(told[0]) if told else ""
    return found


def said_of(study: Study, judge: Judge) -> dict[tuple[str, str], StoredVerdict]:
    """By the keys of the two images of a pair; only of pairs that have both orders."""
    said, layout = {}, layout_of(judge)
    for some in in_parts(pairs_of(study), CHUNK):
        replies = stored_replies(judge, some)
        for two in some:
            both = [replies.get((two.pair, left)) for left in (0, 1)]
            if None not in both:
                read = [layout.read(reply or "") for reply in both]
                said[two.keys] = StoredVerdict(*which_of_two.together(*read))
    return said
