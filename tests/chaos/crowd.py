"""Patient annotators: whatever dies, they send the same answer again until it is acknowledged."""

from __future__ import annotations

import http.client
import random
import threading
import time

from tests.bench.labelling_crowd import Annotator

PAUSE = 0.3  # seconds between two answers; people think


class Patient(Annotator):
    """Knows for each answer that was acknowledged what it said."""

    def __init__(self, port: int, session: str, seed: int) -> None:
        super().__init__(port, session)
        self.chance = random.Random(seed)
        self.kept: dict[str, dict[str, str]] = {}
        self.sent_again = 0
        self.turned_away: list[str] = []

    def work_until(self, over: threading.Event) -> None:
        self._insist(self.open, over)
        while not over.is_set():
            if not self.form:
                # Nothing is left for now; leases of others may come free.
                time.sleep(0.5)
                self._insist(self.open, over)
                continue
            said = self._choose(dict(self.form))
            if self._insist(lambda said=said: self._send(said), over):
                time.sleep(PAUSE * self.chance.uniform(0.5, 1.5))

    def _choose(self, form: dict[str, str]) -> dict[str, str]:
        for name in form:
            if name.startswith("answer-"):
                form[name] = self.chance.choice(["0", "1"])
        return form

    def _send(self, said: dict[str, str]) -> None:
        self.refused.clear()
        before = len(self.acknowledged)
        self.send(said)
        if len(self.acknowledged) > before:
            self.kept[said["submission"]] = said
        elif self.refused[0][:1] in "45" and self.refused[0][:3] not in {"409", "403", "422"}:
            raise ConnectionError(self.refused[0])
        else:
            # A sentence: the answer was not taken, and the page says so. Start from a fresh page.
            self.turned_away.append(self.refused[0])
            self.open()

    def _insist(self, step, over: threading.Event) -> bool:
        while not over.is_set():
            try:
                step()
                return True
            except (OSError, http.client.HTTPException, RuntimeError, AttributeError):
                self.sent_again += 1
                self.connection.close()
                time.sleep(0.1)
        return False
