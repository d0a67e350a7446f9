"""What things are called: a name says what a function does or what it gives back."""

from tests.house import names


def test_no_function_or_class_is_called_by_a_participle_or_a_preposition_alone():
    assert [f"{file}:{line} {name}" for file, line, name in names.bare_names()] == []
