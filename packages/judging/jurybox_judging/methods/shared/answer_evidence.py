"""An engine's answer as evidence beside a score, with the same keys for all methods."""

from __future__ import annotations

from typing import Any

from jurybox_judging.protocols import Answer


def answer_as_evidence(answer: Answer) -> dict[str, Any]:
    return {
        "said": answer.said,
        "probability": answer.probability,
        "tokens": [list(token) for token in answer.tokens],
        "seconds": answer.seconds,
        "reason": answer.reason,
        **({"between": list(answer.between)} if answer.between else {}),
    }
