"""Files that one person sends in pieces, kept until a study is made of them or a day has passed.

Files that were chosen together are one stream, cut into pieces of equal size, so that 10,000 small
pictures need few requests and a large zip can go on where it stopped. Pieces lie in the storage and
their rows in the database: any web process takes the next one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils import timezone

from annotations.access import place_of
from annotations.errors import ImportRefused
from annotations.models import Study
from annotations.storage.room import expect_room
from annotations.studies import owners
from judges.models import Batch, Delivery, Piece, Upload
from jurybox_formats.sources.archive_limits import check_name
from jurybox_formats.sources.archives import is_archive, unpack
from jurybox_formats.sources.mapped_table import SUFFIXES as TABLES
from jurybox_formats.sources.picture_folder import is_picture

LARGEST = 8 * 2**30
PIECE = 4 * 2**20
# More files than this come as a zip.
MOST_FILES = 20_000
MOST_BATCHES = 50
KEPT = timedelta(days=1)
FOLDER = "deliveries"
WANTED = (
    "Send pictures (.png, .jpg, .webp), tables (.csv, .tsv, .jsonl, .json, .parquet) or an archive (.zip, .tar, "
    ".tar.gz) of them."
)


def of_person(user: User, study: Study | None) -> Delivery | None:
    """What this person is sending; nobody else's is ever found."""
    rows = Delivery.objects.filter(by=user, study=study)
    return rows.exclude(state=Delivery.State.SENT).first()


def begin(*, user: User, study: Study | None) -> Delivery:
    there = of_person(user, study)
    if there is not None:
        return there
    try:
        with transaction.atomic():
            return Delivery.objects.create(by=user, study=study)
    except IntegrityError:
        # Two tabs at once.
        there = of_person(user, study)
        if there is None:
            raise
        return there


def batch_of(user: User, batch_id: int) -> Batch | None:
    """The batch, for the person who sends it, and as long as they may."""
    batch = (
        Batch.objects.select_related("delivery__study")
        .filter(pk=batch_id, delivery__by=user)
        .exclude(delivery__state=Delivery.State.SENT)
        .first()
    )
    if batch is None:
        return None
    study = batch.delivery.study
    if study is None:
        return batch if owners.may_make_studies(user) else None
    place = place_of(user, study.slug)
    return batch if place is not None and place.may_research else None


def add_batch(*, delivery: Delivery, files: Any) -> Batch:
    """`files`: [path, size, time of change] of each. The same list again is the same batch."""
    checked = _check_files(files)
    digest = hashlib.sha256(json.dumps(files).encode()).hexdigest()
    there = delivery.batches.filter(digest=digest).first()
    if there is not None:
        return there
    for old in delivery.batches.all():
        # The same files, changed since they were half sent: what came of them is of no use.
        if len(have(old)) < old.pieces_in_all and _paths(old.files) == _paths(checked):
            remove_batch(batch=old)
    size = sum(size for _, size in checked)
    before = delivery.batches.aggregate(all=Sum("size"))["all"] or 0
    if size + before > LARGEST:
        raise ImportRefused(f"Together these files are larger than {LARGEST // 2**30} GB.")
    if delivery.batches.count() >= MOST_BATCHES:
        raise ImportRefused("These are too many files one by one: pack them as one zip.")
    expect_room()
    batch, _ = Batch.objects.get_or_create(
        delivery=delivery,
        digest=digest,
        defaults={"files": checked, "size": size, "piece": PIECE},
    )
    look_no_more(delivery)
    return batch


def have(batch: Batch) -> list[int]:
    return list(batch.pieces.order_by("number").values_list("number", flat=True))


def take_piece(
    *, batch: Batch, number: int, read: Callable[[int], bytes], sha256: str = ""
) -> None:
    """Sending a piece twice is the same as once. A piece that is shorter or longer than it should be,
    or has another hash, is refused, and sent again."""
    if not 0 <= number < batch.pieces_in_all:
        raise ImportRefused("These files have no such piece.")
    size = min(batch.piece, batch.size - number * batch.piece)
    data = read(size + 1)
    if len(data) != size or (sha256 and hashlib.sha256(data).hexdigest() != sha256):
        raise ImportRefused("This piece did not arrive whole; it has to be sent again.")
    if batch.pieces.filter(number=number).exists():
        return
    expect_room()
    _keep(batch, number, data)
    look_no_more(batch.delivery)


def add_files(*, delivery: Delivery, files: list[UploadedFile]) -> Batch:
    """As a plain form sends them, whole."""
    stamp = int(timezone.now().timestamp())
    batch = add_batch(
        delivery=delivery,
        files=[[str(file.name).replace("\\", "/"), file.size, stamp] for file in files],
    )
    buffer = b""
    number = 0
    for chunk in (chunk for file in files for chunk in file.chunks()):
        buffer += chunk
        while len(buffer) >= batch.piece:
            _keep(batch, number, buffer[: batch.piece])
            buffer, number = buffer[batch.piece :], number + 1
    if buffer:
        _keep(batch, number, buffer)
    return batch


def is_complete(delivery: Delivery) -> bool:
    """There are files, and every piece of them."""
    batches = list(delivery.batches.all())
    return bool(batches) and all(len(have(batch)) == batch.pieces_in_all for batch in batches)


def remove_batch(*, batch: Batch) -> None:
    files = list(batch.pieces.values_list("file", flat=True))
    delivery = batch.delivery
    transaction.on_commit(lambda: _remove_layout_of(delivery.key))
    batch.delete()
    Delivery.objects.filter(pk=delivery.pk).update(found={})
    look_no_more(delivery)
    transaction.on_commit(lambda: _remove(files))


def forget(*, delivery: Delivery) -> None:
    """With its pieces: nothing is left behind."""
    files = list(Piece.objects.filter(batch__delivery=delivery).values_list("file", flat=True))
    key = delivery.key
    delivery.previews.delete()
    delivery.delete()
    transaction.on_commit(lambda: _remove_layout_of(key))
    transaction.on_commit(lambda: _remove(files))


def remove_old() -> int:
    """What nobody has gone on with for a day, and pieces whose delivery went with its study."""
    given_over = Upload.objects.exclude(state__in=[Upload.State.DONE, Upload.State.REFUSED])
    held = [row.get("delivery") for row in given_over.values_list("payload", flat=True)]
    old = Delivery.objects.filter(touched_at__lt=timezone.now() - KEPT).exclude(pk__in=held)
    count = 0
    for delivery in old:
        forget(delivery=delivery)
        count += 1
    try:
        folders, _ = default_storage.listdir(FOLDER)
    except FileNotFoundError:
        return count
    known = set(Delivery.objects.values_list("key", flat=True))
    for folder in set(folders) - known:
        _remove_layout_of(folder)
        _, files = default_storage.listdir(f"{FOLDER}/{folder}")
        _remove([f"{FOLDER}/{folder}/{file}" for file in files])
    return count


@contextmanager
def laid_out(delivery: Delivery) -> Iterator[tuple[Path, Path]]:
    """The folder in which the files lie, archives unpacked, and what in it holds the content.

    It is kept beside the pieces and goes with them, so that a delivery that is looked at again after
    a menu was changed is not unpacked again. A bucket holds no folder: there it is made each time.
    """
    try:
        place = Path(default_storage.path(f"{FOLDER}/{delivery.key}"))
    except NotImplementedError:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder), assemble(delivery, Path(folder))
        return
    kept = place / f"laid-out-{_digest(delivery)}"
    if not kept.exists():
        _remove_layouts(place)
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place, prefix="being-laid-out-") as draft:
            assemble(delivery, Path(draft) / "all")
            # Another process may have been quicker with the same.
            with contextlib.suppress(FileExistsError):
                (Path(draft) / "all").rename(kept)
    yield kept, _without_outer_folders(kept / "content")


def _digest(delivery: Delivery) -> str:
    """Of which files came, in which order."""
    batches = [f"{batch.pk} {batch.digest}" for batch in delivery.batches.order_by("pk")]
    return hashlib.sha256("\n".join(batches).encode()).hexdigest()[:16]


def _remove_layouts(place: Path) -> None:
    for folder in place.glob("*laid-out-*"):
        shutil.rmtree(folder, ignore_errors=True)


def assemble(delivery: Delivery, folder: Path) -> Path:
    """All files under their paths, archives unpacked; returns what holds the content.

    A file that was sent again under the same path replaces the earlier one."""
    content = folder / "content"
    content.mkdir(parents=True)
    for batch in delivery.batches.order_by("pk"):
        _write_files(batch, content)
    archives = [file for file in content.rglob("*") if file.is_file() and is_archive(file.name)]
    for number, archive in enumerate(sorted(archives)):
        name = archive.relative_to(content).as_posix()
        moved = archive.rename(folder / f"archive-{number}")
        target = content if len(archives) == 1 else content / name.removesuffix(archive.suffix)
        _unpack_into(moved, target, name, folder / f"unpacked-{number}")
        moved.unlink()
    return _without_outer_folders(content)


def _unpack_into(archive: Path, target: Path, name: str, place: Path) -> None:
    """Beside what came with it; a file of the same path that lies there already stays."""
    unpacked = unpack(archive, place, name=name)
    root = unpacked.parent if unpacked.is_file() else unpacked
    for file in [unpacked] if unpacked.is_file() else unpacked.rglob("*"):
        if file.is_file():
            goal = target / file.relative_to(root)
            goal.parent.mkdir(parents=True, exist_ok=True)
            if not goal.exists():
                file.rename(goal)


def _without_outer_folders(folder: Path) -> Path:
    """Somebody who drops one folder means what is in it; one file is that file."""
    inside = _visible(folder)
    while len(inside) == 1 and inside[0].is_dir():
        folder = inside[0]
        inside = _visible(folder)
    return inside[0] if len(inside) == 1 and not inside[0].is_dir() else folder


def _visible(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith((".", "__MACOSX"))]


def _write_files(batch: Batch, content: Path) -> None:
    stream = _Stream(batch)
    for path, size in batch.files:
        target = content / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as out:
            for block in stream.take(size):
                out.write(block)


class _Stream:
    """The bytes of all pieces, one piece in memory at a time."""

    def __init__(self, batch: Batch) -> None:
        self.pieces = iter(batch.pieces.order_by("number").values_list("file", flat=True))
        self.rest = b""

    def take(self, size: int) -> Iterator[bytes]:
        while size:
            if not self.rest:
                file = next(self.pieces, None)
                if file is None:
                    raise ImportRefused("A piece of these files is missing; send them again.")
                with default_storage.open(file) as piece:
                    self.rest = piece.read()
            block, self.rest = self.rest[:size], self.rest[size:]
            size -= len(block)
            yield block


def _check_files(files: Any) -> list[tuple[str, int]]:
    if not isinstance(files, list) or not files:
        raise ImportRefused("Choose a file, a folder or a zip. " + WANTED)
    if len(files) > MOST_FILES:
        raise ImportRefused(
            f"These are more than {MOST_FILES:,} files: pack them as one zip and send that."
        )
    checked = []
    for entry in files:
        path, size, _ = entry if isinstance(entry, list) and len(entry) == 3 else ("", None, "")
        if not isinstance(path, str) or type(size) is not int or not 0 <= size <= LARGEST:
            raise ImportRefused("The list of files cannot be read; load the page again.")
        check_name(path)
        checked.append((path, size))
    paths = [path for path, _ in checked]
    if len(set(paths)) < len(paths):
        raise ImportRefused("Two of these files have the same path; rename one of them.")
    if not any(sends(path) for path in paths):
        first = paths[0].rpartition("/")[2][:80]
        if first.lower().endswith((".xlsx", ".xls", ".ods")):
            raise ImportRefused(f"“{first}” is a spreadsheet: save it as CSV, and send that.")
        raise ImportRefused(f"“{first}” is nothing that can be imported. {WANTED}")
    if not any(size for _, size in checked):
        raise ImportRefused("These files are empty.")
    return checked


def _paths(files: Iterable[Any]) -> list[str]:
    return [path for path, _ in files]


def sends(path: str) -> bool:
    return is_archive(path) or is_picture(path) or path.lower().endswith((*TABLES, ".txt", ".eval"))


def _keep(batch: Batch, number: int, data: bytes) -> None:
    file = f"{FOLDER}/{batch.delivery.key}/{batch.pk}-{number}"
    default_storage.save(file, ContentFile(data))
    Piece.objects.get_or_create(batch=batch, number=number, defaults={"file": file})


def look_no_more(delivery: Delivery) -> None:
    """What was found before is no longer all; a worker that is looking finds that nobody wants it."""
    delivery.previews.delete()
    Delivery.objects.filter(pk=delivery.pk).exclude(state=Delivery.State.SENT).update(
        state=Delivery.State.OPEN, touched_at=timezone.now()
    )


def _remove(files: list[str]) -> None:
    for file in files:
        default_storage.delete(file)
    for folder in {file.rpartition("/")[0] for file in files}:
        _remove_folder(folder)


def _remove_layout_of(key: str) -> None:
    with contextlib.suppress(NotImplementedError):
        _remove_layouts(Path(default_storage.path(f"{FOLDER}/{key}")))
    _remove_folder(f"{FOLDER}/{key}")


def _remove_folder(folder: str) -> None:
    # A bucket has no folders, and one that still holds something stays.
    with contextlib.suppress(NotImplementedError, OSError):
        Path(default_storage.path(folder)).rmdir()
