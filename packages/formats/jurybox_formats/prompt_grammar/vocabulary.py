"""Words that several benchmarks draw from, and how they are joined into a phrase."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

# The 80 classes of COCO as GenEval calls them, in the order of its detector.
_COCO = (
    "person|bicycle|car|motorcycle|airplane|bus|train|truck|boat|traffic light|fire hydrant|"
    "stop sign|parking meter|bench|bird|cat|dog|horse|sheep|cow|elephant|bear|zebra|giraffe|"
    "backpack|umbrella|handbag|tie|suitcase|frisbee|skis|snowboard|sports ball|kite|baseball bat|"
    "baseball glove|skateboard|surfboard|tennis racket|bottle|wine glass|cup|fork|knife|spoon|bowl|"
    "banana|apple|sandwich|orange|broccoli|carrot|hot dog|pizza|donut|cake|chair|couch|"
    "potted plant|bed|dining table|toilet|tv|laptop|computer mouse|tv remote|computer keyboard|"
    "cell phone|microwave|oven|toaster|sink|refrigerator|book|clock|vase|scissors|teddy bear|"
    "hair drier|toothbrush"
)
COCO = tuple(_COCO.split("|"))
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white")
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def with_article(phrase: str) -> str:
    """A or an, by the letter that follows, as GenEval chooses."""
    return f"{'an' if phrase[0].lower() in 'aeiou' else 'a'} {phrase}"


def plural(name: str) -> str:
    """Not English, but GenEval's rule: "es" after a final "s", else "s"."""
    return name + ("es" if name.endswith("s") else "s")


def draw_distinct(
    draw: Callable[[], dict[str, Any]], size: int, what: str
) -> Iterator[dict[str, Any]]:
    """So many items, each with another prompt; ValueError where there are not so many."""
    made: dict[str, dict[str, Any]] = {}
    for _ in range(101 * size + 10_000):
        if len(made) == size:
            break
        item = draw()
        made.setdefault(item["prompt"], item)
    else:
        raise ValueError(f"There are fewer than {size} different {what}.")
    return iter(made.values())
