"""Files that people send by page or API: stored, then imported by a worker, once.

The database row decides: a lost message costs time, the lease of a dead worker runs out, and
importing again what is there already changes nothing.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from annotations.access import place_of
from annotations.errors import ImportRefused
from annotations.imports.outcome import Outcome
from annotations.imports.turn import Turn
from annotations.jobs import JobKind, Progress, PutOff
from annotations.models import Study
from annotations.storage.room import expect_room
from judges.intake import bring_in as intake_bring_in
from judges.intake import deliveries, previews
from judges.models import Delivery, Upload
from judges.signals import scores_changed
from jurybox_formats.registry import FORMATS
from jurybox_formats.sources.archives import is_archive, unpack
from jurybox_formats.sources.expected_rows import expected_rows
from jurybox_formats.tools.result_files import READERS

FOLDER = "uploads"
# So long a file may wait for its row: longer than any request.
LOST_AFTER = timedelta(hours=24)
LARGEST = 8 * 2**30
# Of one person, in all studies.
MOST_WAITING = 20
TABLES = (".csv", ".tsv", ".jsonl", ".json", ".txt", ".eval")
# What a person stated of what is in the files.
CHOICES = ("columns", "folder", "name_is", "questions", "grid", "unit")


def accept(
    *,
    study: Study,
    by: Any,
    content: IO[bytes],
    name: str,
    kind: str = Upload.Brings.STUDY,
    format: str = "tidy",
    generator: str = "",
    judge: str = "",
    grid: int = 0,
    unit: str = "",
    dry_run: bool = False,
    strict: bool = False,
) -> Upload:
    """Store the file for a worker."""
    name = Path(name.replace("\\", "/")).name[-200:]
    if not (is_archive(name) or name.lower().endswith(TABLES)):
        raise ImportRefused(
            "Send a table (.csv, .tsv, .jsonl, .json, .txt), a log of Inspect (.eval) or an archive (.zip, .tar, "
            ".tar.gz)."
        )
    if format in READERS and kind != Upload.Brings.SCORES:
        raise ImportRefused(f"“{format}” is a tool’s file of scores: send it as “scores”.")
    if format not in (*FORMATS, *READERS):
        raise ImportRefused(f"There is no format “{format[:40]}”.")
    if kind not in Upload.Brings.values:
        raise ImportRefused(f"“{kind[:20]}” is none of study, labels, scores.")
    _check_waiting(by)
    file = _store(content, name)
    return Upload.objects.create(
        study=study,
        key=uuid.uuid4().hex,
        by=by,
        brings=kind,
        format=format,
        name=name,
        file=file,
        generator=generator[:200],
        judge=judge[:120],
        choices=({"grid": str(grid)} if grid else {}) | ({"unit": unit} if unit else {}),
        dry_run=dry_run,
        strict=strict,
    )


def hand_over(*, delivery: Delivery, study: Study, dry_run: bool = False) -> Upload:
    """The files that were looked at, for a worker to import into this study, as they were shown."""
    found, typed = delivery.found, delivery.typed
    if delivery.state != Delivery.State.LOOKED or found.get("refusal"):
        raise ImportRefused("These files have not been checked yet; check them first.")
    _check_waiting(delivery.by)
    with transaction.atomic():
        taken = Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.LOOKED).update(
            state=Delivery.State.SENT
        )
        if not taken:
            raise ImportRefused("These files are being imported already.")
        return Upload.objects.create(
            study=study,
            by=delivery.by,
            brings=found["kind"],
            format=found["format"],
            name=name_of(delivery),
            delivery=delivery,
            choices={name: typed[name] for name in CHOICES if name in typed},
            generator=str(typed.get("generator", ""))[:200],
            judge=str(typed.get("judge", ""))[:120],
            strict=bool(typed.get("strict")),
            dry_run=dry_run,
            # The check has read them all.
            total=found.get("read"),
            key=uuid.uuid4().hex,
        )


def name_of(delivery: Delivery) -> str:
    paths = [path for batch in delivery.batches.order_by("pk") for path, _ in batch.files]
    if len(paths) == 1:
        return paths[0][-200:]
    shown = sorted(paths, key=lambda path: (not is_archive(path), not path.endswith(TABLES)))[0]
    return f"{shown[-160:]} and {len(paths) - 1} more"


def try_again(*, upload: Upload) -> None:
    if not KIND.try_again(upload.pk):
        raise ImportRefused("This file was not given up; there is nothing to try again.")


def _import_file(upload: Upload, progress: Progress) -> dict[str, Any]:
    was_interrupted = upload.is_begun and not upload.dry_run
    progress.may_be_put_off = False
    progress(upload.done, now=True, outcome={"turn": upload.turn, "is_begun": True})
    turn = Turn(progress.is_turn_over, **upload.turn)
    # Any other is put off only where all that was read is written: the next turn goes on there.
    progress.may_be_put_off = upload.dry_run or upload.strict
    try:
        with tempfile.TemporaryDirectory() as folder:
            outcome = _import(upload, Path(folder), progress, turn)
    except PutOff:
        kept = {"records": turn.records, "outcome": turn.outcome, "writers": turn.writers}
        progress.may_be_put_off = False
        progress(upload.done, now=True, outcome={"turn": kept, "is_begun": was_interrupted})
        raise
    progress.may_be_put_off = False
    progress(outcome.read, now=True)
    if was_interrupted:
        words = "This import was interrupted: rows that it had imported before are counted as there already."
        outcome.warnings.append(words)
    return outcome.as_json()


def _end_import(upload: Upload) -> None:
    """Reports wait while an import goes on: now they may be made."""
    _clear_away(upload)
    study_id = upload.study_id
    has_rows = not upload.dry_run and upload.state != Upload.State.REFUSED
    if study_id is not None and has_rows:
        transaction.on_commit(
            lambda: scores_changed.send(sender=Upload, study_id=study_id, ended=True)
        )


def _clear_away(upload: Upload) -> None:
    """What is given up may be tried again."""
    if upload.is_given_up:
        return
    if upload.delivery is not None:
        deliveries.forget(delivery=upload.delivery)
    transaction.on_commit(lambda: _remove(upload.file))


KIND = JobKind(
    Upload,
    _import_file,
    "they were reading this file",
    queue="imports",
    one_at_a_time=True,
    slice=600,
    most_seconds=6 * 3600,
    limit=6 * 3600,
    progress_every=1.0,
    ended=_end_import,
)


def _check_waiting(by: Any) -> None:
    waiting = Upload.objects.filter(by=by, state__in=[Upload.State.WAITING, Upload.State.WORKING])
    if by is not None and waiting.count() >= MOST_WAITING:
        raise ImportRefused(
            f"{MOST_WAITING} files of yours wait to be imported. Send more when some of them are done."
        )


def _import(upload: Upload, folder: Path, progress: Progress, turn: Turn) -> Outcome:
    if upload.delivery is not None:
        with deliveries.laid_out(upload.delivery) as (_, path):
            return _import_from(upload, path, progress, turn)
    # Readers recognise files by their names, and refusals show them.
    path = folder / upload.name
    fetch(upload.file, path)
    if is_archive(upload.name):
        path = unpack(path, folder / "unpacked", name=upload.name)
    return _import_from(upload, path, progress, turn)


def _import_from(upload: Upload, path: Path, progress: Progress, turn: Turn) -> Outcome:
    if upload.total is None:
        upload.total = expected_rows(upload.format, path)
    # With the time of the turns before, whose rows are counted, too.
    before = upload.seconds if turn.records else 0.0
    upload.began_at = timezone.now() - timedelta(seconds=before)
    read = turn.outcome.get("read", 0)
    progress(read, now=True, total=upload.total, began_at=upload.began_at)
    said = {**upload.choices, "generator": upload.generator, "judge": upload.judge}
    source = previews.source_of(path, said, format=upload.format)
    given: dict[str, Any] = {
        "format": upload.format,
        "source": source,
        "dry_run": upload.dry_run,
        "strict": upload.strict,
        "progress": _advance(upload, progress),
        "for_anybody": _is_owners(upload),
        "turn": turn,
    }
    assert upload.study is not None
    if upload.brings == Upload.Brings.LABELS:
        return intake_bring_in.import_labels(study=upload.study, **given)
    if upload.brings == Upload.Brings.SCORES:
        return intake_bring_in.import_scores(study=upload.study, **given)
    return intake_bring_in.import_study(slug=upload.study.slug, **given)


def _is_owners(upload: Upload) -> bool:
    """What the sender is now, when the file is read: whoever was removed from the study, or only
    labels in it by now, imports nothing any more. False once the account is gone."""
    if upload.by is None or upload.study is None:
        return False
    place = place_of(upload.by, upload.study.slug)
    if place is None or not place.may_research:
        raise ImportRefused(
            "The person who sent this file is no longer a researcher of this study."
        )
    return place.owns


def _advance(upload: Upload, progress: Progress) -> Callable[[int], None]:
    before = 0

    def advance(read: int) -> None:
        nonlocal before
        if read < before:
            # Whoever wants all rows or none has them read twice, and then written in one go.
            upload.began_at = timezone.now()
            progress.may_be_put_off = False
        before = read
        progress(read, began_at=upload.began_at)

    return advance


def _store(content: IO[bytes], name: str) -> str:
    """Under a random name, so that a file called `../../x` does no harm."""
    suffix = next((s for s in (".tar.gz", ".tar.bz2", ".tar.xz") if name.endswith(s)), "")
    stored_as = f"{FOLDER}/{uuid.uuid4().hex}{suffix or Path(name).suffix.lower()}"
    sent = File(content)
    if sent.size > LARGEST:
        raise ImportRefused(f"The file is larger than {LARGEST // 2**30} GB.")
    expect_room()
    return default_storage.save(stored_as, sent)


def remove_lost() -> int:
    """Files that no row names: a request was stored and then failed, in whose transaction the row was."""
    try:
        _, files = default_storage.listdir(FOLDER)
    except FileNotFoundError:
        return 0
    before = timezone.now() - LOST_AFTER
    old = {
        file
        for file in (f"{FOLDER}/{name}" for name in files)
        if default_storage.get_modified_time(file) < before
    }
    if old:
        old -= set(Upload.objects.values_list("payload__file", flat=True).iterator())
    for file in old:
        _remove(file)
    return len(old)


def _remove(file: str) -> None:
    if file:
        default_storage.delete(file)


def fetch(name: str, target: Path) -> None:
    """A link to the file, or a copy of it where it is in a bucket."""
    try:
        target.symlink_to(default_storage.path(name))
    except NotImplementedError:
        with default_storage.open(name) as file, target.open("xb") as copy:
            shutil.copyfileobj(file, copy, 2**20)
