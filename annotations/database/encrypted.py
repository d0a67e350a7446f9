"""Values that are kept encrypted, with a key made from SECRET_KEY or from one of their own: a copy of the
database alone is not enough to read them."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


def box_for(purpose: str, own_key: str = "") -> MultiFernet:
    """What is locked for one purpose opens for no other. With a key of its own it opens what SECRET_KEY locked
    before, too, and locks by its own alone."""
    return MultiFernet([_box(purpose, key) for key in (own_key, settings.SECRET_KEY) if key])


def _box(purpose: str, secret: str) -> Fernet:
    key = hashlib.sha256(f"{purpose}\0{secret}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
