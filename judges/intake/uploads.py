"""Files that are sent by page or API: kept, then brought in by a worker, once.

The row is the truth: a lost message costs time, a worker that dies lets its lease run out, and
importing again what is there already changes nothing.
"""

from __future__ import annotations

import io
import logging
import shutil
import tempfile
import time
import uuid
from datetime import timedelta
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from annotations import event_log as trail
from annotations.benchmarks.registry import FORMATS, Source
from annotations.errors import ImportRefused
from annotations.leases import ran_out
from annotations.media import media
from annotations.models import Study
from annotations.sources.archives import is_archive, unpack
from judges.intake import bring_in as sources
from judges.models import Upload

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=5)
LARGEST = 8 * 2**30
DEADLY_AFTER = 3
TABLES = (".csv", ".jsonl", ".json", ".txt")
# Between two notes of how far an import is, in seconds.
EVERY = 1.0


def accept(
    *,
    study: Study,
    by,
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
    """Keep the file for a worker. The same key twice is the same upload."""
    if key:
        known = Upload.objects.filter(study=study, key=key).first()
        if known is not None:
            return known
    name = Path(name.replace("\\", "/")).name[-200:]
    if not (is_archive(name) or name.lower().endswith(TABLES)):
        raise ImportRefused(
            "A table (.csv, .jsonl, .json, .txt) or an archive (.zip, .tar, .tar.gz) is wanted."
        )
    if format not in FORMATS:
        raise ImportRefused(f"There is no format “{format[:40]}”.")
    if kind not in Upload.Kind.values:
        raise ImportRefused(f"“{kind[:20]}” is none of study, labels, scores.")
    file = _keep(content, name)
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


def waiting() -> list[int]:
    """Uploads that no worker holds; those whose worker died count as waiting again."""
    Upload.objects.filter(ran_out(LEASE), state=Upload.State.WORKING).update(
        state=Upload.State.WAITING, leased_until=None, deaths=F("deaths") + 1
    )
    found = Upload.objects.filter(state=Upload.State.WAITING)
    return list(found.order_by("pk").values_list("pk", flat=True))


def bring_in(*, upload_id: int) -> None:
    """Claim the upload, import it, and write down what became of it."""
    holder = uuid.uuid4().hex
    claimed = Upload.objects.filter(pk=upload_id, state=Upload.State.WAITING).update(
        state=Upload.State.WORKING, holder=holder, leased_until=timezone.now() + LEASE
    )
    if not claimed:
        return
    upload = Upload.objects.select_related("study", "by").get(pk=upload_id)
    if upload.deaths >= DEADLY_AFTER:
        _close(upload, Upload.State.REFUSED, reason=f"{upload.deaths} workers died of this file.")
        return
    try:
        with tempfile.TemporaryDirectory() as folder, trail.on_behalf_of(upload.by):
            outcome = _import(upload, Path(folder), _watch(upload, holder))
    except ImportRefused as refusal:
        _close(upload, Upload.State.REFUSED, reason=refusal.message)
    except Exception as error:
        logger.exception("import of upload %s failed", upload.pk)
        _close(
            upload,
            Upload.State.REFUSED,
            reason=f"Reading this file failed: {type(error).__name__}. The log says more.",
        )
    else:
        _close(upload, Upload.State.DONE, outcome=outcome.as_json(), read=outcome.read)


def _import(upload: Upload, folder: Path, progress):
    # Readers tell files by their names, and refusals show them.
    path = folder / upload.name
    media().fetch(upload.file, path)
    if is_archive(upload.name):
        path = unpack(path, folder / "unpacked", name=upload.name)
    source = Source(path, generator=upload.generator, judge=upload.judge)
    given = {
        "format": upload.format,
        "source": source,
        "dry_run": upload.dry_run,
        "strict": upload.strict,
        "progress": progress,
    }
    if upload.kind == Upload.Kind.LABELS:
        return sources.import_labels(study=upload.study, **given)
    if upload.kind == Upload.Kind.SCORES:
        return sources.import_scores(study=upload.study, **given)
    return sources.import_study(slug=upload.study.slug, **given)


def _watch(upload: Upload, holder: str):
    """Says how far it is and that the worker lives; where another one took over, it stops."""
    last = 0.0

    def told(read: int) -> None:
        nonlocal last
        if time.monotonic() - last < EVERY:
            return
        last = time.monotonic()
        held = Upload.objects.filter(
            Q(holder=holder), pk=upload.pk, state=Upload.State.WORKING
        ).update(read=read, leased_until=timezone.now() + LEASE)
        if not held:
            raise ImportRefused("Another worker has taken this file over.")

    return told


@transaction.atomic
def _close(upload: Upload, state: str, **more) -> None:
    file = upload.file
    closed = Upload.objects.filter(
        pk=upload.pk, holder=upload.holder, state=Upload.State.WORKING
    ).update(state=state, file="", leased_until=None, finished_at=timezone.now(), **more)
    if closed:
        transaction.on_commit(lambda: _remove(file))


def _keep(content: IO[bytes], name: str) -> str:
    """Under a name of its own; what was called `../../x` lies there as harmlessly as any other."""
    suffix = next((s for s in (".tar.gz", ".tar.bz2", ".tar.xz") if name.endswith(s)), "")
    file = f"uploads/{uuid.uuid4().hex}{suffix or Path(name).suffix.lower()}"
    if shutil.disk_usage(settings.VAR_DIR).free < 2**28:
        raise ImportRefused("The disk is nearly full; the file was not kept.")
    media().take_in(file, Bounded(content))
    return file


class Bounded(io.RawIOBase):
    """A file that is read no further than is allowed."""

    def __init__(self, content: IO[bytes]) -> None:
        self.content, self.size = content, 0

    def readable(self) -> bool:
        return True

    def read(self, count: int = -1) -> bytes:
        block = self.content.read(2**20 if count < 0 else count)
        self.size += len(block)
        if self.size > LARGEST:
            raise ImportRefused(f"The file is larger than {LARGEST // 2**30} GB.")
        return block


def _remove(file: str) -> None:
    if file:
        media().remove(file)
