from dataclasses import dataclass
from typing import ClassVar

import pytest

from judges.methods.shared.options import Optioned


@dataclass(frozen=True, kw_only=True)
class Example(Optioned):
    flag: bool = False
    count: int = 1
    share: float = 0.5
    kind: str = "a"
    name: str = ""
    limit: float | None = None

    CHOICES: ClassVar = {"kind": ("a", "b")}


def test_all_options_are_told_whether_given_or_not():
    assert Example(count=2).options == {
        "flag": False,
        "count": 2,
        "share": 0.5,
        "kind": "a",
        "name": "",
        "limit": None,
    }


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"colour": 1}, "Example has no option “colour”; it takes flag, count, share, kind"),
        ({"flag": 1}, "“flag” must be true or false, not 1."),
        ({"count": 1.5}, "“count” must be a whole number, not 1.5."),
        ({"count": True}, "“count” must be a whole number, not True."),
        ({"share": "much"}, "“share” must be a number, not 'much'."),
        ({"share": float("nan")}, "“share” must be a number, not nan."),
        ({"kind": "c"}, "“kind” must be one of a, b, not 'c'."),
        ({"name": 3}, "“name” must be a text, not 3."),
        ({"limit": "none"}, "“limit” must be a number, not 'none'."),
    ],
)
def test_what_is_no_option_is_refused_in_a_sentence(given, words):
    with pytest.raises((TypeError, ValueError), match=words):
        Example(**given)


def test_a_whole_number_is_a_number_too():
    assert Example(share=1, limit=2).options["share"] == 1
