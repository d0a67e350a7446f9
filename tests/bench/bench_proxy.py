"""Behind nginx with TLS and keep-alive: people work while others ask for HEADs; nobody gets a foreign byte.

    python -m tests.bench.bench_proxy [--seconds 60] [--labels 200] [--megabytes 50]

`serve` and a real nginx by docs/nginx.conf. One person logs in by the form and labels, the owner
sends a file and streams an export; then, for so long, the owner asks for the HEAD of every page while
visitors ask over the same connections between nginx and Jurybox, and each looks at every byte that
comes. Exit status 1 when something is not as it should be.
"""

from __future__ import annotations

import argparse
import http.client
import json
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

from tests.audit.installation.behind_nginx import (
    IN_PRODUCTION,
    NAME,
    Browser,
    Nginx,
    give_password,
)
from tests.bench.labelling_crowd import PATH, Annotator
from tests.bench.labelling_server import Installation
from tests.bench.sizes import sized

MEGABYTE = 1024**2
VISITORS = 4
PAGES = ("", "manage/", "people/", "events/", "drift/", "reports/", "imports/", "label/")
EXPORT = "/api/v1/studies/bench/exports/labels/"
BOUNDARY = "jurybox-boundary"


def label(front: Nginx, browser: Browser, count: int) -> int:
    """So many answers by somebody who is logged in; how many were acknowledged."""
    person = Annotator(front.port, browser.cookies["sessionid"], front.connect())
    person.headers = {"Host": NAME, "Origin": f"https://{NAME}"}
    with closing(person.connection):
        person.work(count)
    assert not person.refused, person.refused[:3]
    return len(person.acknowledged)


def upload(browser: Browser, megabytes: int) -> int:
    """The status that the page of imports answers to a file of so many MB."""
    browser.ask("GET", "/studies/bench/imports/")
    fields = {
        "csrfmiddlewaretoken": browser.cookies["csrftoken"],
        "kind": "study",
        "format": "tidy",
    }
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    parts.append(
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="labels.csv"\r\n'
        "Content-Type: text/csv\r\n\r\n"
    )
    line = b"image_id,rater,question,value\n"
    content = (line * (megabytes * MEGABYTE // len(line) + 1))[: megabytes * MEGABYTE]
    body = "".join(parts).encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()
    kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    return browser.ask("POST", "/studies/bench/imports/", body, **kind)[0].status


def stored(there: Installation) -> int:
    """The bytes of the file that was sent for import, which lies in pieces."""
    pieces = Path(there.folder).rglob("deliveries/*/*")
    return sum(piece.stat().st_size for piece in pieces if piece.is_file())


def export(browser: Browser) -> list[str]:
    answer, text = browser.ask("GET", EXPORT)
    assert answer.status == 200, (answer.status, text[:200])
    return text.decode().splitlines()


class Heads:
    """The owner asks for HEADs, visitors for pages of their own, until it is over."""

    def __init__(self, front: Nginx, owner: Browser, cookies: list[str]) -> None:
        self.front, self.owner, self.cookies = front, owner, cookies
        self.over = threading.Event()
        self.heads = self.pages = 0
        self.foreign: list[str] = []
        self.lock = threading.Lock()

    def run(self, *, seconds: float = 0, rounds: int = 0) -> None:
        """For so long, or until every page was asked for so often."""
        visitors = [threading.Thread(target=self._visit, args=(c,)) for c in self.cookies]
        for visitor in visitors:
            visitor.start()
        end = time.monotonic() + seconds
        while rounds > 0 or time.monotonic() < end:
            rounds -= 1
            for page in (*(f"/studies/bench/{name}" for name in PAGES), EXPORT, "/"):
                self._look(*self.owner.ask("HEAD", page), page, b"")
                self.heads += 1
        self.over.set()
        for visitor in visitors:
            visitor.join()

    def _visit(self, cookie: str) -> None:
        browser = Browser(self.front)
        browser.cookies["sessionid"] = cookie
        with closing(browser):
            while not self.over.is_set():
                self._look(*browser.ask("GET", "/healthz"), "/healthz", b"ok\n")
                answer, page = browser.ask("GET", PATH)
                if answer.status != 200 or b"</html>" not in page or b"owner-of-bench" in page:
                    self._note(f"{PATH}: {answer.status} {page[:200]!r}")
                with self.lock:
                    self.pages += 2

    def _look(self, answer: http.client.HTTPResponse, body: bytes, page: str, due: bytes) -> None:
        if answer.status >= 500 or body != due:
            self._note(f"{page}: {answer.status} {body[:200]!r}")

    def _note(self, words: str) -> None:
        with self.lock:
            self.foreign.append(words)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=sized(60, 1))
    parser.add_argument("--labels", type=int, default=sized(200, 5))
    parser.add_argument("--megabytes", type=int, default=sized(50, 1))
    asked = parser.parse_args()
    missed = []

    def line(what: str, found: object, goal: str, met: bool) -> None:
        print(f"{what:<48} {found!s:>28}  goal {goal:<16} {'met' if met else 'MISSED'}", flush=True)
        if not met:
            missed.append(what)

    study = {"images": asked.labels + 50, "overlap": 3, "people": VISITORS}
    with (
        tempfile.TemporaryDirectory(prefix="jurybox-nginx-") as folder,
        Installation("sqlite", IN_PRODUCTION, **study) as there,
        Nginx(Path(folder) / "run", there.port) as front,
    ):
        give_password(there, "owner-of-bench", "owner")
        with closing(Browser(front)) as owner:
            status = owner.log_in("owner-of-bench")
            line("log-in by the form", status, "302", status == 302)
            done = label(front, owner, asked.labels)
            line("images labelled", done, str(asked.labels), done == asked.labels)
            status = upload(owner, asked.megabytes)
            size = asked.megabytes * MEGABYTE
            line(f"{asked.megabytes} MB sent for import", status, "302", status == 302)
            line("stored whole", stored(there), str(size), stored(there) == size)
            rows = len(export(owner)) - 1
            line("rows of the export", rows, f">= {done}", rows >= done)
            heads = Heads(front, owner, there.cookies)
            heads.run(seconds=asked.seconds)
            asked_for = f"{heads.heads} HEADs, {heads.pages} pages"
            line(f"asked for in {asked.seconds:g} s", asked_for, "some", heads.pages > 0)
            line("answers with a foreign byte", len(heads.foreign), "0", not heads.foreign)
            for words in heads.foreign[:3]:
                print("   ", words)
    print(json.dumps({"missed": missed}))
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
