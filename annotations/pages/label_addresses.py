"""The addresses on the label page, built once for each study."""

from __future__ import annotations

from functools import lru_cache

from django.urls import get_script_prefix, reverse


def addresses_in(slug: str) -> dict[str, str]:
    """The template's `to`. The addresses of images and earlier answers lack the image's id."""
    return _addresses(slug, get_script_prefix())


@lru_cache(maxsize=1024)
def _addresses(slug: str, prefix: str) -> dict[str, str]:
    names = ("label", "label-undo", "label-skip")
    addresses = {name.removeprefix("label-"): reverse(name, args=[slug]) for name in names}
    addresses["image"] = reverse("image", args=["-"]).removesuffix("-/")
    addresses["answered"] = reverse("label-answered", args=[slug, "-"]).removesuffix("-/")
    return addresses
