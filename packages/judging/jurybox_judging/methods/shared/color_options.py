"""What is painted around a thing whose color is in question."""

from __future__ import annotations

import re
from typing import Any

from PIL import ImageColor

from jurybox_judging.options import free_text


def background_option() -> Any:
    return free_text(
        "#999",
        "Painted where the thing's mask is not; “original” leaves the picture alone.",
        fits=_is_background,
        form="“original” or a color like #999 or gray",
    )


def _is_background(value: str) -> bool:
    return (
        value == "original"
        or re.fullmatch(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", value) is not None
        or value in ImageColor.colormap
    )
