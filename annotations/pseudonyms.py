"""People in exports: a name that tells nothing, and always the same one within a study."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

from django.conf import settings

from annotations.models import Membership, Study

# Who is called by a pseudonym: people with an account; everybody; nobody.
RULES = ("accounts", "everybody", "nobody")


def naming(study: Study, rule: str = "accounts") -> Callable[[int], str]:
    """Membership key -> the name that a file may show.

    A rater who came with a file keeps the name that the file gave, unless "everybody" is asked
    for: it is needed to bring the same file in again. Accounts belong to people of this place.
    """
    shown: dict[int, str] = {}
    for pk, name, user in Membership.objects.filter(study=study).values_list(
        "pk", "name", "user_id"
    ):
        hidden = rule == "everybody" or (rule == "accounts" and user is not None)
        shown[pk] = pseudonym(study.slug, name) if hidden else name
    return shown.__getitem__


def pseudonym(study: str, name: str) -> str:
    """Nobody without the secret key can try out names until one fits."""
    key = settings.SECRET_KEY.encode()
    digest = hmac.new(key, f"{study}\0{name}".encode(), hashlib.sha256).hexdigest()
    return f"person-{digest[:10]}"
