import pytest

from jurybox_formats.forms.validate_definition import _unprintable


@pytest.mark.parametrize(
    "given", ["two\nlines", "a\ttab", "", "naïve 🙂", 7, ["fine"], {"fine": ["too"]}]
)
def test_lines_tabs_and_every_letter_are_text(given):
    assert not _unprintable(given)


@pytest.mark.parametrize(
    "given", ["a\x07", "a\r", "\x00", "\ud800", ["fine", "a\x07"], {"a\x07": 1}, {"a": {"b": "\x1f"}}]
)  # fmt: skip
def test_control_characters_and_halves_of_characters_are_not_wherever_they_stand(given):
    assert _unprintable(given)
