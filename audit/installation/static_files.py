"""Static files have a hash in their name, and are cached for ever, once `collectstatic` has run."""

from __future__ import annotations

import filecmp
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.core.management import call_command
from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedOnceCollected(CompressedManifestStaticFilesStorage):
    """What was not collected is served from the source folders under its plain name: all files before
    `collectstatic`, those of a new version while it has not run again."""

    def load_manifest(self) -> tuple[dict[str, str], str]:
        try:
            return super().load_manifest()
        except ValueError:
            # Cut off while it was written.
            return {}, ""

    def url(self, name: str, force: bool = False) -> str:
        if not self.hashed_files:
            return StaticFilesStorage.url(self, name)
        return super().url(name, force)

    def stored_name(self, name: str) -> str:
        try:
            return super().stored_name(name)
        except ValueError:
            return name


def are_hashed() -> bool:
    """Whether this installation serves them with hashes, or should."""
    return settings.IN_PRODUCTION or HashedOnceCollected().read_manifest() is not None


def stale() -> list[str]:
    """Those that are not as `collectstatic` left them; none where it has never run."""
    kept = HashedOnceCollected()
    if kept.read_manifest() is None:
        return []
    return [
        name
        for name, source in _sources()
        if name not in kept.hashed_files
        or not (copy := Path(kept.path(name))).exists()
        or not filecmp.cmp(source, copy, shallow=False)
    ]


def collect() -> None:
    # It goes by dates, and a file of another version may well be older than the copy.
    kept = HashedOnceCollected()
    for name in stale():
        kept.delete(name)
    call_command("collectstatic", interactive=False, verbosity=0)


def _sources() -> Iterator[tuple[str, str]]:
    """Each name and where its file is; of two with one name the first counts."""
    seen = set()
    for finder in get_finders():
        for path, storage in finder.list(StaticFilesConfig.ignore_patterns):
            name = f"{prefix}/{path}" if (prefix := getattr(storage, "prefix", "")) else path
            if name not in seen:
                seen.add(name)
                yield name, storage.path(path)
