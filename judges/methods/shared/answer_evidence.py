"""What an engine answered, as evidence beside a score: the same keys whoever asked."""

from __future__ import annotations

from typing import Any

from judges.protocols import Answer


def told(answer: Answer) -> dict[str, Any]:
    return {
        "said": answer.said,
        "probability": answer.probability,
        "tokens": [list(token) for token in answer.tokens],
        "seconds": answer.seconds,
        "reason": answer.reason,
    }
