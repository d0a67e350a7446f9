"""Scripted annotators: what a browser sends and reads, over real connections, with cookies and CSRF.

    python -m tests.bench.labelling_crowd '{"port": …, "cookies": […], "answers": 100}'

Each annotator is a thread with a connection of its own. Prints one JSON object: how long each page
and each answer took, in milliseconds, and the submissions that were acknowledged.
"""

from __future__ import annotations

import http.client
import json
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

PATH = "/studies/bench/label/"
# "plain" is the label page without JavaScript: a form that is sent, a redirect, a whole page.
PATHS = {"label": PATH, "compare": "/studies/bench/compare/", "plain": PATH}
FORMS = {"label": 'id="answers"', "compare": 'id="votes"', "plain": 'id="answers"'}
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
RADIO = re.compile(r'<input type="radio" name="(answer-[^"]+|match)" value="([^"]+)"')


class Annotator:
    def __init__(
        self,
        port: int,
        session: str,
        connection: http.client.HTTPConnection | None = None,
        room: str = "label",
    ) -> None:
        self.room = room
        self.connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        # What a proxy and a page over TLS want besides.
        self.headers: dict[str, str] = {}
        self.session = session
        self.token = ""
        self.pages: list[float] = []
        self.sends: list[float] = []
        self.acknowledged: list[str] = []
        self.refused: list[str] = []
        self.form: dict[str, str] = {}

    def open(self) -> None:
        status, text, headers, took = self._ask("GET")
        if status != 200:
            raise RuntimeError(f"the label page answered {status}")
        self.token = re.search(r"csrftoken=(\w+)", headers.get("Set-Cookie", "")).group(1)
        self.pages.append(took)
        self._read(text)

    def send(self, form: dict[str, str] | None = None) -> str:
        body = form or self.form
        status, text, _, took = self._ask("POST", body)
        if self.room == "plain" and status == 302:
            status, text, _, more = self._ask("GET")
            took += more
        self.sends.append(took)
        if status != 200 or "data-refused" in text:
            self.refused.append(f"{status} {text[:200]}")
        else:
            self.acknowledged.append(body["submission"])
        self._read(text)
        return text

    def work(self, answers: int | None) -> None:
        """So many answers, or until no image is left."""
        self.open()
        while self.form and (answers is None or len(self.sends) < answers):
            self.send()

    def _read(self, text: str) -> None:
        start = text.find(FORMS[self.room])
        part = text[start : text.find("</form>", start)] if start >= 0 else ""
        self.form = dict(HIDDEN.findall(part))
        if not self.form:
            return
        self.form.pop("csrfmiddlewaretoken", None)
        self.form["seconds"] = "2.50"
        # The first choice of each question.
        for name, value in RADIO.findall(part):
            self.form.setdefault(name, value)

    def _ask(self, verb: str, form: dict[str, str] | None = None):
        headers = {"Cookie": f"sessionid={self.session}; csrftoken={self.token}", **self.headers}
        body = None
        if form is not None:
            body = urlencode(form)
            headers |= {
                "Content-Type": "application/x-www-form-urlencoded",
                "X-CSRFToken": self.token,
            }
            if self.room != "plain":
                headers["HX-Request"] = "true"
        for attempt in (1, 2):
            try:
                start = time.perf_counter()
                self.connection.request(verb, PATHS[self.room], body, headers)
                answer = self.connection.getresponse()
                text = answer.read().decode()
                took = 1000 * (time.perf_counter() - start)
                return answer.status, text, answer.headers, took
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # The server closes idle connections; a browser opens another one.
                self.connection.close()
                if attempt == 2:
                    raise
        raise AssertionError


def work(*, port: int, cookies: list[str], answers: int | None, room: str = "label") -> dict:
    crowd = [Annotator(port, cookie, room=room) for cookie in cookies]
    start = time.perf_counter()
    with ThreadPoolExecutor(len(crowd)) as pool:
        for done in [pool.submit(one.work, answers) for one in crowd]:
            done.result()
    return {
        "seconds": time.perf_counter() - start,
        "pages": [ms for one in crowd for ms in one.pages],
        "sends": [ms for one in crowd for ms in one.sends],
        "acknowledged": [s for one in crowd for s in one.acknowledged],
        "refused": [words for one in crowd for words in one.refused],
    }


def replay(*, port: int, cookies: list[str], times: int) -> dict:
    """The same submission again and again, as a browser on a bad line would send it."""
    one = Annotator(port, cookies[0])
    one.open()
    form = dict(one.form)
    for _ in range(times):
        one.send(form)
    return {"submission": form["submission"], "refused": one.refused, "sends": one.sends}


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    print(json.dumps(replay(**given) if "times" in given else work(**given)))
