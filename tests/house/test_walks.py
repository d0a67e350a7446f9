import ast

from tests.house import names, rooms, walks


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
    from annotations.prompt_grammar.parse import parse

    walk = walks.Walk()
    walk.follow(lambda: [parse("a red cat"), parse("two dogs")])
    entered = [name for _, name in walk.stops]
    assert entered[0] == "parse"
    assert len(entered) == len(set(walk.stops))
    assert "is_attribute" in entered  # in words.py, from parse.py
    assert "read" not in entered  # in the file where one stands already


def test_names_that_are_a_participle_alone_are_found_whatever_stands_before(monkeypatch):
    tree = ast.parse("def _shown(): ...\nclass Asked: ...\ndef show_rows(): ...\n")
    path = rooms.ROOT / "audit/view.py"
    monkeypatch.setattr(names, "product_files", lambda: (path,))
    monkeypatch.setattr(names, "tree_of", lambda path: tree)
    assert [name for _, _, name in names.bare_names()] == ["_shown", "Asked"]
