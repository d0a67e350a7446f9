"""Files that people send by page or API: stored, then imported by a worker, once.

The database row decides: a lost message costs time, the lease of a dead worker runs out, and
importing again what is there already changes nothing.
"""

from __future__ import annotations

import logging
import tempfile
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from annotations import event_log
from annotations.access import place_of
from annotations.benchmarks.registry import FORMATS
from annotations.database.leases import WorkerLease, reason_of
from annotations.errors import ImportRefused
from annotations.imports.outcome import Outcome
from annotations.models import Study
from annotations.sources.archives import is_archive, unpack
from annotations.sources.expected_rows import expected_rows
from annotations.storage.local_file import fetch
from judges.intake import bring_in as intake_bring_in
from judges.intake import deliveries, previews
from judges.intake.room import expect_room
from judges.models import Delivery, Upload

logger = logging.getLogger(__name__)

LEASE = WorkerLease(
    Upload,
    Upload.State.WAITING,
    Upload.State.WORKING,
    Upload.State.GIVEN_UP,
    timedelta(minutes=5),
    "they were reading this file",
)
LARGEST = 8 * 2**30
TABLES = (".csv", ".tsv", ".jsonl", ".json", ".txt")
# What a person said of what is in the files.
CHOICES = ("columns", "folder", "name_is", "questions")
# Seconds between two updates of the number of rows read.
PROGRESS_EVERY = 1.0


def accept(
    *,
    study: Study,
    by: Any,
    content: IO[bytes],
    name: str,
    kind: str = Upload.Kind.STUDY,
    format: str = "tidy",
    generator: str = "",
    judge: str = "",
    dry_run: bool = False,
    strict: bool = False,
    key: str = "",
) -> Upload:
    """Store the file for a worker. The same key twice is the same upload."""
    if key:
        known = Upload.objects.filter(study=study, key=key).first()
        if known is not None:
            return known
    name = Path(name.replace("\\", "/")).name[-200:]
    if not (is_archive(name) or name.lower().endswith(TABLES)):
        raise ImportRefused(
            "Send a table (.csv, .tsv, .jsonl, .json, .txt) or an archive (.zip, .tar, .tar.gz)."
        )
    if format not in FORMATS:
        raise ImportRefused(f"There is no format “{format[:40]}”.")
    if kind not in Upload.Kind.values:
        raise ImportRefused(f"“{kind[:20]}” is none of study, labels, scores.")
    file = _store(content, name)
    upload, created = Upload.objects.get_or_create(
        study=study,
        key=key or uuid.uuid4().hex,
        defaults={
            "by": by,
            "kind": kind,
            "format": format,
            "name": name,
            "file": file,
            "generator": generator[:200],
            "judge": judge[:120],
            "dry_run": dry_run,
            "strict": strict,
        },
    )
    if not created:
        _remove(file)
    return upload


def hand_over(*, delivery: Delivery, study: Study, dry_run: bool = False) -> Upload:
    """The files that were looked at, for a worker to import into this study, as they were shown."""
    found, typed = delivery.found, delivery.typed
    if delivery.state != Delivery.State.LOOKED or found.get("refusal"):
        raise ImportRefused("These files have not been checked yet; check them first.")
    with transaction.atomic():
        taken = Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.LOOKED).update(
            state=Delivery.State.SENT
        )
        if not taken:
            raise ImportRefused("These files are being imported already.")
        return Upload.objects.create(
            study=study,
            by=delivery.by,
            kind=found["kind"],
            format=found["format"],
            name=name_of(delivery),
            delivery=delivery,
            choices={name: typed[name] for name in CHOICES if name in typed},
            generator=str(typed.get("generator", ""))[:200],
            judge=str(typed.get("judge", ""))[:120],
            strict=bool(typed.get("strict")),
            dry_run=dry_run,
            # The check has read them all.
            expected=found.get("read"),
            key=uuid.uuid4().hex,
        )


def name_of(delivery: Delivery) -> str:
    paths = [path for batch in delivery.batches.order_by("pk") for path, _ in batch.files]
    if len(paths) == 1:
        return paths[0][-200:]
    shown = sorted(paths, key=lambda path: (not is_archive(path), not path.endswith(TABLES)))[0]
    return f"{shown[-160:]} and {len(paths) - 1} more"


def waiting() -> list[int]:
    """Uploads that no worker holds; those whose worker died count as waiting again."""
    LEASE.take_back()
    uploads = Upload.objects.filter(state=Upload.State.WAITING)
    return list(uploads.order_by("pk").values_list("pk", flat=True))


def try_again(*, upload: Upload) -> None:
    if not LEASE.try_again(upload.pk):
        raise ImportRefused("This file was not given up; there is nothing to try again.")


def import_upload(*, upload_id: int) -> None:
    """Claim the upload, import it, and store the outcome."""
    holder = LEASE.claim(upload_id)
    if not holder:
        return
    upload = Upload.objects.select_related("study", "by", "delivery").get(pk=upload_id)
    try:
        with (
            LEASE.held_by(upload_id, holder),
            tempfile.TemporaryDirectory() as folder,
            event_log.on_behalf_of(upload.by),
        ):
            outcome = _import(upload, Path(folder), _progress(upload, holder))
    except ImportRefused as refusal:
        _close(upload, Upload.State.REFUSED, reason=refusal.message)
    except Exception as error:
        logger.exception("import of upload %s failed", upload.pk)
        LEASE.failed(upload_id, holder, reason_of(error))
    else:
        _close(upload, Upload.State.DONE, outcome=outcome.as_json(), read=outcome.read, reason="")


def _import(upload: Upload, folder: Path, progress: Callable[[int], None]) -> Outcome:
    if upload.delivery is not None:
        with deliveries.laid_out(upload.delivery) as (_, path):
            return _import_from(upload, path, progress)
    # Readers recognise files by their names, and refusals show them.
    path = folder / upload.name
    fetch(upload.file, path)
    if is_archive(upload.name):
        path = unpack(path, folder / "unpacked", name=upload.name)
    return _import_from(upload, path, progress)


def _import_from(upload: Upload, path: Path, progress: Callable[[int], None]) -> Outcome:
    if upload.expected is None:
        upload.expected = expected_rows(upload.format, path)
    upload.began_at = timezone.now()
    LEASE.renew(upload.pk, upload.holder, read=0, **_of_speed(upload))
    said = {**upload.choices, "generator": upload.generator, "judge": upload.judge}
    source = previews.source_of(path, said, format=upload.format)
    given: dict[str, Any] = {
        "format": upload.format,
        "source": source,
        "dry_run": upload.dry_run,
        "strict": upload.strict,
        "progress": progress,
        "for_anybody": _is_owners(upload),
    }
    if upload.kind == Upload.Kind.LABELS:
        return intake_bring_in.import_labels(study=upload.study, **given)
    if upload.kind == Upload.Kind.SCORES:
        return intake_bring_in.import_scores(study=upload.study, **given)
    return intake_bring_in.import_study(slug=upload.study.slug, **given)


def _is_owners(upload: Upload) -> bool:
    """What the sender is now, when the file is read: whoever was removed from the study, or only
    labels in it by now, imports nothing any more. False once the account is gone."""
    if upload.by is None:
        return False
    place = place_of(upload.by, upload.study.slug)
    if place is None or not place.may_research:
        raise ImportRefused("Whoever sent this file is no longer a researcher of this study.")
    return place.owns


def _progress(upload: Upload, holder: str) -> Callable[[int], None]:
    """Stores the number of rows read and renews the lease; refuses once the lease is lost."""
    last, before = 0.0, 0

    def advance(read: int) -> None:
        nonlocal last, before
        if read < before:
            # Whoever wants all rows or none has them read twice.
            upload.began_at = timezone.now()
        before = read
        if time.monotonic() - last < PROGRESS_EVERY:
            return
        last = time.monotonic()
        if not LEASE.renew(upload.pk, holder, read=read, **_of_speed(upload)):
            raise ImportRefused("Another worker has taken this file over.")

    return advance


def _of_speed(upload: Upload) -> dict[str, Any]:
    return {"expected": upload.expected, "began_at": upload.began_at}


@transaction.atomic
def _close(upload: Upload, state: str, **more: Any) -> None:
    file = upload.file
    now = timezone.now()
    if LEASE.end(upload.pk, upload.holder, state=state, file="", finished_at=now, **more):
        if upload.delivery is not None:
            deliveries.forget(delivery=upload.delivery)
        transaction.on_commit(lambda: _remove(file))


def _store(content: IO[bytes], name: str) -> str:
    """Under a random name, so that a file called `../../x` does no harm."""
    suffix = next((s for s in (".tar.gz", ".tar.bz2", ".tar.xz") if name.endswith(s)), "")
    stored_as = f"uploads/{uuid.uuid4().hex}{suffix or Path(name).suffix.lower()}"
    sent = File(content)
    if sent.size > LARGEST:
        raise ImportRefused(f"The file is larger than {LARGEST // 2**30} GB.")
    expect_room()
    return default_storage.save(stored_as, sent)


def _remove(file: str) -> None:
    if file:
        default_storage.delete(file)
