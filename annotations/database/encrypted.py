"""Values that are kept encrypted, with a key made from SECRET_KEY: a copy of the database alone is not
enough to read them."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet
from django.conf import settings


def box_for(purpose: str) -> Fernet:
    """What is locked for one purpose opens for no other."""
    key = hashlib.sha256(f"{purpose}\0{settings.SECRET_KEY}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
