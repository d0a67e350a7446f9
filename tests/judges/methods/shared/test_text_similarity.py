import pytest

from judges.methods.shared.text_similarity import letters, loaded, nearest


def test_a_choice_is_itself():
    assert nearest("red", ["crimson red", "red"], None) == "red"


@pytest.mark.parametrize(
    ("text", "chosen"),
    [("two dogs", "dogs"), ("a firetruck", "fire truck"), ("reddish", "red")],
)
def test_letters_find_the_word_that_is_meant(text, chosen):
    assert nearest(text, ["cats", "dogs", "fire truck", "red"], letters) == chosen


def test_of_equals_the_first_is_chosen():
    assert nearest("zzz", ["cats", "dogs"], letters) == "cats"


def test_letters_worked_by_hand():
    # "a" with its ends: "  a", " a ", "a  "; "b" has none of them. Upper case does not matter.
    assert letters("A", ["a", "b"]) == pytest.approx([1, 0])


def test_a_similarity_of_ones_own_is_loaded_by_its_path():
    assert loaded("judges.methods.shared.text_similarity:letters") is letters


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no.such:thing", "There is no text similarity “no.such:thing”"),
        ("letter", "There is no text similarity “letter”"),
        ("math:pi", "cannot be called"),
    ],
)
def test_a_similarity_that_cannot_be_had_is_refused(name, words):
    with pytest.raises(ValueError, match=words):
        loaded(name)
