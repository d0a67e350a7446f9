"""The catalogue's files: each judge is a recipe that anybody could have written."""

import pytest

from jurybox_judging import catalogue, registry
from jurybox_judging.options import declared
from jurybox_judging.recipes.check import check_values
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.names import ENGINES, KINDS, METHODS, kinds_of, load
from jurybox_judging.recipes.read import read_one
from jurybox_judging.recipes.write import as_toml


@pytest.mark.parametrize("name", catalogue.JUDGES)
def test_every_judge_is_written_and_read_again_as_it_was(name):
    entry = catalogue.JUDGES[name]
    assert read_one(as_toml(name, entry)) == (name, entry)


@pytest.mark.parametrize("name", catalogue.JUDGES)
def test_the_values_of_every_judge_fit(name):
    if reason := registry.why_not(name):
        pytest.skip(reason)
    check_values(catalogue.JUDGES[name], name)


def test_every_short_name_leads_to_a_class_that_declares_its_options():
    for method in METHODS.values():
        assert load(method.path).identity
        assert set(method.parts) | set(method.more) <= set(KINDS)
        for option, value in method.instead:
            assert value in declared(load(method.path))[option].choices
    for engine in ENGINES.values():
        assert declared(load(engine.path))
        assert kinds_of(load(engine.path))


def test_texts_of_every_kind_survive():
    words = 'a "quote", \\ a backslash\n\nthree lines\ttab \r return \x7f \u00e4\u4e2d'
    entry = Entry(
        "Own",
        METHODS["vqa-score"].path,
        {
            "answers": (
                ENGINES["server"].path,
                {"extra": {"a b": [1, 2.5, {"c": True}], "d": words}},
            )
        },
        {"template": words, "rule": ""},
        source=words,
    )
    assert read_one(as_toml("own", entry))[1] == entry


def test_an_entry_of_no_recipe_is_not_written():
    with pytest.raises(ValueError, match="tests:Method has no short name"):
        as_toml("own", Entry("Own", "tests:Method", {}))
