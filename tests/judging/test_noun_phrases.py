import importlib.util
import sys
from types import SimpleNamespace

import pytest

from jurybox_judging.methods.clip_score import ClipScore
from jurybox_judging.noun_phrases import Phrase, _spacy, check_reader, reader
from tests import needs


def test_phrases_keep_their_words_and_know_which_are_nouns():
    assert reader()("A photo of a red fire hydrant and two small dogs.") == (
        Phrase("a red fire hydrant", ("fire", "hydrant"), ("red",)),
        Phrase("two small dogs", ("dogs",), ("small",)),
    )


def test_a_prompt_without_a_thing_has_no_phrases():
    assert reader()("!!!") == ()


@pytest.mark.parametrize("name", ["stanza", "", "spacys", "spacy:this", "spacy:/tmp/model"])
def test_a_parser_that_does_not_exist_is_refused(name):
    """spaCy would import any installed package, and run the code beside a folder's configuration."""
    with pytest.raises(ValueError, match="“parser” must be one of grammar, spacy, spacy:en_core"):
        ClipScore(parser=name)
    with pytest.raises(ValueError, match="no plug-in"):
        reader(name)


def one_thing(prompt):
    return (Phrase(prompt, (prompt,)),)


def test_a_plug_in_of_the_settings_is_chosen_by_its_name(settings):
    settings.JUDGE_PLUGINS = {"whole": f"{__name__}:one_thing"}
    assert reader(ClipScore(parser="whole").parser)("a cat") == (Phrase("a cat", ("a cat",)),)


def test_a_model_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="spaCy's model “en_core_web_lg” is not installed"):
        check_reader("spacy:en_core_web_lg")
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(ValueError, match="spaCy's model “en_core_web_lg” is not installed"):
        reader("spacy:en_core_web_lg")


def test_spacy_is_loaded_once_and_gives_its_own_chunks(monkeypatch):
    loads = []

    class Chunk(list):
        text = "a red car"

    def load(model):
        loads.append(model)
        words = (("a", "DET"), ("red", "ADJ"), ("car", "NOUN"))
        chunk = Chunk(SimpleNamespace(text=text, pos_=pos) for text, pos in words)
        return lambda prompt: SimpleNamespace(noun_chunks=[chunk])

    monkeypatch.setitem(sys.modules, "spacy", SimpleNamespace(load=load))
    try:
        for _ in range(3):
            read = reader("spacy:en_core_web_md")
            assert read("a red car") == (Phrase("a red car", ("car",), ("red",)),)
    finally:
        _spacy.cache_clear()
    assert loads == ["en_core_web_md"]


@pytest.mark.parametrize(
    ("file", "share"),
    [("spatial_val", 1.0), ("3d_spatial_val", 1.0), ("spatial", 1.0)],
)
def test_first_and_last_noun_of_the_official_spatial_prompts(file, share):
    prompts = lines(f"t2i_compbench/dataset/{file}.txt")
    right = 0
    for prompt in prompts:
        words = prompt.split()
        # Every one of them is "a THING relation a THING".
        nouns = [noun for phrase in reader()(prompt) for noun in phrase.nouns]
        right += [nouns[0], nouns[-1]] == [words[1], words[-1]]
    assert right / len(prompts) == share


@pytest.mark.parametrize(
    ("file", "least"), [("color_val", 1.0), ("texture_val", 0.95), ("shape_val", 0.95)]
)
def test_phrases_of_the_official_pairs_of_things(file, least):
    """Of the prompts "a … and a …": both halves are found as they stand."""
    pairs = [
        prompt
        for prompt in lines(f"t2i_compbench/dataset/{file}.txt")
        if prompt.startswith(("a ", "an "))
        and prompt.count(" and a") == 1
        and not {"of", "with", "on", "in", "sitting"} & set(prompt.split())
        and "," not in prompt
    ]
    assert len(pairs) > 100
    right = sum(" and ".join(p.text for p in reader()(prompt)) == prompt for prompt in pairs)
    assert right / len(pairs) >= least


def lines(path):
    return [line.strip().rstrip(".") for line in needs.shared(path).read_text("utf8").splitlines()]
