"""Two ways to the same numbers inside Mask2Former, for both libraries that build it.

*Masks of the layers before the last.* After each of ten layers the model draws the masks of all
queries at a quarter of the picture, only to shrink them to the size of the next layer's attention.
Shrinking and the product of queries and features are both linear: shrinking the features once
gives the same, at a fraction of the work.

*Deformable attention without the compiled operator.* The plain version stacks the samples of all
levels and heads, hundreds of megabytes, before it weighs and adds them up. Here a few heads of one
level are sampled, weighed and added at a time, which stays in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from judges.engines.torch_setup import prepare


class ShrunkFeatures:
    """The features of one pass, and each size of them that a layer's attention asks for."""

    def __init__(self) -> None:
        self.whole: Any = None
        self._shrunk: dict[tuple[int, int], Any] = {}

    def attention(self, queries: Any, features: Any, size: Any, heads: int) -> Any:
        """Where each query may not look: (pictures × heads) × queries × places."""
        torch = prepare()
        self.whole = features
        size = tuple(int(side) for side in size)
        if size not in self._shrunk:
            self._shrunk[size] = torch.nn.functional.interpolate(
                features, size, mode="bilinear", align_corners=False
            )
        hidden = self._maps(queries, self._shrunk[size]).flatten(2).sigmoid() < 0.5
        return hidden.unsqueeze(1).expand(-1, heads, -1, -1).flatten(0, 1)

    def maps(self, queries: Any) -> Any:
        return self._maps(queries, self.whole)

    @staticmethod
    def _maps(queries: Any, features: Any) -> Any:
        return prepare().einsum("bqc,bchw->bqhw", queries, features)


def attend(value: Any, shapes: Sequence[Any], locations: Any, importance: Any) -> Any:
    """Multi-scale deformable attention (Zhu et al. 2020, equation 3).

    value: pictures × places × heads × width; locations: pictures × queries × heads × levels ×
    points × 2, from 0 to 1; importance: the same without the last.
    """
    torch = prepare()
    kind = value.dtype
    # Eight bits of a lower precision are too few for a place in a picture.
    value, locations, importance = value.float(), locations.float(), importance.float()
    pictures, _, heads, width = value.shape
    queries, levels = locations.shape[1], locations.shape[3]
    sides = [(int(height), int(breadth)) for height, breadth in shapes]
    fields = [
        field.permute(0, 2, 3, 1).reshape(pictures * heads, width, *side)
        for field, side in zip(value.split([h * w for h, w in sides], 1), sides, strict=True)
    ]
    grids = (2 * locations - 1).transpose(1, 2).flatten(0, 1)
    weights = importance.transpose(1, 2).flatten(0, 1)
    found = value.new_zeros((pictures * heads, width, queries))
    together = max(torch.get_num_threads(), 1) if value.device.type == "cpu" else len(found)
    for start in range(0, len(found), together):
        some = slice(start, start + together)
        for level in range(levels):
            sampled = torch.nn.functional.grid_sample(
                fields[level][some], grids[some, :, level], align_corners=False
            )
            found[some] += (sampled * weights[some, None, :, level]).sum(-1)
    return found.reshape(pictures, heads * width, queries).transpose(1, 2).contiguous().to(kind)


@contextmanager
def replaced(owner: Any, name: str, by: Callable) -> Iterator[None]:
    """For the time of one pass: whoever else calls the library gets it as it is."""
    own = name in vars(owner)
    before = getattr(owner, name)
    setattr(owner, name, by)
    try:
        yield
    finally:
        if own:
            setattr(owner, name, before)
        else:
            delattr(owner, name)
