"""Which pictures go through a model together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PIL import Image


def alike(images: Sequence[Image.Image], most: int) -> Iterator[list[int]]:
    """Indices of pictures of one size, at most so many at a time.

    Pictures of different sizes would have to be padded, and a model's input would then depend on
    a picture's neighbors.
    """
    places: dict[tuple[int, int], list[int]] = {}
    for place, image in enumerate(images):
        places.setdefault(image.size, []).append(place)
    for same in places.values():
        for start in range(0, len(same), most):
            yield same[start : start + most]
