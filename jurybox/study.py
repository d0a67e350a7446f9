"""A study of a running Jurybox, over its REST API. No Django here, and no library but the standard one."""

from __future__ import annotations

import json
import os
import time
from http.client import HTTPResponse
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from jurybox.report import Report
from jurybox.table import Table

HERE = "http://127.0.0.1:8000"
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
TABLES = ("labels", "consensus", "scores", "images", "prompts", "generators", "flags")


class JuryboxError(Exception):
    """What the server said, or why it could not be asked."""


class NoRedirects(HTTPRedirectHandler):
    """A token goes nowhere but where it was meant to go."""

    def redirect_request(self, *given: Any, **more: Any) -> None:
        return None


class Study:
    """`address` and `token` may stand in JURYBOX_ADDRESS and JURYBOX_TOKEN. A token is made on the
    account page; one that may only read, for this study alone, is enough."""

    def __init__(self, name: str, *, address: str = "", token: str = "", timeout: float = 60):
        self.name = name
        self.address = (address or os.environ.get("JURYBOX_ADDRESS", "") or HERE).rstrip("/")
        self.timeout = timeout
        self._token = token or os.environ.get("JURYBOX_TOKEN", "")
        self._opener = build_opener(NoRedirects)
        parts = urlsplit(self.address)
        if not self._token:
            raise JuryboxError(
                "A token is needed: make one on the account page, and give it as token=… or in "
                "JURYBOX_TOKEN."
            )
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
            raise JuryboxError(
                f"{self.address}: a token is only sent by https, or to this machine."
            )

    def __repr__(self) -> str:
        return f"Study({self.name!r}, address={self.address!r})"

    def report(self, *, wait: float = 300, **options: Any) -> Report:
        """The newest report with these options (`question`, `consensus`, `positive_at`). Where there
        is none yet, a worker is asked for one, and waited for so many seconds."""
        try:
            return Report(self._json("report/", options))
        except JuryboxError as error:
            if getattr(error.__cause__, "code", None) != 404:
                raise
        self._json("reports/", options, method="POST")
        until = time.monotonic() + wait
        while True:
            try:
                return Report(self._json("report/", options))
            except JuryboxError as error:
                if getattr(error.__cause__, "code", None) != 404:
                    raise
                if time.monotonic() > until:
                    raise JuryboxError(f"No report within {wait:g} s; does a worker run?") from None
            time.sleep(0.5)

    def table(self, what: str, **filters: Any) -> Table:
        """A table of the study (labels, consensus, scores, images, prompts, generators, flags); people
        under pseudonyms. The filters are those of the page of data: generator, tag, prompt, judge …"""
        if what not in TABLES:
            raise ValueError(f"There is no table “{what}”; there are {', '.join(TABLES)}.")
        with self._open(f"exports/{what}/", {**filters, "format": "jsonl"}) as answer:
            return Table(json.loads(line) for line in answer if line.strip())

    @property
    def labels(self) -> Table:
        return self.table("labels")

    @property
    def scores(self) -> Table:
        return self.table("scores")

    @property
    def images(self) -> Table:
        return self.table("images")

    @property
    def generators(self) -> Table:
        return self.table("generators")

    def _json(self, path: str, given: dict[str, Any], *, method: str = "GET") -> Any:
        with self._open(path, given, method=method) as answer:
            return json.load(answer)

    def _open(self, path: str, given: dict[str, Any], *, method: str = "GET") -> HTTPResponse:
        query = urlencode({name: value for name, value in given.items() if value is not None})
        address = f"{self.address}/api/v1/studies/{quote(self.name, safe='')}/{path}"
        request = Request(  # noqa: S310 (checked in __init__)
            f"{address}?{query}" if query else address,
            headers={"Authorization": f"Token {self._token}"},
            method=method,
        )
        try:
            return self._opener.open(request, timeout=self.timeout)
        except HTTPError as error:
            with error:
                raise JuryboxError(self._why(error)) from error
        except (URLError, TimeoutError, OSError) as error:
            reason = getattr(error, "reason", error)
            raise JuryboxError(f"{self.address} does not answer: {reason}.") from error

    def _why(self, error: HTTPError) -> str:
        if error.code == 404:
            return f"There is no “{self.name}” that this token may see, or no report of it yet."
        try:
            told = json.loads(error.read(100_000))
        except ValueError:
            return f"{self.address} answered {error.code} {error.reason}."
        words = told.get("message") or told.get("detail") if isinstance(told, dict) else None
        return str(words or told)
