"""Answers as rows: read by pages, requested, computed by a worker or by the page itself."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone, translation

from annotations.database.leases import WorkerLease, reason_of
from annotations.database.prepared import ask
from annotations.database.read_only import SENTENCE, may_write
from annotations.errors import Refused
from annotations.models import StoredAnswer, Study
from annotations.signals import answer_requested
from annotations.stored_answers.question import FACTS, NONE, Question, key_of

if TYPE_CHECKING:
    import numpy as np

logger = logging.getLogger(__name__)
State = StoredAnswer.State
LEASE = WorkerLease(
    StoredAnswer,
    State.WAITING,
    State.WORKING,
    State.GIVEN_UP,
    timedelta(seconds=60),
    "they were computing this; it may need more memory than there is",
)
# Of a study and a question; what was requested longest ago goes.
KEPT = 40
# While data keep changing, computing takes at most this share of the time.
SHARE_OF_TIME = 0.1
IN_HAND = (State.WAITING, State.WORKING)

WORKER_IS_AWAKE = timedelta(minutes=5)
KEYS = "SELECT keys FROM annotations_storedanswer WHERE id = %s"


def read_answer(question: Question, study: Study, parameters: Any = NONE) -> StoredAnswer:
    """For a page: what is stored. A small study's is computed at once where it is not up to date; of a
    large one, an old answer is shown while a worker computes a new one. `reason`: why there is none."""
    try:
        return _read(question, study, parameters)
    except Refused as refusal:
        return StoredAnswer(study=study, state=State.REFUSED, reason=refusal.message)


def _read(question: Question, study: Study, parameters: Any) -> StoredAnswer:
    if not question.stores_small and question.fits_a_page(study, parameters):
        return compute_answer(question, study, parameters, store=False)
    row = answer_of(question, study, parameters)
    if row is not None and row.stamp == question.stamp(study, parameters):
        return row
    if question.stores_small and question.fits_a_page(study, parameters):
        return compute_answer(question, study, parameters)
    if row is None or has_rested(row):
        row = request_answer(question, study, parameters)
    row.is_old = True
    return row


def read_figures(
    question: Question, study: Study, parameters: Any = NONE, *, now: bool = False
) -> StoredAnswer:
    """For a page that is nothing without them. It computes itself what was never computed or rests on
    other facts, what its own buttons have just changed (`now`), and what no worker keeps up or has come for;
    else it shows the old ones."""
    if question.fits_a_page(study, parameters):
        return compute_answer(question, study, parameters, store=False)
    row, stamp = answer_of(question, study, parameters), question.stamp(study, parameters)
    if row is None or row.stamp.partition(FACTS)[2] != stamp.partition(FACTS)[2]:
        return compute_answer(question, study, parameters)
    if row.stamp == stamp:
        return row
    row.is_old = True
    if not now and (
        not has_rested(row)
        or (question.keeps_up and _is_soon_computed(request_answer(question, study, parameters)))
    ):
        return row
    return compute_answer(question, study, parameters)


def _is_soon_computed(row: StoredAnswer) -> bool:
    """A worker looks for what waits every few seconds."""
    awake = timezone.now() - row.requested_at < WORKER_IS_AWAKE
    return row.state == State.WORKING or (row.state == State.WAITING and awake)


def answer_at_once(question: Question, study: Study, parameters: Any = NONE) -> StoredAnswer:
    """For a command, which waits. Raises what `compute` refuses."""
    row = answer_of(question, study, parameters)
    if row is not None and row.stamp == question.stamp(study, parameters):
        return row
    return compute_answer(question, study, parameters)


def compute_answer(
    question: Question, study: Study, parameters: Any = NONE, *, store: bool = True
) -> StoredAnswer:
    """By this process, while somebody waits."""
    store = store and may_write()
    stamp = question.stamp(study, parameters, start=True) if store else ""
    values = _computed(question, study, parameters, stamp) | {"requested_at": timezone.now()}
    values |= {"parameters": asdict(parameters), "state": State.READY, "holder": ""}
    values |= {"leased_until": None, "tries": 0, "reason": ""}
    which: dict[str, Any] = {"study": study, "question": question.name}
    which |= {"key": key_of(parameters)}
    if not store:
        return StoredAnswer(**which, **values)
    row, _ = StoredAnswer.objects.update_or_create(**which, defaults=values)
    _keep_the_newest(row)
    return row


def request_answer(
    question: Question,
    study: Study,
    parameters: Any = NONE,
    *,
    by: Any = None,
    again: bool = False,
) -> StoredAnswer:
    """Has a worker compute it, unless one will. `again`: also what was given up. Of a question about a
    study one answer waits at a time: who turns over many parameters fills no queue."""
    row = answer_of(question, study, parameters)
    if row is not None and again and row.state == State.WORKING:
        _note_request(row)
    if row is not None and (row.state in IN_HAND or (row.is_given_up and not again)):
        return row
    if not may_write():
        return row or StoredAnswer(study=study, state=State.REFUSED, reason=SENTENCE)
    which = {"study": study, "question": question.name, "key": key_of(parameters)}
    values = {"state": State.WAITING, "tries": 0, "reason": "", "done": 0, "total": 0}
    values |= {"requested_at": timezone.now(), "requested_by": by}
    new = values | {"parameters": asdict(parameters)}
    others = StoredAnswer.objects.filter(study=study, question=question.name, state__in=IN_HAND)
    if not again and others.exists():
        return row or StoredAnswer(**which, **new)
    if row is None:
        row, _ = StoredAnswer.objects.get_or_create(**which, defaults=new)
    else:
        # Unless a worker has taken it meanwhile.
        StoredAnswer.objects.filter(pk=row.pk, state=row.state).update(**values)
        row.refresh_from_db(fields=[*values, "leased_until"])
    pk = row.pk
    transaction.on_commit(lambda: answer_requested.send(sender=None, pk=pk))
    return row


def request_due_answers(questions: Iterable[Question], studies: Iterable[Study]) -> None:
    """Of those that workers keep up to date: never computed, or old and rested."""
    for study in studies:
        for question in questions:
            parameters = question.parameters()
            row = answer_of(question, study, parameters)
            fresh = row is not None and row.stamp == question.stamp(study, parameters)
            if fresh or question.fits_a_page(study, parameters):
                continue
            if row is None or has_rested(row):
                request_answer(question, study, parameters)


def request_unless_refused(question: Question, study: Study, parameters: Any) -> None:
    """A refusal stays until the data change. What is being computed is computed once more where the data
    have changed since it began."""
    row = answer_of(question, study, parameters)
    if row is not None and row.state == State.WORKING:
        _note_request(row)
    elif row is None or not row.is_refused or row.stamp != question.stamp(study, parameters):
        request_answer(question, study, parameters)


def _note_request(row: StoredAnswer) -> None:
    """Its worker sees at the end that a request was for newer data than it has read."""
    if may_write():
        StoredAnswer.objects.filter(pk=row.pk).update(requested_at=timezone.now())


def waiting_answers() -> list[StoredAnswer]:
    """What no worker computes yet; where one died, its row waits again."""
    LEASE.take_back()
    return list(
        StoredAnswer.objects.filter(state=State.WAITING).defer("content", "keys").order_by("pk")
    )


def compute_requested(question: Question, row: StoredAnswer) -> None:
    """For a worker. Of two, one gets it; one that has lost its lease stores nothing."""
    if not (holder := LEASE.claim(row.pk)):
        return
    began, stamp = timezone.now(), ""
    parameters: Any = NONE
    try:
        with LEASE.held_by(row.pk, holder):
            parameters = question.parameters(**row.parameters)
            # What changes while this reads is newer than the answer.
            stamp = question.stamp(row.study, parameters, start=True)
            values = _computed(question, row.study, parameters, stamp, row)
    except Refused as refusal:
        nothing = {"content": "", "keys": b"", "stamp": stamp, "computed_at": timezone.now()}
        LEASE.end(row.pk, holder, state=State.REFUSED, reason=refusal.message, **nothing)
    except Exception as error:
        logger.exception("%s could not be computed for study %s", row.question, row.study_id)
        LEASE.failed(row.pk, holder, reason_of(error))
    else:
        LEASE.end(row.pk, holder, state=State.READY, tries=0, reason="", **values)
        _keep_the_newest(row)
    _request_once_more(question, row, parameters, began, stamp)


def _request_once_more(
    question: Question, row: StoredAnswer, parameters: Any, began: Any, stamp: str
) -> None:
    """The request was for newer data than were read."""
    row = StoredAnswer.objects.filter(pk=row.pk).select_related("study").first() or row
    computed = row.state in (State.READY, State.REFUSED)
    if computed and row.requested_at > began and question.stamp(row.study, parameters) != stamp:
        request_answer(question, row.study, parameters, by=row.requested_by, again=True)


def has_rested(row: StoredAnswer) -> bool:
    """Whether it may be computed again already."""
    if row.computed_at is None:
        return True
    rested = timezone.now() - row.computed_at
    # Computed in time to come: the clock was wrong then.
    return rested < timedelta() or rested >= timedelta(seconds=row.seconds / SHARE_OF_TIME)


def compute_again(question: Question, row: StoredAnswer) -> bool:
    """Whether what was stored is wrong: of these very data, and another answer."""
    found = compute_answer(question, row.study, question.parameters(**row.parameters))
    before = (row.body, bytes(row.keys))
    return row.stamp == found.stamp and before != (found.body, found.keys)


def keys_of(row: StoredAnswer) -> np.ndarray:
    """There may be a million: they are read only where somebody wants them."""
    import numpy as np

    if "keys" in row.__dict__:
        return np.frombuffer(row.keys, np.int64)
    packed = ask(KEYS, [row.pk], binary=True)
    return np.frombuffer(packed[0][0] if packed else b"", np.int64)


def outdate_answers(study_id: int) -> None:
    """An import has changed more than labels: prompts, their tags, images."""
    rows = StoredAnswer.objects.filter(study=study_id)
    for pk, stamp in rows.values_list("pk", "stamp"):
        rows.filter(pk=pk).update(stamp="".join(stamp.partition(FACTS)[1:]))


def forget_answers(study_id: int) -> None:
    """They hold what must not be shown any more, such as names of people."""
    StoredAnswer.objects.filter(study=study_id).delete()


def answer_of(question: Question, study: Study, parameters: Any) -> StoredAnswer | None:
    """The row as it is."""
    rows = StoredAnswer.objects.filter(study=study, question=question.name)
    return rows.filter(key=key_of(parameters)).defer("keys").first()


def _computed(
    question: Question, study: Study, parameters: Any, stamp: str, row: StoredAnswer | None = None
) -> dict[str, Any]:
    import numpy as np

    began = time.perf_counter()
    # Whoever asks first: what is stored is read in every language.
    with translation.override(settings.LANGUAGE_CODE):
        if row is not None and question.compute_for is not None:
            found = question.compute_for(row, parameters)
        else:
            found = question.compute(study, parameters)
    body, keys = found if isinstance(found, tuple) else (found, np.zeros(0, np.int64))
    return {
        "content": json.dumps(body, allow_nan=False),
        "keys": np.asarray(keys, np.int64).tobytes(),
        "stamp": stamp,
        "seconds": time.perf_counter() - began,
        "computed_at": timezone.now(),
    }


def _keep_the_newest(row: StoredAnswer) -> None:
    rows = StoredAnswer.objects.filter(study=row.study_id, question=row.question)
    old = rows.exclude(state__in=IN_HAND).order_by("-computed_at").values_list("pk", flat=True)
    StoredAnswer.objects.filter(pk__in=list(old[KEPT:])).delete()
