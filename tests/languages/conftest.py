from __future__ import annotations

import pytest
from django.utils.translation import trans_real

from tests.languages.brackets import Brackets


@pytest.fixture
def bracketed(monkeypatch, settings):
    settings.LANGUAGES = [*settings.LANGUAGES, ("eo", "Brackets")]
    monkeypatch.setitem(trans_real._translations, "eo", Brackets())
    monkeypatch.setattr(trans_real, "check_for_language", lambda code: True)
    return {"Accept-Language": "eo"}
