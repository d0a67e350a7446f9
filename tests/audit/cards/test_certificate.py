"""A signed card: what was changed after it was signed is told, and so is one that has expired."""

import json
import random
from datetime import date

import pytest
from django.core.management import CommandError, call_command

from annotations.errors import Refused
from audit.cards.certificate import check_certificate, make_certificate, read_certificate
from audit.cards.key import is_signed_by, public_key, sign
from audit.questions.card.question import Parameters, card, run_called
from audit.questions.card.scores import Scores
from audit.questions.card.validity import add_months, validity_words
from judges.cards.pictures import DrawnImages
from tests import making
from tests.audit.questions.test_card import planted

pytestmark = pytest.mark.django_db
TODAY = date(2024, 6, 1)


@pytest.fixture
def signed():
    study = making.study(prompts=12)
    planted(study, lambda change, image: 0.5 if change.startswith("blur") else 1.0)
    body = card(study, Parameters("rule"))
    scores = Scores.from_drawn(DrawnImages(run_called(study, "rule")[1]))
    # As it comes back from a file.
    return json.loads(json.dumps(make_certificate(body, scores)))


def test_a_card_as_it_was_signed_holds(signed):
    good, lines = check_certificate(signed, TODAY)
    assert good
    assert lines[0] == "Signature: holds."
    # The newest generator is of 2024-01-01.
    assert lines[2].startswith("Valid until 2025-01-01, for at most 3 newer generators")
    assert lines[3].endswith("counted again from the enclosed data, all as printed.")
    named = json.dumps(signed["data"])
    assert "early" not in named and "p0" not in named


def test_a_changed_number_breaks_the_signature_and_does_not_follow(signed):
    row = next(one for one in signed["card"]["rows"] if one["part"] == "fooling")
    row["number"]["value"] += 0.25
    good, lines = check_certificate(signed, TODAY)
    assert not good
    assert lines[0].startswith("Signature: broken")
    assert "1 do not follow from the data, such as fooling" in lines[3]


def test_a_file_signed_anew_with_another_key_is_told(signed, settings):
    settings.SECRET_KEY = "another installation's, which is long enough"
    good, lines = check_certificate(signed, TODAY)
    assert not good and lines[0] == "Signature: holds."
    assert lines[1].startswith("Key: another one, ")
    assert check_certificate(signed, TODAY, signed["key"])[0]


def test_an_expired_card_says_to_measure_again(signed):
    good, lines = check_certificate(signed, date(2025, 1, 2))
    assert not good
    assert lines[2] == (
        "Expired: measure again on the newest generators. It was valid until 2025-01-01."
    )
    valid = signed["card"]["valid"]
    assert "4 generators are newer" in validity_words({**valid, "newer": 4})
    assert "drifts" in validity_words({**valid, "alarm": True})


def test_months_are_added_by_the_calendar():
    assert add_months(date(2024, 2, 29), 12) == date(2025, 2, 28)
    assert add_months(date(2024, 10, 31), 4) == date(2025, 2, 28)


def test_what_is_no_key_signs_nothing():
    assert is_signed_by(public_key(), sign(b"a"), b"a")
    for key, signature in (("", ""), ("zz", "00"), (public_key(), "00"), ("é", sign(b"a"))):
        assert not is_signed_by(key, signature, b"a")


def test_the_command_writes_a_signed_card_and_verifies_it(tmp_path, capsys):
    study = making.study(prompts=12)
    run = planted(study, lambda change, image: 1.0)
    run.judge.engine = "imported"
    run.judge.save()
    file = tmp_path / "card.json"
    call_command("card", "rule", "--study", study.slug, "--out", str(file))
    assert public_key() in capsys.readouterr().out
    assert "release" not in json.loads(file.read_text())
    licence = ("--licence", "CC-BY-4.0")
    call_command("card", "rule", "--study", study.slug, "--out", str(file), *licence)
    assert "released under CC-BY-4.0" in capsys.readouterr().out
    assert json.loads(file.read_text())["release"] == {"licence": "CC-BY-4.0"}
    # It is older than a year by whatever clock runs this.
    with pytest.raises(CommandError, match="Signature: holds(.|\n)*Expired"):
        call_command("card", "verify", str(file))
    for wrong, words in (
        (b"", "not JSON"),
        (b"[]", "no card of Jurybox"),
        (b'{"format": "jurybox-card 1"}', "card is missing"),
        (b"\xff", "not JSON"),
        (b"[" * 1000 + b"]" * 1000, "no card"),
    ):
        file.write_bytes(wrong)
        with pytest.raises(CommandError, match=words):
            call_command("card", "verify", str(file))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("card", "verify", str(tmp_path / "none.json"))
    with pytest.raises(CommandError, match="card verify FILE"):
        call_command("card", "verify")


@pytest.mark.parametrize("seed", range(4))
def test_broken_by_chance_it_is_refused_with_a_sentence_or_told(signed, tmp_path, seed):
    rng, whole = random.Random(seed), json.dumps(signed).encode()
    odd = [b"null", b"-1", b"1e999", b"[]", b"{}", b'""', b"true", b"NaN", b"\x00"]
    file = tmp_path / "card.json"
    for _ in range(60):
        place = rng.randrange(len(whole))
        file.write_bytes(whole[:place] + rng.choice(odd) + whole[place + rng.randrange(9) :])
        try:
            good, lines = check_certificate(read_certificate(file), TODAY)
        except Refused as refusal:
            assert len(refusal.message) > 10
        else:
            assert not good and lines


@pytest.mark.parametrize("seed", range(4))
def test_with_values_of_other_kinds_it_is_refused_with_a_sentence_or_told(signed, seed):
    rng = random.Random(seed)
    odd = (None, -1, 1e300, [], {}, "", True, "x" * 99)

    def mangle(value):
        if rng.random() < 0.02:
            return rng.choice(odd)
        if isinstance(value, dict):
            return {key: mangle(held) for key, held in value.items()}
        return [mangle(held) for held in value] if isinstance(value, list) else value

    for _ in range(60):
        broken = mangle(signed)
        if not isinstance(broken, dict) or broken == signed:
            continue
        try:
            good, _ = check_certificate(broken, TODAY)
        except Refused as refusal:
            assert len(refusal.message) > 10
        else:
            assert not good


@pytest.mark.nightly("test_broken_by_chance_it_is_refused_with_a_sentence_or_told has 240 of them")
def test_ten_thousand_broken_cards_are_each_refused_or_told(signed, tmp_path):
    rng, whole = random.Random(42), json.dumps(signed).encode()
    file = tmp_path / "card.json"
    for _ in range(10_000):
        content = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(content))
            content[place : place + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        file.write_bytes(content)
        try:
            good, _ = check_certificate(read_certificate(file), TODAY)
        except Refused as refusal:
            assert len(refusal.message) > 10
        else:
            assert not good or bytes(content) == whole or json.loads(content) == signed
