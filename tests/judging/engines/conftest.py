import pytest


@pytest.fixture
def shares(monkeypatch):
    """All probabilities behind the answers, as the rules get to read them, picture by picture."""
    from jurybox_judging.engines.shared.token_answers import AnswerReader

    seen, read = [], AnswerReader.read

    def spy(self, questions, logits):
        seen.append(logits.softmax(-1))
        return read(self, questions, logits)

    monkeypatch.setattr(AnswerReader, "read", spy)
    return seen
