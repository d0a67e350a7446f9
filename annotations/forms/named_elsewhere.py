"""Forms of which only the name is known: labels that came from elsewhere were given with them."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from annotations.models import FormVersion

NAMED = re.compile(r"([a-z0-9][a-z0-9-]{0,79}) v([1-9][0-9]{0,8})")
LONGEST = 200
# A form that has a name and no version.
NO_VERSION = 0


def find_form(name: str) -> FormVersion | None:
    """The form of this name, whether its questions are known here or not."""
    if named := NAMED.fullmatch(name):
        slug, version = named[1], int(named[2])
        return FormVersion.objects.filter(slug=slug, version=version).first()
    digest = digest_of(name)
    return FormVersion.objects.filter(digest=digest, version=NO_VERSION).first()


def name_form(name: str) -> FormVersion:
    """A row for labels to name."""
    form = form_called(name)
    facts = {"title": form.title, "definition": form.definition, "digest": form.digest}
    return FormVersion.objects.get_or_create(slug=form.slug, version=form.version, defaults=facts)[
        0
    ]


def form_called(name: str) -> FormVersion:
    """Not stored. It has no question: its words are not known here."""
    digest = digest_of(name)
    named = NAMED.fullmatch(name)
    slug, version = (named[1], int(named[2])) if named else (f"named-{digest[:12]}", NO_VERSION)
    definition: dict[str, Any] = {"slug": slug, "title": name, "source": "", "questions": []}
    return FormVersion(slug=slug, version=version, title=name, definition=definition, digest=digest)


def digest_of(name: str) -> str:
    return hashlib.sha256(f"only the name: {name}".encode()).hexdigest()
