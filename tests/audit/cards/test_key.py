"""With which key a card is signed, whose it is, and what is signed."""

from __future__ import annotations

import json
from datetime import date

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from audit.cards.certificate import BEFORE, canonical_json, check_certificate, content_of
from audit.cards.key import is_signed_by, own_keys, public_key, sign
from audit.cards.site.build import build_site
from audit.cards.site.read import read_cards
from tests.audit.cards.site.making import body, write_card

DAY = date(2025, 6, 1)


def test_cards_keep_verifying_when_the_keys_of_an_installation_change(tmp_path, settings):
    first = json.loads(write_card(tmp_path).read_text())
    settings.CARD_KEY = "ab" * 32
    assert public_key() != first["key"]
    assert check_certificate(first, DAY)[0]
    second = json.loads(write_card(tmp_path).read_text())
    settings.CARD_KEYS_BEFORE = [first["key"]]
    settings.SECRET_KEY = "another one, which is long enough for a key of fifty letters"
    assert second["key"] == public_key()
    assert all(check_certificate(one, DAY)[0] for one in (first, second))
    settings.CARD_KEYS_BEFORE = []
    assert not check_certificate(first, DAY)[0]


def test_a_card_signed_as_before_still_holds():
    unsigned = {"format": BEFORE, "card": body(), "key": public_key(), "x": 1.0}
    content = json.dumps(unsigned, sort_keys=True, ensure_ascii=False).encode()
    assert content_of(unsigned) == content
    assert check_certificate({**unsigned, "signature": sign(content)}, DAY)[0]


def test_a_site_marks_cards_of_keys_that_its_publisher_does_not_know(tmp_path, settings):
    own = write_card(tmp_path, "own.json", judge="Own")
    settings.CARD_KEY = "cd" * 32
    other = write_card(tmp_path, "other.json", judge="Other")
    theirs = public_key()
    settings.CARD_KEY = ""
    assert {card.judge: card.expected for card in read_cards([own, other])} == {
        "Own": True,
        "Other": False,
    }
    files = build_site(read_cards([own, other]))
    assert files["index.html"].decode().count("Signed with another key, not ours") == 1
    files = build_site(read_cards([own, other], [theirs]))
    assert "another key" not in files["index.html"].decode()


def test_a_key_of_small_order_signs_nothing():
    """y = 1: with it, a signature of that very point and 0 fits any content."""
    nothing = (1).to_bytes(32, "little")
    signature = nothing + bytes(32)
    Ed25519PublicKey.from_public_bytes(nothing).verify(signature, b"any content")
    prime = 2**255 - 19
    eighth = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
    small = [bytes(32), nothing, (prime - 1).to_bytes(32, "little"), bytes.fromhex(eighth)]
    small += [(prime + y).to_bytes(32, "little") for y in (0, 1)]
    small += [one[:31] + bytes([one[31] | 0x80]) for one in small]
    assert not any(is_signed_by(one.hex(), signature.hex(), b"any content") for one in small)
    assert is_signed_by(public_key(), sign(b"a"), b"a")
    assert public_key() in own_keys()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        # The example of RFC 8785, 3.2.2, and numbers of its appendix B.
        (
            {
                "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 1e-27],
                "string": '€$\u000f\nA\'B"\\\\"/',
                "literals": [None, True, False],
            },
            '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
            '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
        ),
        ([0.0, -0.0, 5e-324, -5e-324], "[0,0,5e-324,-5e-324]"),
        (
            [9007199254740992, 2**68, 1e21, 1e20],
            "[9007199254740992,295147905179352830000,1e+21,100000000000000000000]",
        ),
        (
            [9.999999999999997e22, 0.000001, 1e-7, -1.5],
            "[9.999999999999997e+22,0.000001,1e-7,-1.5]",
        ),
        ({"\ufb33": 1, "\U0001f600": 2, "a": 1.0}, '{"a":1,"\U0001f600":2,"\ufb33":1}'),
    ],
)
def test_json_is_written_as_rfc_8785_has_it(value, text):
    assert canonical_json(value) == text.encode()
