"""A judge that asks a server, without the server: its requests go out as files, and answers come in as files.

A batch machine needs neither the database nor the pictures' storage: every request holds its picture.
Requests are ordered by image, so that an engine's prefix cache finds each picture once. What comes in is
stored as looks, and the run is decided here from these; a method that asks further questions after the
first answers takes a second batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tqdm import tqdm

from annotations.models import Image, Study
from judges.batches.files import REQUESTS, Results, Shards, name_of
from judges.looks.gather import ImageScorer
from judges.models import Run
from judges.runs import lifecycle, score_chunk
from judges.runs.queries import run_row
from judges.runs.score_chunk import IMAGE_FIELDS
from jurybox_judging import registry
from jurybox_judging.engines.openai_server import OpenAIServer, instead
from jurybox_judging.engines.shared.http_json import Declined, Unanswered
from jurybox_judging.errors import JudgeRefused, Passing
from jurybox_judging.protocols import Answer, Patience, Question, Talk, Want
from jurybox_judging.scorer import ROUNDS, PendingImage, group_by_pictures
from jurybox_judging.self_test import check_engines

MISSING = "The batch has no answer to this."


AT_ONCE = 64
# An answer that is missing goes into the next batch: the engine never leaves a question out, and
# nobody waits for files to change.
PATIENT, ONCE = Patience(10**9, 0.001, 0.001), Patience(1)


@dataclass(frozen=True, slots=True)
class TakenIn:
    """`missing`: questions that have no answer yet. `run` is decided where none is missing."""

    results: Results
    stored: int
    missing: int
    run: Run | None

    def lines(self) -> list[str]:
        results = self.results
        lines = [f"{self.stored} answers were stored.", *results.wrong]
        if results.bad > len(results.wrong):
            lines.append(
                f"… and {results.bad - len(results.wrong)} more lines that cannot be read."
            )
        if results.doubled:
            lines.append(
                f"{results.doubled} lines answer a request a second time; the first stays."
            )
        if results.foreign:
            lines.append(
                f"{results.foreign} lines answer nothing that was still asked: they are of another judge or "
                "study, or were taken in before."
            )
        if self.run is not None:
            lines.append(run_row(self.run).in_words)
        return lines


def write_out(
    *,
    study: Study,
    name: str,
    options: Mapping[str, Any],
    folder: Path,
    per_file: int = REQUESTS,
    quiet: bool = True,
) -> Shards:
    """Requests for everything that the judge wants to know and that is not stored."""
    judge = _server_judge(name, options)
    shards = Shards(folder, requests=per_file)
    with _standing_in(judge, Writes(shards)), closing(ImageScorer(judge)) as scorer:
        if judge.self_test:
            _self_test(judge)
        for batch in _batches(study, scorer, quiet=quiet):
            for pending in batch:
                for engine, wants in _questions_by_engine(judge, scorer, pending):
                    _ask(engine, pending, wants)
    shards.close(
        {
            "study": study.slug,
            "judge": name,
            "fingerprint": lifecycle.frozen_judge(name=name, options=options).fingerprint,
        }
    )
    return shards


def take_in(
    *, study: Study, name: str, options: Mapping[str, Any], folder: Path, quiet: bool = True
) -> TakenIn:
    """Store the answers as looks; then decide the run, if none is missing. What is stored stays, so a
    command that was killed goes on where it was."""
    results = Results.read_folder(folder)
    judge = _server_judge(name, options)
    stored = missing = 0
    with _standing_in(judge, Answers(results)):
        if judge.self_test and not _self_test(judge):
            missing += 1
        with closing(ImageScorer(judge)) as scorer:
            for batch in _batches(study, scorer, quiet=quiet):
                for _ in range(ROUNDS):
                    new, lacking = _fill(judge, scorer, batch)
                    stored += new
                    if not new:
                        break
                    scorer.go_on(batch)
                missing += lacking
        if missing:
            return TakenIn(results, stored, missing, None)
        run = lifecycle.start_run(study=study, name=name, options=options)
        score_chunk.work_off(run=run)
    run.refresh_from_db()
    return TakenIn(results, stored, 0, run)


def _server_judge(name: str, options: Mapping[str, Any]) -> registry.Judge:
    judge = registry.build(name, dict(options))
    strange = [
        type(engine).__name__
        for engine in judge.parts.values()
        if not isinstance(engine, OpenAIServer)
    ]
    if strange or not judge.parts:
        raise JudgeRefused(
            f"A batch is for judges that ask a server. “{name}” looks with "
            f"{', '.join(strange) or 'no engine'}: run it here."
        )
    return judge


@contextmanager
def _standing_in(judge: registry.Judge, server: Any) -> Iterator[None]:
    """One request at a time, so that their order is that of the images."""
    engines: Any = list(judge.parts.values())
    own = [(engine.patience, engine.concurrency) for engine in engines]
    token = instead.set(server)
    for engine in engines:
        engine.patience, engine.concurrency = PATIENT, 1
        engine.forget()
    try:
        yield
    finally:
        instead.reset(token)
        for engine, (patience, concurrency) in zip(engines, own, strict=True):
            engine.patience, engine.concurrency = patience, concurrency
            engine.forget()


def _self_test(judge: registry.Judge) -> bool:
    """Whether its questions were answered; a wrong answer is refused."""
    engines: Any = list(judge.parts.values())
    for engine in engines:
        engine.patience = ONCE
    try:
        check_engines(judge.parts, keep_alive=lambda: None)
    except Passing:
        return False
    finally:
        for engine in engines:
            engine.patience = PATIENT
    return True


def _batches(study: Study, scorer: ImageScorer, *, quiet: bool) -> Iterator[list[PendingImage]]:
    images = Image.objects.filter(study=study).select_related("prompt")
    images = images.prefetch_related("prompt__atoms").only(*IMAGE_FIELDS).order_by("pk")
    keys = list(images.values_list("pk", flat=True))
    with tqdm(total=len(keys), unit="image", disable=quiet) as bar:
        for start in range(0, len(keys), AT_ONCE):
            batch = list(images.filter(pk__in=keys[start : start + AT_ONCE]))
            yield scorer.begin(batch)
            bar.update(len(batch))


def _questions_by_engine(
    judge: registry.Judge, scorer: ImageScorer, pending: PendingImage
) -> Iterator[tuple[Any, list[Any]]]:
    """The image's questions by engine, where its picture can be read."""
    by_kind: dict[str, list[Any]] = {
        "answers": [want for want in pending.wants if isinstance(want, Question)],
        "talk": [want for want in pending.wants if isinstance(want, Talk)],
    }
    if pending.failure or not pending.wants or not scorer.can_open(pending):
        return
    for kind, wants in by_kind.items():
        # Questions that show the same pictures are one call's.
        for some in group_by_pictures(wants) if kind == "answers" else [wants]:
            if some:
                yield judge.parts[kind], some


def _ask(engine: Any, pending: PendingImage, wants: list[Any]) -> list[Any] | None:
    """The answers to all of them, or None where one is not there."""
    try:
        if isinstance(wants[0], Talk):
            talks: list[Any] = engine.talk(
                [(pending.placed_pictures(want), want) for want in wants]
            )
            return talks
        answers: list[Any] = engine.answer([(pending.placed_pictures(wants[0]), wants)])[0]
        return answers
    except Passing:
        return None


def _fill(judge: registry.Judge, scorer: ImageScorer, batch: list[PendingImage]) -> tuple[int, int]:
    """How many answers were stored, and how many are missing."""
    stored = missing = 0
    for pending in batch:
        for engine, wants in _questions_by_engine(judge, scorer, pending):
            kind = "talk" if isinstance(wants[0], Talk) else "answers"
            whole = _use_replies(engine, pending, wants)
            rows: list[tuple[PendingImage, Want, Any, float]] = []
            for place, want in enumerate(wants):
                one = whole[place : place + 1] if whole else _use_replies(engine, pending, [want])
                if one is None:
                    missing += 1
                elif one:
                    rows.append((pending, want, one[0], 0.0))
                    # What the server declined is no look; it is recorded again when the run is decided.
                    stored += not (isinstance(one[0], Answer) and one[0].probability is None)
            scorer.keep(kind, rows)
    return stored, missing


def _use_replies(engine: Any, pending: PendingImage, wants: list[Want]) -> list[Any] | None:
    """Empty where a talk cannot be used: the run says so when the run is decided."""
    try:
        return _ask(engine, pending, wants)
    except ValueError:
        return []


class _Files:
    """Opened and closed as a server's connection is; files need neither."""

    name = "batch"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Writes(_Files):
    """Writes each request down; none is answered."""

    def __init__(self, shards: Shards) -> None:
        self._shards = shards

    def post(self, path: str, body: bytes) -> dict[str, Any]:
        self._shards.add(body)
        raise Unanswered(MISSING)


class Answers(_Files):
    """Answers from the files, as the server would have: a refusal stays a refusal."""

    def __init__(self, results: Results) -> None:
        self._results = results

    def post(self, path: str, body: bytes) -> dict[str, Any]:
        told = self._results.answer(name_of(body))
        if told is None:
            raise Unanswered(MISSING)
        response = told.get("response")
        status = response.get("status_code") if isinstance(response, dict) else None
        reply = response.get("body") if isinstance(response, dict) else None
        if status == 200 and isinstance(reply, dict):
            return reply
        if isinstance(status, int) and 400 <= status < 500 and status not in (408, 409, 425, 429):
            raise Declined(f"The batch answered with status {status}{_error_text(reply)}", status)
        # As if it were new: the next batch asks it again.
        raise Unanswered(MISSING)


def _error_text(reply: Any) -> str:
    error = reply.get("error") if isinstance(reply, dict) else None
    words = error.get("message") if isinstance(error, dict) else error
    return f": {' '.join(words.split())[:200]}" if isinstance(words, str) and words else "."
