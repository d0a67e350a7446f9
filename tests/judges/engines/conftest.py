"""Small models on one thread each: several test processes share the cores already, and threads
that wait for each other take longer than the work."""

import os

import pytest

# Read by torch when it is first imported, which no test module does before this file.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture
def shares(monkeypatch):
    """All probabilities behind the answers, as the rules get to read them, picture by picture."""
    from judges.engines.shared.token_answers import AnswerReader

    seen, read = [], AnswerReader.read

    def spy(self, questions, logits):
        seen.append(logits.softmax(-1))
        return read(self, questions, logits)

    monkeypatch.setattr(AnswerReader, "read", spy)
    return seen
