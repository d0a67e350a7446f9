"""Every atom is found in the words of its prompt."""

import json

import pytest

from jurybox_formats.forms.atoms_in_prompt import pieces
from jurybox_formats.sets.builtin.grammar import make_prompts
from jurybox_formats.sources.records import AtomRecord
from tests import needs

OFFICIAL = needs.SHARED / "data/geneval2/geneval2_data.jsonl"


def test_the_example_of_the_paper_is_cut_as_it_is_printed():
    # Three green candles, and six red kangaroos to the right of a green koala
    asked = [
        ("count", "How many candles are in the image?", "three"),
        ("attribute", "Are the candles green?", "Yes"),
        ("object", "Are there any candles in the image?", "Yes"),
        ("count", "How many kangaroos are in the image?", "six"),
        ("attribute", "Are the kangaroos red?", "Yes"),
        ("object", "Are there any kangaroos in the image?", "Yes"),
        ("position", "Are the kangaroos to the right of the koala?", "Yes"),
        ("count", "How many koalas are in the image?", "one"),
        ("attribute", "Is the koala green?", "Yes"),
        ("object", "Are there any koalas in the image?", "Yes"),
    ]
    atoms = tuple(AtomRecord(i, kind, "", *rest) for i, (kind, *rest) in enumerate(asked))
    prompt = "Three green candles, and six red kangaroos to the right of a green koala"
    found, elsewhere = pieces(prompt, atoms)
    assert elsewhere == []
    assert [(piece.text, piece.atom and piece.atom.index) for piece in found] == [
        ("Three", 0),
        ("green", 1),
        ("candles", 2),
        (", and", None),
        ("six", 3),
        ("red", 4),
        ("kangaroos", 5),
        ("to the right of", 6),
        ("a", 7),
        ("green", 8),
        ("koala", 9),
    ]


def test_an_atom_that_stands_nowhere_is_asked_behind_the_prompt():
    mood = AtomRecord(0, "global", "", "Is the scene calm?", "Yes")
    assert pieces("a lake", (mood,)) == ([pieces("a lake", ())[0][0]], [mood])


def test_atoms_of_the_built_in_bench_all_have_their_place():
    for prompt in make_prompts(120):
        found, elsewhere = pieces(prompt.text, prompt.atoms)
        assert elsewhere == [], prompt.text
        between = {piece.text for piece in found if piece.atom is None}
        assert between <= {"and", ",", ", and"}


def test_atoms_of_all_official_prompts_stand_in_their_order():
    if not OFFICIAL.exists():
        pytest.skip("The official GenEval 2 file is not beside the checkout.")
    lines = [json.loads(line) for line in OFFICIAL.read_text().splitlines()]
    assert len(lines) == 800
    for line in lines:
        atoms = tuple(
            AtomRecord(i, kind, "", *pair)
            for i, (kind, pair) in enumerate(zip(line["skills"], line["vqa_list"], strict=True))
        )
        found, elsewhere = pieces(line["prompt"], atoms)
        assert elsewhere == [], line["prompt"]
        order = [piece.atom.index for piece in found if piece.atom]
        assert order == list(range(len(atoms))), line["prompt"]
        assert {piece.text for piece in found if not piece.atom} <= {"and", ", and"}
