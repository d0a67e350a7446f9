"""TOTP against the vectors of RFC 6238 (appendix B) and HOTP's of RFC 4226 (appendix D)."""

from __future__ import annotations

import pytest

from audit.accounts import one_time_codes

SECRET = b"12345678901234567890"


@pytest.mark.parametrize(
    ("moment", "code"),
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1111111111, "14050471"),
        (1234567890, "89005924"),
        (2000000000, "69279037"),
        (20000000000, "65353130"),
    ],
)
def test_the_vectors_of_rfc_6238(moment, code):
    step = next(one_time_codes.steps_around(moment))
    assert one_time_codes.code_at(SECRET, step, digits=8) == code


def test_the_vectors_of_rfc_4226():
    codes = [one_time_codes.code_at(SECRET, count) for count in range(4)]
    assert codes == ["755224", "287082", "359152", "969429"]


def test_a_code_counts_in_its_half_minute_and_beside_it():
    assert sorted(one_time_codes.steps_around(60)) == [1, 2, 3]


def test_what_a_phone_reads():
    address = one_time_codes.address(SECRET, "dora@example.org", "Jurybox")
    assert address == (
        "otpauth://totp/Jurybox:dora%40example.org"
        "?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Jurybox"
    )
