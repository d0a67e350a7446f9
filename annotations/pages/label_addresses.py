"""The addresses that the label page names with every image, put together once for each study."""

from __future__ import annotations

from functools import lru_cache

from django.urls import get_script_prefix, reverse


def addresses_in(slug: str) -> dict[str, str]:
    """What the template writes after `to`; images and earlier answers end with their own name."""
    return _addresses(slug, get_script_prefix())


@lru_cache(maxsize=1024)
def _addresses(slug: str, prefix: str) -> dict[str, str]:
    own = ("label", "label-undo", "label-skip", "label-answers")
    found = {name.removeprefix("label-"): reverse(name, args=[slug]) for name in own}
    found["image"] = reverse("image", args=["-"]).removesuffix("-/")
    found["answered"] = reverse("label-answered", args=[slug, "-"]).removesuffix("-/")
    return found
