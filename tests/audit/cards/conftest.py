from datetime import date

import pytest


@pytest.fixture(autouse=True)
def today(monkeypatch):
    """A day on which the cards of these tests hold."""
    monkeypatch.setattr("django.utils.timezone.localdate", lambda: date(2024, 6, 1))
