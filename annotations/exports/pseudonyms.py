"""People in exports: a name that tells nothing, and always the same one within a study."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.conf import settings

from annotations.database.scrub import PSEUDONYM
from annotations.models import Membership, Study

# Who is called by a pseudonym: everybody; people with an account; nobody.
RULES = ("everybody", "accounts", "nobody")


_as_written: ContextVar[bool] = ContextVar("as_written", default=False)


@contextmanager
def names_as_written() -> Iterator[None]:
    """For whoever reads about their own two files: reports call people what the files call them."""
    before = _as_written.set(True)
    try:
        yield
    finally:
        _as_written.reset(before)


def name_in_reports(study: str, name: str) -> str:
    """Reports leave a study in many ways, so they never hold a name; `study` is its slug."""
    return name if _as_written.get() else pseudonym(study, name)


def naming(study: Study, rule: str = "everybody") -> Callable[[int], str]:
    """Membership key -> the name that a file may show."""
    shown: dict[int, str] = {}

    def name_of(pk: int) -> str:
        # Again for whoever came after the beginning.
        if pk not in shown:
            people = Membership.objects.filter(study=study)
            for member, name, user in people.values_list("pk", "name", "user_id"):
                hidden = rule == "everybody" or (rule == "accounts" and user is not None)
                shown[member] = pseudonym(study.slug, name) if hidden else name
        return shown[pk]

    return name_of


def names_for(study: Study, *, owns: bool) -> Callable[[int], str]:
    """Membership key -> what a page of numbers and answers calls that person."""
    return naming(study, "nobody" if owns else "everybody")


def pseudonym(study: str, name: str) -> str:
    """Nobody without the secret key can try out names until one fits.

    Whoever came with a file under a pseudonym keeps it: a study that went out and in again is the
    same study.
    """
    if PSEUDONYM.fullmatch(name):
        return name
    key = settings.SECRET_KEY.encode()
    digest = hmac.new(key, f"{study}\0{name}".encode(), hashlib.sha256).hexdigest()
    return f"person-{digest[:10]}"


def people_behind(study: Study) -> dict[str, int]:
    """Pseudonym -> membership key: what a study wrote comes back to its authors."""
    members = Membership.objects.filter(study=study).values_list("name", "pk")
    return {pseudonym(study.slug, name): pk for name, pk in members}
