"""The key with which this installation signs cards: Ed25519, of CARD_KEY. Without it the key is made from
SECRET_KEY, as it was for every card before; what that one signed stays ours."""

from __future__ import annotations

import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings

PURPOSE = "signature of cards"
# Of the curve -x² + y² = 1 + d x² y², modulo PRIME.
PRIME = 2**255 - 19
D = -121665 * pow(121666, -1, PRIME) % PRIME


def public_key() -> str:
    return _public(_own_key())


def own_keys() -> set[str]:
    """With those that it signed with before."""
    return {public_key(), _public(_key_of_secret()), *settings.CARD_KEYS_BEFORE}


def sign(content: bytes) -> str:
    return _own_key().sign(content).hex()


def is_signed_by(key: str, signature: str, content: bytes) -> bool:
    """False as well for what is no key or no signature at all."""
    try:
        point = bytes.fromhex(key)
        if _is_of_small_order(point):
            return False
        Ed25519PublicKey.from_public_bytes(point).verify(bytes.fromhex(signature), content)
    except (ValueError, InvalidSignature):
        return False
    return True


def _own_key() -> Ed25519PrivateKey:
    if not settings.CARD_KEY:
        return _key_of_secret()
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(settings.CARD_KEY))


def _key_of_secret() -> Ed25519PrivateKey:
    seed = hashlib.sha256(f"{PURPOSE}\0{settings.SECRET_KEY}".encode()).digest()
    return Ed25519PrivateKey.from_private_bytes(seed)


def _public(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()


def _is_of_small_order(point: bytes) -> bool:
    """Whether eight times the point is nothing: such a key takes one signature for any content. Of order 1, 2
    and 4 are y = 1, -1 and 0; twice a point of order 8 has y = 0, so that y² + x² = 0."""
    y = (int.from_bytes(point, "little") & (2**255 - 1)) % PRIME
    return y in {0, 1, PRIME - 1} or (D * pow(y, 4, PRIME) + 2 * y * y - 1) % PRIME == 0
