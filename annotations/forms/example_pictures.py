"""Pictures for the examples of a study's questions: an image of the study, or a file of the owner's.

A file goes through the checks of every imported picture and is stored without what it carries. What
a form says of it is `own:` and a drawn id; people get it at an address that tells as little.
"""

from __future__ import annotations

from typing import IO, Any

from django.conf import settings
from django.db import transaction

from annotations import event_log
from annotations.database import locks
from annotations.errors import ImportRefused
from annotations.models import ExamplePicture, Study
from annotations.pictures.decode_process import Decoders
from annotations.pictures.store import PICTURES, digest_of, store_picture
from jurybox_formats.forms.definition import OWN

MOST = 200


def add(*, study: Study, content: IO[bytes], by: Any = None) -> str:
    """Keep the picture; returns what an example names it by. The same file again is the same one."""
    data = content.read(settings.IMAGE_MAX_BYTES + 1)
    known = ExamplePicture.objects.filter(study=study, sha256=digest_of(data)).first()
    if known is not None:
        return OWN + known.public_id
    if ExamplePicture.objects.filter(study=study).count() >= MOST:
        raise ImportRefused(f"This study has {MOST} example pictures already; use one of them.")
    # A file that is there already must not be removed before the row is written that shows it.
    with locks.together(PICTURES), Decoders() as decoders, transaction.atomic():
        stored = store_picture(data, name="This file", study=study.slug, decode=decoders.decode)
        made, _ = ExamplePicture.objects.get_or_create(
            study=study,
            sha256=stored.sha256,
            defaults={
                "file": stored.file,
                "width": stored.width,
                "height": stored.height,
                "added_by": by,
            },
        )
        event_log.note(study, "form", "added an example picture")
    return OWN + made.public_id
