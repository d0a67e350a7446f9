"""Judge the pictures of a slice: by the very engines, rules and batches of a run, without a database.

Nothing that engines say is stored. What comes out is plain, for a part of the scores.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from PIL import Image as Picture

from annotations.errors import Refused
from annotations.pictures.store import pixels_of
from judges.lake.pictures import LakePicture
from judges.lake.slices import Slice
from jurybox_judging import catalogue, registry
from jurybox_judging.errors import Passing
from jurybox_judging.protocols import (
    RESULT,
    Atom,
    AtomJudgement,
    Judgement,
    Placed,
    Subject,
    Unscored,
)
from jurybox_judging.scorer import DECODERS, Loose, Scorer, in_batches
from jurybox_judging.self_test import load_engines

Verdict = Judgement | Unscored
Opening = Future[Picture.Image]


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """A judge by name, with its options; `recipe`: its text, where it is one of somebody's own."""

    name: str
    options: Mapping[str, Any]
    recipe: str = ""


class SliceJudge:
    """Its engines are loaded and tested once."""

    def __init__(self, asked: JudgeChoice) -> None:
        if asked.recipe:
            # Here may be no database to look it up in.
            catalogue.lend(asked.name, asked.recipe)
        registry.expect_here(asked.name)
        options = dict(asked.options)
        load_engines(registry.build(asked.name, options), keep_alive=lambda: None)
        # Of weights that were fetched only now, the commit is known only now.
        self.judge = registry.build(asked.name, options)
        self.identity = registry.identity(asked.name, options)
        self._scorer = Scorer(self.judge)
        self._decoders = ThreadPoolExecutor(DECODERS, thread_name_prefix="open")

    def close(self) -> None:
        self._scorer.close()
        self._decoders.shutdown(wait=False, cancel_futures=True)

    def results(self, one: Slice) -> dict[str, Any]:
        """Facts and rows of its part; or `refused`, a sentence for the person who waits."""
        try:
            rows = [row for batch in self._judge_pictures(one.pictures) for row in batch]
        except Refused as refusal:
            return {"refused": refusal.message}
        except Passing as error:
            words = (
                f"The engine could not be reached: {error.reason}. What is judged is kept; give the"
            )
            return {"refused": f"{words} same command again later."}
        return {
            "name": one.name,
            "facts": {
                "identity": self.identity,
                "file": one.shard.name,
                "size": one.shard.size,
                "number": one.number,
                "is_last": one.is_last,
                "unscored": sum(row["value"] is None for row in rows),
                "skipped": [[skipped.where, skipped.why] for skipped in one.skipped],
            },
            "rows": rows,
        }

    def _judge_pictures(self, pictures: list[LakePicture]) -> Iterator[list[dict[str, Any]]]:
        """The pictures of the next batch are decoded while an engine looks at those of this one."""
        batches = in_batches(pictures, self.judge)
        after = self._open(next(batches, []))
        while batch := after:
            after = self._open(next(batches, []))
            began = time.perf_counter()
            verdicts = self._verdicts(batch)
            seconds = (time.perf_counter() - began) / len(batch)
            yield [
                row_of(picture, verdict, seconds)
                for (picture, _), verdict in zip(batch, verdicts, strict=True)
            ]

    def _open(self, batch: Sequence[LakePicture]) -> list[tuple[LakePicture, Opening]]:
        return [
            (one, self._decoders.submit(pixels_of, one.content, name="The file")) for one in batch
        ]

    def _verdicts(self, batch: list[tuple[LakePicture, Opening]]) -> list[Verdict]:
        verdicts: dict[int, Verdict] = {}
        opened: dict[int, tuple[Loose, Subject, Picture.Image]] = {}
        for place, (one, opening) in enumerate(batch):
            try:
                picture = opening.result()
                opened[place] = Loose(one.key), _subject_of(one, picture), picture
            except Refused as refusal:
                verdicts[place] = Unscored(refusal.message)
        scored = self._scorer.finish(self._scorer.begin_pictures(opened.values()))
        verdicts |= zip(opened, scored, strict=True)
        return [verdicts[place] for place in range(len(batch))]


def _subject_of(one: LakePicture, picture: Picture.Image) -> Subject:
    """What a run would show the judge if the picture were an image of a study."""
    about = json.loads(one.about) if one.about else {}
    sha256 = hashlib.sha256(one.content).hexdigest()
    return Subject(
        prompt=one.prompt,
        atoms=tuple(
            Atom(**{**atom, "parents": tuple(atom["parents"])}) for atom in about.get("atoms", ())
        ),
        metadata=about.get("metadata", {}),
        size=picture.size,
        pictures=(Placed(RESULT, sha256),),
    )


def row_of(one: LakePicture, verdict: Verdict, seconds: float) -> dict[str, Any]:
    row = {
        "image_id": one.key,
        "sha256": hashlib.sha256(one.content).hexdigest(),
        "prompt": one.prompt,
        "about": one.about,
        "seconds": seconds,
        "evidence": json.dumps(verdict.evidence, ensure_ascii=False) if verdict.evidence else "",
    }
    if isinstance(verdict, Unscored):
        why = verdict.reason or "no reason given"
        return row | {
            **{"value": None, "correct": None, "reason": "", "error": why},
            **{"assumed": 0, "atoms": []},
        }
    return row | {
        "value": float(verdict.score),
        "correct": verdict.correct,
        "reason": verdict.reason,
        "error": "",
        "assumed": verdict.assumed,
        "atoms": [
            {"index": atom.index, "value": atom.score, "reason": atom.reason}
            for atom in verdict.atoms
        ],
    }


def verdict_of(row: Mapping[str, Any]) -> Verdict:
    """The same again, of a row of a part."""
    evidence = json.loads(row["evidence"]) if row["evidence"] else {}
    if row["value"] is None:
        return Unscored(row["error"], evidence)
    return Judgement(
        row["value"],
        row["correct"],
        row["reason"],
        tuple(AtomJudgement(atom["index"], atom["value"], atom["reason"]) for atom in row["atoms"]),
        evidence,
        row["assumed"],
    )
