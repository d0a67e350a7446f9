"""Static files have a hash in their name, and are cached for ever, once `collectstatic` has run."""

from django.contrib.staticfiles.storage import StaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedOnceCollected(CompressedManifestStaticFilesStorage):
    """Before `collectstatic`, files are served from the source folders under their plain names."""

    def url(self, name: str, force: bool = False) -> str:
        if not self.hashed_files:
            return StaticFilesStorage.url(self, name)
        return super().url(name, force)
