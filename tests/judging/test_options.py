import json
from dataclasses import dataclass
from typing import Any

import pytest

from jurybox_judging import options
from jurybox_judging.options import Optioned, typed


@dataclass(frozen=True, kw_only=True)
class Example(Optioned):
    flag: bool = options.flag(False, "Whether.")
    count: int = options.whole(1, "How many.", minimum=1, maximum=5)
    share: float = options.real(0.5, "How much.", minimum=0, maximum=1)
    kind: str = options.choice("a", ("a", "b", ""), "Which.")
    name: str = options.free_text("", "What it is called.", longest=8)
    limit: float | None = options.real(None, "At most.", minimum=0, maximum=10)
    words: tuple[str, ...] = options.texts(("x",), "Some words.", most=3, longest=4)
    extra: Any = options.fields_of_request("Anything else.", longest=20)


def test_all_options_are_told_whether_given_or_not():
    assert Example(count=2).options == {
        "flag": False,
        "count": 2,
        "share": 0.5,
        "kind": "a",
        "name": "",
        "limit": None,
        "words": ("x",),
        "extra": None,
    }


NESTED: list = []
for _ in range(10_000):
    NESTED = [NESTED]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"colour": 1}, "Example has no option “colour”; it has flag, count, share, kind"),
        ({"c" * 2**20: 1}, "Example has no option “ccc"),
        ({"flag": 1}, "“flag” must be true or false, not 1."),
        ({"flag": "yes please"}, "“flag” must be true or false, not 'yes please'."),
        ({"count": 1.5}, "“count” must be a whole number from 1 to 5, not 1.5."),
        ({"count": True}, "“count” must be a whole number from 1 to 5, not True."),
        ({"count": -3}, "“count” must be a whole number from 1 to 5, not -3."),
        ({"count": 10**5000}, "“count” must be a whole number from 1 to 5, not a number of thou"),
        ({"count": 10**400}, "“count” must be a whole number from 1 to 5, not 1000"),
        ({"share": "much"}, "“share” must be a number from 0 to 1, not 'much'."),
        ({"share": float("nan")}, "“share” must be a number from 0 to 1, not nan."),
        ({"share": float("inf")}, "“share” must be a number from 0 to 1, not inf."),
        ({"share": 10**400}, "“share” must be a number from 0 to 1, not 1000"),
        ({"share": None}, "“share” must be a number from 0 to 1, not None."),
        ({"kind": "c"}, "“kind” must be one of a, b, nothing, not 'c'."),
        ({"kind": ["a"]}, "“kind” must be one of a, b, nothing, not"),
        ({"name": 3}, "“name” must be a text of at most 8 characters, not 3."),
        ({"name": "n" * 2**20}, "“name” must be a text of at most 8 characters, not 'nnn"),
        ({"name": "a\0b"}, "“name” must be a text"),
        ({"name": "\ud800"}, "“name” must be a text"),
        ({"limit": "none"}, "“limit” must be a number from 0 to 10, not 'none'."),
        ({"words": []}, "“words” must be a list of 1 to 3 texts of at most 4 characters"),
        ({"words": ["a"] * 10**5}, "“words” must be a list of 1 to 3 texts"),
        ({"words": "abc"}, "“words” must be a list of 1 to 3 texts"),
        ({"words": NESTED}, "“words” must be a list of 1 to 3 texts"),
        ({"extra": [1]}, "“extra” must be an object of fields of at most 20 characters"),
        ({"extra": {"a": float("nan")}}, "“extra” must be an object"),
        ({"extra": {"a": NESTED}}, "“extra” must be an object"),
        ({"extra": {"a": "b" * 40}}, "“extra” must be an object"),
    ],
)
def test_what_is_no_option_is_refused_in_a_sentence(given, words):
    with pytest.raises((TypeError, ValueError)) as refused:
        Example(**given)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 300


def test_a_whole_number_is_a_number_too():
    assert Example(share=1, limit=2).options["share"] == 1


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        ("share", "0.25", 0.25),
        ("flag", "true", True),
        ("words", '["a", "b"]', ["a", "b"]),
        ("name", "0.25", "0.25"),
        ("name", '"a b"', "a b"),
        ("name", "a b", "a b"),
        ("count", "9" * 5000, "9" * 5000),
        ("words", "[" * 100_000, "[" * 100_000),
    ],
)
def test_what_a_person_types_is_read_as_the_option_wants_it(option, text, value):
    assert typed(options.declared(Example)[option], text) == value


def test_a_declaration_is_plain_data_with_its_help():
    told = [option.as_json(name) for name, option in options.declared(Example).items()]
    assert json.loads(json.dumps(told))[1] == {
        "name": "count",
        "type": "whole",
        "default": 1,
        "wanted": "a whole number from 1 to 5",
        "minimum": 1,
        "maximum": 5,
        "choices": [],
        "longest": None,
        "help": "How many.",
    }
