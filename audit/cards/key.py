"""The key with which this installation signs cards: Ed25519, made from SECRET_KEY."""

from __future__ import annotations

import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings

PURPOSE = "signature of cards"


def own_key() -> Ed25519PrivateKey:
    seed = hashlib.sha256(f"{PURPOSE}\0{settings.SECRET_KEY}".encode()).digest()
    return Ed25519PrivateKey.from_private_bytes(seed)


def public_key() -> str:
    return own_key().public_key().public_bytes_raw().hex()


def sign(content: bytes) -> str:
    return own_key().sign(content).hex()


def is_signed_by(key: str, signature: str, content: bytes) -> bool:
    """False as well for what is no key or no signature at all."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(
            bytes.fromhex(signature), content
        )
    except (ValueError, InvalidSignature):
        return False
    return True
