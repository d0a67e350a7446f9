"""Whether what people do is still there after the next start: a container's own disk forgets it.

Platforms like Hugging Face Spaces start a container anew whenever they like, and all that lies on its
own disk is gone. What is mounted into it stays, unless it is memory. Whether the platform keeps a mount
(Kubernetes' emptyDir looks like any other) cannot be seen from inside.
"""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

MOUNTS = Path("/proc/self/mountinfo")
IN_MEMORY = frozenset({"tmpfs", "ramfs"})
# The layers of a container's image, with what it writes on top.
OF_CONTAINERS = frozenset({"overlay", "aufs", "fuse.fuse-overlayfs"})
UNSAID = (
    "Nothing that people do here would be kept. Mount a disk that lasts there, or name a PostgreSQL in "
    "DATABASE_URL, a bucket in MEDIA_BUCKET and SECRET_KEY. To show without keeping, set READ_ONLY=True."
)


def refusal() -> str:
    """Why nobody may label here, in sentences; empty where they may."""
    if not settings.REQUIRE_LASTING_DISK or settings.READ_ONLY:
        return ""
    found = [words for what, folder in kept_folders().items() if (words := _forgets(what, folder))]
    return " ".join([*found, UNSAID]) if found else ""


def kept_folders() -> dict[str, Path]:
    """What has to outlive a start, and where it lies."""
    folders = {}
    database = settings.DATABASES["default"]
    if "sqlite" in database["ENGINE"]:
        folders["The database"] = Path(database["NAME"]).parent
    if not settings.MEDIA_BUCKET:
        folders["The images"] = Path(settings.MEDIA_ROOT)
    if settings.SECRET_KEY_FILE:
        folders["The secret key"] = Path(settings.SECRET_KEY_FILE).parent
    return folders


def _forgets(what: str, folder: Path) -> str:
    try:
        kind = kind_of_disk(folder, MOUNTS.read_text())
    except OSError:
        return ""  # No Linux, so no container.
    if kind in IN_MEMORY:
        return f"{what} would lie in memory ({folder}), which is empty after the next start."
    if kind in OF_CONTAINERS:
        return f"{what} would lie on the container’s own disk ({folder}), which forgets everything."
    return ""


def kind_of_disk(folder: Path, mounts: str) -> str:
    """The file system of the mount that holds this folder; of two at one place the later hides the other."""
    place, held, kind = folder.resolve(), -1, ""
    for line in mounts.splitlines():
        fields, _, after = line.partition(" - ")
        # The kernel writes a space as \040.
        point = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), fields.split()[4])
        depth = len(Path(point).parts)
        if place.is_relative_to(point) and depth >= held:
            held, kind = depth, after.split()[0]
    return kind
