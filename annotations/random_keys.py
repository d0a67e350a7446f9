"""Random names that nobody guesses: what pages, addresses and invitations show instead of a number."""

import secrets


def new_public_id() -> str:
    return secrets.token_urlsafe(12)


def new_nonce() -> str:
    return secrets.token_urlsafe(9)


def new_key() -> str:
    return secrets.token_hex(11)
