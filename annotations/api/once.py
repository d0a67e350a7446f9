"""A request that creates something is carried out once, however often it is sent (`Idempotency-Key`).

The key, the work and its answer are one transaction: a request that is killed leaves neither, and of two that
come at once the second waits at the key's row for the first one's answer. Refusals are not kept: they
have created nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.access import place_or_404
from annotations.api.problems import IDEMPOTENCY_KEY
from annotations.errors import Refused
from annotations.models import KeptAnswer

LONGEST = 200
KEY = OpenApiParameter(
    IDEMPOTENCY_KEY,
    {"type": "string", "minLength": 1, "maxLength": LONGEST},
    OpenApiParameter.HEADER,
    description=(
        "Any text of your own. The same request sent again with it within 24 hours gets the first one's answer, "
        "with `Idempotent-Replayed: true`, and creates nothing. Another request with it is refused."
    ),
)


class KeyUsed(Refused):
    code = "key-used"
    status = 422


def once_per_key(view: Callable[..., Response]) -> Callable[..., Response]:
    """Decorator of an operation of a study, below `api_view`."""

    @wraps(view)
    def carry_out(request: Request, slug: str, **parts: Any) -> Response:
        if request.method != "POST" or IDEMPOTENCY_KEY not in request.headers:
            return view(request, slug, **parts)
        key = _key_of(request)
        # Who has left the study reads no earlier answer either.
        place_or_404(request, slug)
        digest = _digest(request)
        with transaction.atomic():
            kept = _row_of(request.user, key, digest)
            if kept.request != digest:
                raise KeyUsed(
                    f"This {IDEMPOTENCY_KEY} was sent with another request; take a new one."
                )
            if kept.status:
                again = {"Idempotent-Replayed": "true"}
                return Response(json.loads(kept.body), status=kept.status, headers=again)
            answer = view(request, slug, **parts)
            kept.status, kept.body = answer.status_code, JSONRenderer().render(answer.data).decode()
            kept.save(update_fields=["status", "body"])
            return answer

    return carry_out


def _row_of(user: Any, key: str, digest: str) -> KeptAnswer:
    now = timezone.now()
    KeptAnswer.objects.filter(user=user, key=key, created_at__lt=now - KeptAnswer.KEPT).delete()
    new = KeptAnswer(user=user, key=key, request=digest, created_at=now)
    # Where another transaction has the key, this waits until that one is through.
    KeptAnswer.objects.bulk_create([new], ignore_conflicts=True)
    return KeptAnswer.objects.get(user=user, key=key)


def _key_of(request: Request) -> str:
    """As a hash. The draft of the standard has the text in quotes; most clients send it without."""
    key = request.headers[IDEMPOTENCY_KEY].strip()
    if len(key) > 1 and key[0] == key[-1] == '"':
        key = key[1:-1]
    if not 0 < len(key) <= LONGEST:
        words = f"A text of 1 to {LONGEST} characters is needed."
        raise serializers.ValidationError({IDEMPOTENCY_KEY: [words]})
    return hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()


def _digest(request: Request) -> str:
    """Of what is requested; of a form the boundary between its parts does not count."""
    data = request.data
    if hasattr(data, "lists"):
        data = {name: [_plain(one) for one in values] for name, values in data.lists()}
    asked = [request.method, request.get_full_path(), data]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if not isinstance(value, UploadedFile):
        return value
    sha = hashlib.sha256()
    for part in value.chunks():
        sha.update(part)
    value.seek(0)
    return [value.name, sha.hexdigest()]
