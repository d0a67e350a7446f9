"""Anchors scored again: requested on a page and done by a worker, or done here for a command."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from PIL import Image as Picture

from annotations.anchors.keep import has_changed
from annotations.models import AnchorImage, AnchorSet, Image
from annotations.pictures.store import open_picture
from judges.looks.gather import ImageScorer, subject_of
from judges.models import AnchorScoring, Run
from judges.runs import ask_judge
from judges.runs.same_judge import judge_of_run
from jurybox_judging import registry
from jurybox_judging.protocols import Judgement, Subject
from jurybox_judging.scorer import in_batches

LONGEST = 200  # characters of a server's word for itself

# A model's name and the fingerprint of the system around it; empty where the server tells none.
Teller = tuple[str, str]


def _look(asked: AnchorScoring, progress: Callable[[int], object]) -> dict[str, Any]:
    return score_anchors(run=asked.run, anchors=asked.anchors, on_step=progress)


KIND = ask_judge.judge_job(
    AnchorScoring, _look, "they were scoring the anchors again; it may need more memory"
)


def ask(*, run: Run, anchors: AnchorSet, by: Any) -> AnchorScoring:
    """For a worker."""
    ask_judge.check_is_taken_up(run)
    return ask_judge.request_for_run(KIND, run, by=by, anchors=anchors.pk)


def score_here(*, run: Run, anchors: AnchorSet) -> AnchorScoring:
    """Done in this process."""
    ask_judge.check_is_taken_up(run)
    return ask_judge.do_for_run(AnchorScoring, _look, run, anchors=anchors.pk)


def score_anchors(
    *, run: Run, anchors: AnchorSet, on_step: Callable[[int], object] = lambda done: None
) -> dict[str, Any]:
    """The stored looks would hand back the old answers: they are neither read nor written. `on_step` hears how
    many images were scored so far."""
    judge = judge_of_run(run)
    told: list[dict[str, Any]] = []
    changed: list[str] = []
    rows = AnchorImage.objects.filter(anchors=anchors).select_related("image__prompt")
    rows = rows.prefetch_related("image__prompt__atoms").order_by("pk")
    with closing(ImageScorer(judge, anew=True)) as scorer, _listening(judge) as tellers:
        for some in in_batches(list(rows), judge):
            other = [row.image.key for row in some if has_changed(row)]
            changed += other
            asked = [_load_picture(row.image) for row in some if row.image.key not in other]
            told += _score_pictures(scorer, asked, tellers)
            on_step(len(told) + len(changed))
    return {"scores": told, "changed_pictures": changed}


@contextmanager
def _listening(judge: registry.Judge) -> Iterator[Mapping[bytes, list[Teller]]]:
    """By picture, who gave each reply. Engines stay for other work, so they are left as they were."""
    heard: dict[bytes, list[Teller]] = defaultdict(list)

    def hear(picture: Picture.Image, body: Mapping[str, Any]) -> None:
        heard[_digest(picture)].append((_word(body, "model"), _word(body, "system_fingerprint")))

    servers: list[Any] = [e for e in judge.parts.values() if hasattr(e, "on_reply")]
    for engine in servers:
        engine.on_reply = hear
    try:
        yield heard
    finally:
        for engine in servers:
            engine.on_reply = None


def _load_picture(image: Image) -> tuple[Image, Subject, Picture.Image]:
    return image, subject_of(image), open_picture(image.file)


def _score_pictures(
    scorer: ImageScorer,
    asked: Sequence[tuple[Image, Subject, Picture.Image]],
    tellers: Mapping[bytes, list[Teller]],
) -> list[dict[str, Any]]:
    verdicts = scorer.finish(scorer.begin_pictures(asked))
    return [
        {
            "image": image.key,
            "prompt": image.prompt.key,
            **(
                {"score": verdict.score}
                if isinstance(verdict, Judgement)
                else {"score": None, "reason": verdict.reason[:LONGEST]}
            ),
            "replies": [list(teller) for teller in tellers.get(_digest(picture), ())],
        }
        for (image, _, picture), verdict in zip(asked, verdicts, strict=True)
    ]


def _digest(picture: Picture.Image) -> bytes:
    return hashlib.sha256(repr(picture.size).encode() + picture.tobytes()).digest()


def _word(body: Mapping[str, Any], name: str) -> str:
    told = body.get(name)
    return told[:LONGEST] if isinstance(told, str) else ""
