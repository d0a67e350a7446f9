"""A study of a running Jurybox, over its REST API. No Django here, and no library but the standard one."""

from __future__ import annotations

import json
import time
from http.client import HTTPResponse
from typing import Any
from urllib.parse import quote

from jurybox.connection import Connection, JuryboxError, Problem
from jurybox.report import Report
from jurybox.rows import Rows

TABLES = ("labels", "consensus", "scores", "images", "prompts", "generators", "flags")


class Study(Connection):
    """`address` and `token` may stand in JURYBOX_ADDRESS and JURYBOX_TOKEN. A token is made on the
    account page; one that may only read, for this study alone, is enough."""

    def __init__(self, name: str, *, address: str = "", token: str = "", timeout: float = 60):
        super().__init__(address=address, token=token, timeout=timeout)
        self.name = name

    def __repr__(self) -> str:
        return f"Study({self.name!r}, address={self.address!r})"

    def report(self, *, wait: float = 300, **options: Any) -> Report:
        """The newest report with these options (`question`, `consensus`, `positive_at`). Where there
        is none yet, a worker makes one: at most `wait` seconds are waited for it."""
        try:
            return Report(self._json("report/", options))
        except Problem as error:
            if error.status != 404:
                raise
        self._json("reports/", options, method="POST")
        until = time.monotonic() + wait
        while True:
            try:
                return Report(self._json("report/", options))
            except Problem as error:
                if error.status != 404:
                    raise
                if time.monotonic() > until:
                    raise JuryboxError(f"No report within {wait:g} s; does a worker run?") from None
            time.sleep(0.5)

    def table(self, what: str, **filters: Any) -> Rows:
        """A table of the study (labels, consensus, scores, images, prompts, generators, flags); people
        under pseudonyms. The filters are those of the page of data: generator, tag, prompt, judge …"""
        if what not in TABLES:
            raise ValueError(f"There is no table “{what}”; there are {', '.join(TABLES)}.")
        with self._open(f"exports/{what}/", {**filters, "format": "jsonl"}) as answer:
            return Rows(json.loads(line) for line in answer if line.strip())

    @property
    def labels(self) -> Rows:
        return self.table("labels")

    @property
    def scores(self) -> Rows:
        return self.table("scores")

    @property
    def images(self) -> Rows:
        return self.table("images")

    @property
    def generators(self) -> Rows:
        return self.table("generators")

    def _json(self, path: str, given: dict[str, Any], *, method: str = "GET") -> Any:
        with self._open(path, given, method=method) as answer:
            return json.load(answer)

    def _open(self, path: str, given: dict[str, Any], *, method: str = "GET") -> HTTPResponse:
        try:
            return self.open(method, f"studies/{quote(self.name, safe='')}/{path}", given)
        except Problem as error:
            if error.status != 404:
                raise
            words = f"There is no “{self.name}” that this token may see, or no report of it yet."
            raise Problem(404, error.code, words) from error
