"""What things are called: a name says what a function does or what it gives back."""

from tests.house import names


def test_no_function_or_class_is_called_by_a_participle_or_a_preposition_alone():
    assert [f"{file}:{line} {name}" for file, line, name in names.bare_names()] == []


def test_comments_hardly_speak_of_what_was_told_said_or_asked():
    assert names.talk_in_a_thousand_words() <= 0.3
