"""Answers as rows: read by pages, requested, computed by a worker or by the page itself."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone, translation

from annotations.database.prepared import Prepared, ask
from annotations.database.read_only import SENTENCE, may_write
from annotations.errors import Refused
from annotations.models import AnswerJob, StoredAnswer, Study
from annotations.signals import answer_requested
from annotations.stored_answers.question import FACTS, NONE, Question, key_of

if TYPE_CHECKING:
    import numpy as np

State = AnswerJob.State
# Of a study and a question; what was computed longest ago goes.
KEPT = 40
# While data keep changing, computing takes at most this share of the time.
SHARE_OF_TIME = 0.1
IN_HAND = (State.WAITING, State.WORKING)

WORKER_IS_AWAKE = timedelta(minutes=5)
# Most pages ask it once or twice.
ANSWER = Prepared(
    lambda mark: (
        StoredAnswer.objects.order_by()
        .filter(study=mark("study"), question=mark.text("question"), key=mark.text("key"))
        .select_related("job")
        .defer("keys")
    )
)
KEYS = "SELECT keys FROM annotations_storedanswer WHERE id = %s"


def read_answer(question: Question, study: Study, parameters: Any = NONE) -> StoredAnswer:
    """For a page: what is stored. A small study's is computed at once where it is not up to date; of a
    large one, an old answer is shown while a worker computes a new one. `reason`: why there is none."""
    try:
        return _read(question, study, parameters)
    except Refused as refusal:
        return refused_answer(refusal.message)


def refused_answer(reason: str) -> StoredAnswer:
    """For a page, of what is not stored."""
    return StoredAnswer(job=AnswerJob(state=State.REFUSED, reason=reason))


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
    question: Question,
    study: Study,
    parameters: Any = NONE,
    *,
    now: bool = False,
    may_wait: bool = False,
) -> StoredAnswer:
    """It computes itself what was never computed or rests on other facts, what its own buttons have just
    changed (`now`), and what no worker keeps up or has come for; else it shows the old ones. `may_wait`: the
    page can do without those that were never computed until a worker has them; they have no body."""
    if question.fits_a_page(study, parameters):
        return compute_answer(question, study, parameters, store=False)
    row, stamp = answer_of(question, study, parameters), question.stamp(study, parameters)
    if row is None or not row.content:
        if may_wait and not now and question.keeps_up:
            row = request_answer(question, study, parameters)
            row.is_old = True
            if _is_soon_computed(row):
                return row
        return compute_answer(question, study, parameters)
    if row.stamp.partition(FACTS)[2] != stamp.partition(FACTS)[2]:
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
    job = row.job
    if job is None or job.state != State.WAITING:
        return job is not None and job.is_open
    return timezone.now() - job.created_at < WORKER_IS_AWAKE


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
    values = _computed(question, study, parameters, stamp) | {"parameters": asdict(parameters)}
    which = _which(question, study, parameters)
    if not store:
        return StoredAnswer(**which, **values)
    row, _ = StoredAnswer.objects.update_or_create(**which, defaults=values)
    # No worker has to, and one that does stores nothing.
    over = {"state": State.DONE, "holder": "", "leased_until": None, "tries": 0, "reason": ""}
    AnswerJob.objects.filter(pk=row.job_id).update(**over)
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
    if row is not None and row.job is not None and _is_on_its_way(row.job, again):
        return row
    if not may_write():
        return row or refused_answer(SENTENCE)
    others = StoredAnswer.objects.filter(study=study, question=question.name)
    if not again and others.filter(job__state__in=IN_HAND).exists():
        return row or StoredAnswer(**_which(question, study, parameters), job=AnswerJob())
    return _request(question, study, parameters, by)


def _is_on_its_way(job: AnswerJob, again: bool) -> bool:
    """Whether a worker will compute it, or has given it up, which a person must ask for `again`."""
    if again and job.state == State.WORKING:
        return _note_request(job)
    return job.is_open or (job.is_given_up and not again)


@transaction.atomic
def _request(question: Question, study: Study, parameters: Any, by: Any) -> StoredAnswer:
    which = _which(question, study, parameters)
    new = {"state": State.WAITING, "tries": 0, "reason": "", "done": 0, "total": None, "by": by}
    new |= {"created_at": timezone.now(), "payload": {"question": question.name}}
    key = f"{question.name} {which['key']}"
    job, is_new = AnswerJob.objects.get_or_create(study=study, key=key, defaults=new)
    if not is_new:
        # Unless a worker has taken it meanwhile.
        AnswerJob.objects.filter(pk=job.pk).exclude(state__in=IN_HAND).update(**new)
        job.refresh_from_db()
    linked = {"job": job, "parameters": asdict(parameters)}
    row, _ = StoredAnswer.objects.update_or_create(**which, defaults=linked)
    transaction.on_commit(lambda: answer_requested.send(sender=None, job=job))
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
    job = row and row.job
    if job and job.state == State.WORKING and _note_request(job):
        return
    if not (row and job and job.is_refused) or row.stamp != question.stamp(study, parameters):
        request_answer(question, study, parameters)


def _note_request(job: AnswerJob) -> bool:
    """Its worker sees at the end that a request was for newer data than it has read; False where it has
    come to its end."""
    rows = AnswerJob.objects.filter(pk=job.pk, state=State.WORKING)
    return not may_write() or bool(rows.update(created_at=timezone.now()))


def compute_requested(question: Question, job: AnswerJob, progress: Callable[..., None]) -> None:
    """By the worker that holds the job. What it finds stays in its hands until `store_found`."""
    row = StoredAnswer.objects.filter(job=job).select_related("study").first()
    if row is None:
        return  # Forgotten meanwhile.
    job.found = {"content": "", "keys": b"", "stamp": ""}
    parameters = question.parameters(**row.parameters)
    # What changes while this reads is newer than the answer.
    stamp = question.stamp(row.study, parameters, start=True)
    job.found["stamp"] = stamp
    job.found = _computed(question, row.study, parameters, stamp, job, progress)


def store_found(question: Question, job: AnswerJob) -> None:
    """In the transaction in which the job ends. A refusal leaves no body."""
    rows = StoredAnswer.objects.filter(job=job)
    if job.is_given_up or not rows.update(**{"computed_at": timezone.now()} | job.found):
        return
    row = rows.select_related("study").defer("content", "keys").get()
    _keep_the_newest(row)
    newer = AnswerJob.objects.filter(pk=job.pk, created_at__gt=job.created_at)
    if row.stamp and newer.exists():
        # The request was for newer data than were read.
        parameters = question.parameters(**row.parameters)
        if question.stamp(row.study, parameters) != row.stamp:
            request_answer(question, row.study, parameters, by=job.by, again=True)


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
    _forget(StoredAnswer.objects.filter(study=study_id))


def answer_of(question: Question, study: Study, parameters: Any) -> StoredAnswer | None:
    """The row as it is."""
    return ANSWER.first(study=study.pk, question=question.name, key=key_of(parameters))


def _which(question: Question, study: Study, parameters: Any) -> dict[str, Any]:
    return {"study": study, "question": question.name, "key": key_of(parameters)}


def _computed(
    question: Question,
    study: Study,
    parameters: Any,
    stamp: str,
    job: AnswerJob | None = None,
    progress: Callable[..., None] = lambda done, total: None,
) -> dict[str, Any]:
    import numpy as np

    began = time.perf_counter()
    # Whoever asks first: what is stored is read in every language.
    with translation.override(settings.LANGUAGE_CODE):
        if job is not None and question.compute_for is not None:
            found = question.compute_for(job, parameters, progress)
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
    at_rest = rows.exclude(job__state__in=IN_HAND).order_by("-computed_at")
    old = list(at_rest.values_list("pk", flat=True)[KEPT:])
    _forget(StoredAnswer.objects.filter(pk__in=old))


def _forget(rows: QuerySet[StoredAnswer]) -> None:
    AnswerJob.objects.filter(stored_answer__in=rows).delete()
    rows.delete()
