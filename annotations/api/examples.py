"""Examples of an operation in the OpenAPI; `tests/audit/reference/test_examples.py` sends each."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample


def request_and_answer(
    name: str, sent: Any, answer: Any, *, status: int, media_type: str = "application/json"
) -> list[OpenApiExample]:
    """`sent` None: of an operation without a body. Of a list its first part is given."""
    answers = OpenApiExample(name, answer, response_only=True, status_codes=[str(status)])
    if sent is None:
        return [answers]
    return [OpenApiExample(name, sent, request_only=True, media_type=media_type), answers]
