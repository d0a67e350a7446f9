"""What has expired is told by every door through which a card leaves, and is not released."""

from __future__ import annotations

import json
from datetime import date

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotations.stored_answers.store import answer_at_once
from audit.questions.card.question import CARD, Parameters
from tests import making
from tests.audit.questions.test_card import planted

pytestmark = pytest.mark.django_db
# The newest generator is of 2024-01-01.
HOLDS, TOO_LATE = date(2024, 12, 31), date(2025, 1, 2)


@pytest.fixture
def measured():
    study = making.study(prompts=12)
    planted(study, lambda change, image: 0.5 if change.startswith("blur") else 1.0)
    answer_at_once(CARD, study, Parameters("rule"))
    return study


@pytest.mark.parametrize(("day", "expired"), [(HOLDS, False), (TOO_LATE, True)])
def test_every_door_says_that_a_card_has_expired(
    measured, client, tmp_path, monkeypatch, capsys, day, expired
):
    monkeypatch.setattr("django.utils.timezone.localdate", lambda: day)
    client.force_login(making.person(measured, "alice", role="owner").user)
    file, old = tmp_path / "card.json", tmp_path / "old.json"
    given = ("card", "rule", "--study", "shapes", "--out")

    def release(out):
        call_command(*given, str(out), "--licence", "CC-BY-4.0")

    api = client.get("/api/v1/studies/shapes/questions/card/", {"judge": "rule"}).json()
    page = client.get(reverse("question", args=["shapes", "card"]), {"judge": "rule"})
    call_command(*given, str(file))
    signed = json.loads(file.read_text())
    if expired:
        with pytest.raises(CommandError, match="Not released. Expired: measure again"):
            release(tmp_path / "never.json")
        monkeypatch.setattr("django.utils.timezone.localdate", lambda: HOLDS)
    release(old)
    monkeypatch.setattr("django.utils.timezone.localdate", lambda: day)
    call_command("site", str(tmp_path / "site"), "--from", str(old))
    index, *cards = (tmp_path / "site/index.html", *(tmp_path / "site/cards").glob("*.html"))
    said = {
        "api": api["valid"]["expired"] != "",
        "page": "Expired: measure again" in page.content.decode(),
        "certificate": "expired" in signed,
        "index": "Expired: it was valid until 2025-01-01" in index.read_text(),
        "site": all("Expired: measure again" in card.read_text() for card in cards),
    }
    assert said == dict.fromkeys(said, expired)
