"""What stands where a judge expects its server: files that take its requests, and files that answer."""

from __future__ import annotations

from typing import Any, Self

from judges.batches.files import Results, Shards, name_of
from jurybox_judging.engines.shared.http_json import Declined, Unanswered

MISSING = "The batch has no answer to this."


class _Files:
    """Opened and closed as a server's connection is; files need neither."""

    name = "batch"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Writes(_Files):
    """Writes each request down; none is answered."""

    def __init__(self, shards: Shards) -> None:
        self._shards = shards

    def post(self, path: str, body: bytes) -> dict[str, Any]:
        self._shards.add(body)
        raise Unanswered(MISSING)


class Answers(_Files):
    """Answers from the files, as the server would have: a refusal stays a refusal."""

    def __init__(self, results: Results) -> None:
        self._results = results

    def post(self, path: str, body: bytes) -> dict[str, Any]:
        told = self._results.answer(name_of(body))
        if told is None:
            raise Unanswered(MISSING)
        response = told.get("response")
        status = response.get("status_code") if isinstance(response, dict) else None
        reply = response.get("body") if isinstance(response, dict) else None
        if status == 200 and isinstance(reply, dict):
            return reply
        if isinstance(status, int) and 400 <= status < 500 and status not in (408, 409, 425, 429):
            raise Declined(f"The batch answered with status {status}{_error_text(reply)}", status)
        # As if it were new: the next batch asks it again.
        raise Unanswered(MISSING)


def _error_text(reply: Any) -> str:
    error = reply.get("error") if isinstance(reply, dict) else None
    words = error.get("message") if isinstance(error, dict) else error
    return f": {' '.join(words.split())[:200]}" if isinstance(words, str) and words else "."
