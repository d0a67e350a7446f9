"""A published table read again: places by hand."""

import json

import pytest
from django.core.management import call_command

from annotations.errors import Refused
from audit.cards.certificate import content_of
from audit.cards.key import public_key, sign
from audit.cards.retro import Band, Model, audit_table, band_of, read_models, table_words

BAND = Band("2025-01-01", 5, 2, 8)
MODELS = [
    Model("old-best", "2024-01-01", 70),
    Model("new", "2025-06-01", 65),
    Model("newer", "2025-07-01", 64),
    Model("old-last", "2024-02-01", 40),
]
ROW = {
    "part": "agreement with people",
    "what": "gap",
    "since": "2025-01-01",
    "number": {"value": 5, "low": 2, "high": 8, "n": 90},
}


def test_places_stand_where_the_whole_band_keeps_the_order():
    # new: 67 to 73, old-best 70: not told apart. newer: 66 to 72, nor that one. Both move together.
    rows = {row["model"]: row["unsure"] for row in audit_table(MODELS, BAND)}
    assert rows == {
        "old-best": ["new", "newer"],
        "new": ["old-best"],
        "newer": ["old-best"],
        "old-last": [],
    }
    words = table_words(audit_table(MODELS, BAND), BAND)
    assert words[0].startswith("1 of 4 places stand: models since 2025-01-01 lie +5.0 points")
    assert "2. new, 2025-06-01: 65 (67 to 73); not told apart from old-best" in words


def test_scores_printed_as_shares_move_by_hundredths():
    models = [Model("a", "2024-01-01", 0.70), Model("b", "2025-01-01", 0.60)]
    (_, moved) = audit_table(models, BAND)
    assert (moved["low"], moved["high"]) == pytest.approx((0.62, 0.68))
    assert moved["unsure"] == []


def test_dates_are_compared_as_dates_however_they_are_written(tmp_path):
    # As texts, 2024-12-31 < 20241231 < 2025-01-01, and 20250101 > 2025-01-01 only by chance.
    file = tmp_path / "table.csv"
    file.write_text("model,date,score\nold,20241231,9\nnew,2025-W01-3,8\nolder,2024-W52-7,7\n")
    rows = audit_table(read_models(file), Band("20250101", 5, 2, 8))
    assert {row["model"]: row["low"] for row in rows} == {"old": 9, "new": 10, "older": 7}


def test_a_card_without_that_fact_is_refused():
    undated = [{**ROW, "since": "soon"}]
    for rows in (
        [],
        [{**ROW, "since": None}],
        undated,
        [{**ROW, "number": {"undefined": "x", "n": 0}}],
    ):
        with pytest.raises(Refused, match="does not say how it reads newer generators"):
            band_of({"rows": rows})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model,score\na,1", "date is not there"),
        ("model,date,score\na,2024,1\nb,2024-01-01,2", "a date is like"),
        ("model,date,score\na,２０２４-01-01,1\nb,2024-01-01,2", "a date is like"),
        ("model,date,score\na,2024-01-01,nan\nb,2024-01-01,2", "finite number"),
        ("model,date,score\na,2024-01-01,١٢\nb,2024-01-01,2", "row 2: .*digits 0 to 9.*not “١٢”"),
        ("model,date,score\na,2024-01-01,１２\nb,2024-01-01,2", "digits 0 to 9"),
        ("model,date,score\na,2024-01-01,1_000\nb,2024-01-01,2", "not “1_000”"),
        ('model,date,score\na,2024-01-01,"1,000"\nb,2024-01-01,2', "not “1,000”"),
        ("model,date,score\na,2024-01-01,1", "2 to 1,000 are wanted"),
        ("model,date,score\na,2024-01-01,1\na,2024-01-01,2", "twice"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_with_a_sentence(tmp_path, text, words):
    file = tmp_path / "table.csv"
    file.write_text(text)
    with pytest.raises(Refused, match=words):
        read_models(file)


def test_the_command_reads_a_signed_card_and_says_what_it_is_worth(tmp_path, capsys):
    valid = {"newer": 0, "generators": 3, "alarm": False, "until": "2000-01-01"}
    unsigned = {
        "format": "jurybox-card 1",
        "card": {"rows": [ROW], "valid": valid},
        "key": public_key(),
    }
    card = tmp_path / "card.json"
    card.write_text(json.dumps({**unsigned, "signature": sign(content_of(unsigned))}))
    table = tmp_path / "table.csv"
    lines = [f"{one.name},{one.released},{one.score}" for one in MODELS]
    table.write_text("\n".join(["model,date,score", *lines]))
    call_command("retro_audit", str(table), "--card", str(card))
    out = capsys.readouterr().out
    assert "1 of 4 places stand" in out and "Signature: holds." in out and "Expired" in out
