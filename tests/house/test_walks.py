import pytest

from tests.house import figures, walks, ways


def test_a_stop_in_a_file_that_was_left_is_a_return():
    walk = walks.Walk()
    walk.stops = [
        ("a", "one"),
        ("b", "two"),
        ("b", "three"),
        ("a", "four"),
        ("c", "five"),
        ("a", "six"),
    ]
    assert walk.returns == 2


def test_a_walk_stops_where_another_file_is_entered_and_once_at_each_function():
    from jurybox_formats.prompt_grammar.parse import parse

    walk = walks.Walk()
    walk.follow(lambda: [parse("a red cat"), parse("two dogs")])
    entered = [name for _, name in walk.stops]
    assert entered[0] == "parse"
    assert len(entered) == len(set(walk.stops))
    assert "is_attribute" in entered  # in words.py, from parse.py
    assert "read" not in entered  # in the file where one stands already


@pytest.mark.nightly("a study or a report is made; the quick tests check all that needs none")
@pytest.mark.parametrize("name", ways.WAYS)
@pytest.mark.django_db
def test_no_way_has_more_returns_than_its_limit(media, name):
    returns = {name: ways.WAYS[name]().returns}
    assert list(figures.passed_limits(returns, figures.read_limits())) == []


def test_every_limit_is_of_a_figure_and_every_figure_has_one():
    assert set(figures.read_limits()) == {*figures.FIGURES, *ways.WAYS}
