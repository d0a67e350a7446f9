"""A server on loopback that speaks chat completions over real HTTP and misbehaves when told to."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Asked:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """The words of the last turn."""
        content = self.body["messages"][-1]["content"]
        return content if isinstance(content, str) else content[-1]["text"]

    @property
    def picture(self) -> str:
        """The first."""
        return self.shown[0][1]

    @property
    def shown(self) -> list[tuple[str, str]]:
        """Each picture that was sent, in order, with the words right before it."""
        turns = [m for m in self.body["messages"] if isinstance(m["content"], list)]
        sent, words = [], ""
        for part in turns[0]["content"]:
            if part["type"] == "image_url":
                sent.append((words, part["image_url"]["url"]))
            words = part.get("text", "")
        return sent


@dataclass
class Reply:
    body: Any = None  # bytes go out as they are
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0  # seconds between bytes
    cut: int = 0  # bytes that are promised and never come


@dataclass
class StandIn:
    url: str
    asked: list[Asked] = field(default_factory=list)
    busiest: int = 0


def token(text: str, probability: float) -> dict[str, Any]:
    return {"token": text, "logprob": math.log(probability) if probability else -9999.0}


def told(*tokens: tuple[str, float], said: str | None = None, usage: Any = (10, 1)) -> Reply:
    """A reply of one token with these likeliest ones."""
    listed = [token(*pair) for pair in tokens]
    first = {**listed[0], "top_logprobs": listed}
    choice = {
        "message": {"role": "assistant", "content": tokens[0][0] if said is None else said},
        "logprobs": {"content": [first]},
        "finish_reason": "length",
    }
    body = {"choices": [choice]}
    if usage:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return Reply(body)


def spoken(text: str) -> Reply:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return Reply({"choices": [choice], "usage": {"prompt_tokens": 20, "completion_tokens": 5}})


@contextmanager
def standing_in(answer: Callable[[Asked, int], Reply]) -> Iterator[StandIn]:
    """`answer` is asked with each request and how many came before it."""
    lock = threading.Lock()
    present = 0

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            nonlocal present
            length = int(self.headers["Content-Length"])
            asked = Asked(self.path, dict(self.headers), json.loads(self.rfile.read(length)))
            with lock:
                before = len(state.asked)
                state.asked.append(asked)
                present += 1
                state.busiest = max(state.busiest, present)
            try:
                reply = answer(asked, before)
            finally:
                # Before the asker has the reply: it may ask again at once.
                with lock:
                    present -= 1
            # The asker may have left, as some tests want it to.
            with suppress(BrokenPipeError, ConnectionResetError):
                self._send(reply)

        def _send(self, reply: Reply) -> None:
            threading.Event().wait(reply.delay)
            body = reply.body
            if not isinstance(body, bytes):
                body = json.dumps(body).encode()
            self.send_response(reply.status)
            self.send_header("Content-Length", str(len(body) + reply.cut))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if not reply.drip:
                self.wfile.write(body)
                return
            for byte in body:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                threading.Event().wait(reply.drip)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state = StandIn(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
