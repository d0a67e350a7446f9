"""A recipe's text becomes an entry, or a sentence that names the file and the field."""

from datetime import date

import pytest

from jurybox_judging.errors import JudgeRefused
from jurybox_judging.recipes.check import check_values
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.read import LARGEST, read_all, read_one

WHOLE = """
name = "strict-dsg"
title = "DSG, strict"
released = 2024-04-01
method = "dsg"
source = "our own words"

[options]
transitive = true

[answers]
engine = "clip-flant5"
checkpoint = "zhiqiulin/clip-flant5-xxl"
"""
SHORT = """
name = "mine"
title = "Mine"
method = "dsg"
answers.engine = "builtin"
"""


def test_every_field_arrives():
    name, entry = read_one(WHOLE)
    assert name == "strict-dsg"
    assert entry == Entry(
        title="DSG, strict",
        method="jurybox_judging.methods.dsg:Dsg",
        parts={
            "answers": (
                "jurybox_judging.engines.clip_flant5:ClipFlanT5",
                {"checkpoint": "zhiqiulin/clip-flant5-xxl"},
            )
        },
        options={"transitive": True},
        release_date=date(2024, 4, 1),
        needs=("torch", "transformers"),
        source="our own words",
    )
    check_values(entry)


def test_what_two_engines_need_is_named_once():
    text = SHORT.replace('"dsg"', '"geneval"').replace(
        'answers.engine = "builtin"',
        'objects.engine = "mask2former"\ncolors.engine = "open-clip"',
    )
    assert read_one(text)[1].needs == ("torch", "transformers", "open_clip")


def test_a_family_holds_several_judges():
    first = SHORT.strip()
    second = first.replace('"mine"', '"other"')
    read = dict(read_all(f"[[judge]]\n{first}\n\n[[judge]]\n{second}\n", "family.toml"))
    assert list(read) == ["mine", "other"]
    assert read["mine"] == read_one(SHORT)[1]


# what is put in the place of what -> the sentence about it
MISTAKES = {
    "no TOML": ('name = "mine"', "name = mine", "My.toml cannot be read as TOML: Invalid value"),
    "an unknown field": (
        'method = "dsg"',
        'method = "dsg"\nmodel = "x"',
        "“model” is no field of a recipe; it has name, title, about, method, released",
    ),
    "an unknown unit": (
        'method = "dsg"',
        'method = "dsg"\nunit = "points"',
        "“unit” must be one of people, own",
    ),
    "no name": ('name = "mine"', "", "“name” is missing"),
    "a name with a blank": ('"mine"', '"my judge"', "“name” must be 2 to 80 of the letters"),
    "a name with a slash": ('"mine"', '"../mine"', "“name” must be 2 to 80 of the letters"),
    "an empty title": ('"Mine"', '" "', "“title” is empty"),
    "a title that is a number": ('"Mine"', "7", "“title” must be a text of at most 120"),
    "a title with a NUL": ('"Mine"', '"a\\u0000"', "“title” must be a text of at most 120"),
    "a module as method": (
        '"dsg"',
        '"jurybox_judging.methods.dsg:Dsg"',
        "“method” must be one of align-score, .* a recipe names no module",
    ),
    "a module as engine": (
        '"builtin"',
        '"os:system"',
        "“answers.engine” must be one of blip-itm, .*not 'os:system': a recipe names no module",
    ),
    "an engine that is a list": ('"builtin"', '["builtin"]', "“answers.engine” must be one of"),
    "no engine": ('answers.engine = "builtin"', "answers = {}", "“answers.engine” is missing"),
    "a part that is a text": (
        'answers.engine = "builtin"',
        'answers = "builtin"',
        "“answers” must be a table of options, not 'builtin'",
    ),
    "no part": (
        'answers.engine = "builtin"',
        "",
        "“answers.engine” is missing: the method dsg asks for answers",
    ),
    "a part of no use": (
        'answers.engine = "builtin"',
        'answers.engine = "builtin"\nobjects.engine = "builtin"',
        "“objects” is of no use: the method dsg never asks for it",
    ),
    "a date in quotation marks": (
        'method = "dsg"',
        'method = "dsg"\nreleased = "2024-04-01"',
        "“released” must be a date without quotation marks",
    ),
    "a date with a time": (
        'method = "dsg"',
        'method = "dsg"\nreleased = 2024-04-01T10:00:00',
        "“released” must be a date without quotation marks",
    ),
    "an option that nobody knows": (
        'method = "dsg"',
        'method = "dsg"\noptions.strict = true',
        "“options.strict” is no option here; there are wording, dependencies, transitive, zeroing, self_test",
    ),
    "an option that does not fit": (
        'method = "dsg"',
        'method = "dsg"\noptions.transitive = "yes"',
        "“options.transitive” must be true or false, not 'yes'",
    ),
    "a self-test that is no flag": (
        'method = "dsg"',
        'method = "dsg"\noptions.self_test = 1',
        "“options.self_test” must be true or false",
    ),
    "an engine's option that does not fit": (
        'answers.engine = "builtin"',
        'answers.engine = "builtin"\nanswers.batch = 0',
        "“answers.batch” must be a whole number from 1 to 1,024, not 0",
    ),
    "an engine that answers something else": (
        '"builtin"',
        '"depth"',
        "“answers.engine” cannot be depth: it answers depth, not answers",
    ),
    "options that do not fit together": (
        '"builtin"',
        '"image-text"\nanswers.template = "no place"',
        "“answers” cannot be used: “template” must hold {question} once",
    ),
    "a table inside an option": (
        'method = "dsg"',
        'method = "dsg"\noptions.transitive.really = true',
        "“options.transitive” must be true or false",
    ),
    "several judges": (SHORT, f"[[judge]]\n{SHORT}", "A file of your own holds one judge"),
    "too much": (SHORT, "#" * (LARGEST + 1), "My.toml has more than 100,000 characters"),
    "brackets without an end": (SHORT, "name = " + "[" * 50_000, "My.toml cannot be read as TOML"),
    "a number without an end": (SHORT, "name = " + "9" * 5_000, "My.toml cannot be read as TOML"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_a_sentence_with_file_and_field(mistake):
    old, new, words = MISTAKES[mistake]
    assert old in SHORT
    with pytest.raises(JudgeRefused, match=words) as refusal:
        check_values(read_one(SHORT.replace(old, new), "my.toml")[1], "my.toml")
    assert "y.toml" in refusal.value.message


def test_with_free_answers_tifa_asks_for_talk():
    free = SHORT.replace('"dsg"', '"tifa"\noptions.form = "free"')
    with pytest.raises(JudgeRefused, match=r"“talk.engine” is missing"):
        read_one(free)
    entry = read_one(free.replace('answers.engine = "builtin"', 'talk.engine = "server"'))[1]
    assert list(entry.parts) == ["talk"]


def test_what_stands_outside_of_a_familys_judges_is_refused():
    with pytest.raises(JudgeRefused, match="“title” stands outside of any"):
        list(read_all(f'title = "x"\n[[judge]]\n{SHORT}', "family.toml"))
