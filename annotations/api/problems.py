"""What a refusal is for programs: `application/problem+json` (RFC 9457) with a code that stays the same.
Nothing here needs the framework, so that what refuses before it can say the same."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, JsonResponse

MEDIA_TYPE = "application/problem+json"
# The header of a request that is carried out once: `annotations.api.once`.
IDEMPOTENCY_KEY = "Idempotency-Key"
# Each `type` is the address of these lines.
TYPES = "/api/v1/problems/#"
CODES = {
    "refused": "The request cannot be carried out; `detail` says why.",
    "invalid": "Parameters or fields have wrong values; `errors` names each.",
    "unknown-parameter": "The address has a parameter that this operation does not know.",
    "unknown-field": "The body has a field that this operation does not know.",
    "key-used": f"The {IDEMPOTENCY_KEY} belongs to another request of the last 24 hours.",
    "no-json": "The body is no JSON that can be read.",
    "not-logged-in": "No token, or one that is not valid (any longer).",
    "not-yours": "This account or token may not see or do this.",
    "not-found": "There is nothing at this address that this account may see.",
    "no-report-yet": "There is no report yet; `making` says whether a worker is making it.",
    "no-such-method": "The address has no operation of this method.",
    "no-such-format": "The answer does not come in the format that was wanted.",
    "no-such-media-type": "The body cannot be read in this media type.",
    "too-often": "Too many requests; Retry-After says how many seconds to wait.",
    "label": "The answer was not saved.",
    "form": "The form cannot be used.",
    "study": "The study or its people cannot be changed like this.",
    "import": "Nothing was imported.",
    "judge": "The judge, its run or its recipe cannot be used like this.",
    "cannot-write": "The database does not answer, or the disk is full. Nothing was stored.",
}
OF_STATUS = {403: "not-yours", 404: "not-found", 429: "too-often", 503: "cannot-write"}


def problem(code: str, status: int, detail: str, **more: Any) -> dict[str, Any]:
    return {
        **more,
        "type": f"{TYPES}{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
    }


def refusal_response(message: str, status: int) -> HttpResponse:
    """Of what refuses before any operation is reached."""
    body = problem(OF_STATUS[status], status, message, message=message)
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE)
