"""What a card may say of a judge's settings. A card is signed and given away, and a text among the settings may
be the address of a server or a file of this machine. The fingerprint covers what is left out."""

from __future__ import annotations

from typing import Any

NOT_PUBLIC = ("/", "~", ".", "local-dir:")


def public_options(options: dict[str, Any]) -> dict[str, Any]:
    """Numbers and flags, and the objects that hold any."""
    kept: dict[str, Any] = {}
    for name, value in options.items():
        if isinstance(value, dict):
            if inner := public_options(value):
                kept[name] = inner
        elif isinstance(value, int | float):
            kept[name] = value
    return kept


def public_weights(checkpoint: str) -> str:
    """A name on a hub; empty for a folder, a file or an address."""
    private = checkpoint.startswith(NOT_PUBLIC) or "://" in checkpoint or "\\" in checkpoint
    return "" if private else checkpoint
