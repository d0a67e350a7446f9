"""A judge that is known by its results alone: its scores or votes came from a file."""

from __future__ import annotations

from typing import Any

from annotations.models import Study
from judges.models import IMPORTED, Judge
from jurybox_judging import registry

NAME_LENGTH = 120
VOTES = "Imported votes"


def imported_judge(study: Study, name: str, *, votes: bool = False) -> Judge:
    facts = imported_facts(study.slug, name, votes=votes)
    fingerprint = facts.pop("fingerprint")
    return Judge.objects.get_or_create(fingerprint=fingerprint, defaults=facts)[0]


def imported_facts(study: str, name: str, *, votes: bool = False) -> dict[str, Any]:
    """The fields of such a judge. Its name and its study are its identity: the same name in another study is
    another judge."""
    identity: dict[str, object] = {"name": name, "engine": IMPORTED, "study": study}
    if votes:
        identity["votes"] = True
    return {
        "fingerprint": registry.fingerprint(identity),
        "name": name,
        "method": VOTES if votes else IMPORTED,
        "method_version": "1",
        "engine": IMPORTED,
        "engine_version": "1",
        "options": {"study": study},
    }
