import pytest

from jurybox_judging.methods.tifa import Tifa
from jurybox_judging.text_similarity import letters, nearest, similarity


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


def always_the_last(answer, choices):
    return range(len(choices))


def test_a_plug_in_of_the_settings_is_chosen_by_its_name(settings):
    settings.JUDGE_PLUGINS = {"last": f"{__name__}:always_the_last"}
    assert nearest("a", ["b", "c"], similarity(Tifa(nearest="last").nearest)) == "c"


@pytest.mark.parametrize(
    "name",
    ["no.such:thing", "letter", "os:system", "jurybox_judging.text_similarity:letters", "math:pi"],
)
def test_a_similarity_that_nobody_registered_is_refused_and_not_imported(name):
    with pytest.raises(ValueError, match="“nearest” must be one of letters, not"):
        Tifa(nearest=name)
    with pytest.raises(ValueError, match="no plug-in"):
        similarity(name)
