"""The bar of a long import knows how much there is, where that can be known."""

import io
import sys

from judges.management import imports


class Terminal(io.StringIO):
    def isatty(self):
        return True


def drawn(monkeypatch, total):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with imports.bar(total) as show:
        show(50)
    return terminal.getvalue()


def test_it_shows_how_much_there_is(monkeypatch):
    assert "/200" in drawn(monkeypatch, 200)
    assert "/" not in drawn(monkeypatch, None).partition("[")[0]


def test_there_is_none_without_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with imports.bar(200) as show:
        assert show is None
