"""The people of a study who answered here themselves, by every name that a file may give them.

A file may bring answers of people who have no account. It must not bring answers under the name of
somebody who has one, or had one: only the study's owner may, and an event says whose and how many.
"""

from __future__ import annotations

from django.db.models import Q

from annotations.exports.pseudonyms import pseudonym
from annotations.models import Membership, Study
from annotations.names import name_look

NOT_THEIRS = (
    "This is an annotator of the study, who answers here themselves. Only the study's owner may "
    "import answers under their name."
)


class RealPeople:
    """Names are compared as they look, without their case: “Alice” is taken for alice by whoever reads
    it, also with a Cyrillic letter."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.names: dict[str, int] = {}
        self.keys: set[int] = set()

    def look_up(self) -> None:
        """Again with each batch: people join while a long file is read."""
        came = Q(user__isnull=False) | Q(removed_at__isnull=False) | ~Q(worker="")
        members = Membership.objects.filter(came, study=self.study).order_by("-pk")
        self.names, self.keys = {}, set()
        rows = members.values_list(
            "pk", "name", "worker", "user__username", "removed_account__username"
        )
        for pk, name, worker, *accounts in rows:
            self.keys.add(pk)
            for given in (*accounts, worker, pseudonym(self.study.slug, name), name):
                if given:
                    self.names[name_look(given).casefold()] = pk

    def find_person(self, name: str) -> int | None:
        return self.names.get(name_look(name).casefold())
