"""Files in a bucket that speaks S3, where several machines share no disk: MEDIA_BUCKET.

Imported only where MEDIA_BUCKET is set. Browsers fetch images from the bucket themselves, at an
address (`url`) that is signed for a few minutes.
"""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotations.errors import Refused

try:
    from boto3.exceptions import S3UploadFailedError
    from botocore.config import Config
    from botocore.exceptions import ClientError
    from storages.backends.s3 import S3Storage
except ImportError as error:
    raise ImproperlyConfigured(
        "MEDIA_BUCKET is set, but django-storages is not here: install requirements.txt."
    ) from error


TIMES = Config(connect_timeout=5, read_timeout=20, retries={"max_attempts": 2})


class Bucket(S3Storage):
    """django-storages' own, but a file is never written again: the same name, the same content."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # Without these, a bucket that does not answer holds a page for five minutes.
        config: Config = self.client_config  # type: ignore[has-type]  # the library has no types
        self.client_config = config.merge(TIMES)

    def _save(self, name: str, content: Any) -> str:
        if self.exists(name):
            return name
        try:
            return super()._save(name, content)
        except (ClientError, S3UploadFailedError) as error:
            if "NoSuchBucket" not in str(error):
                raise
            where = f" at {self.endpoint_url}" if self.endpoint_url else ""
            raise Refused(
                f"There is no bucket “{self.bucket_name}”{where}. Make it, or name one that is there in MEDIA_BUCKET."
            ) from error
