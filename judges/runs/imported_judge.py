"""A judge that is known by its results alone: its scores or votes came from a file."""

from __future__ import annotations

from annotations.models import Study
from judges import registry
from judges.models import IMPORTED, Judge

NAME_LENGTH = 120
VOTES = "Imported votes"


def imported_judge(study: Study, name: str, *, votes: bool = False) -> Judge:
    """Its name and its study are its identity: the same name in another study is another judge."""
    identity: dict[str, object] = {"name": name, "engine": IMPORTED, "study": study.slug}
    if votes:
        identity["votes"] = True
    judge, _ = Judge.objects.get_or_create(
        fingerprint=registry.fingerprint(identity),
        defaults={
            "name": name,
            "method": VOTES if votes else IMPORTED,
            "method_version": "1",
            "engine": IMPORTED,
            "engine_version": "1",
            "options": {"study": study.slug},
        },
    )
    return judge
