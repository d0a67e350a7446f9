import pytest

from jurybox_formats.sources.checks import Unfit, check_text, is_sound


def test_every_character_that_a_file_can_hold_is_sound():
    assert is_sound("")
    assert is_sound("Zoë’s 猫 🐈\n\t")


@pytest.mark.parametrize("text", ["a\0", "\0", "half \ud83d", "\udc80 byte"])
def test_nul_and_half_characters_are_refused_with_their_field(text):
    assert not is_sound(text)
    with pytest.raises(Unfit, match="“prompt” is not sound text") as refused:
        check_text("prompt", text)
    assert refused.value.field == "prompt"
