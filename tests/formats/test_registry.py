import json
from collections import Counter

import pytest

from jurybox_formats.registry import MAKERS
from jurybox_formats.sets import geneval2_prompts, geneval_prompts, m3t2ibench, m3t2ibench_prompts
from tests import needs


@pytest.mark.parametrize("name", MAKERS)
def test_the_same_seed_makes_the_same_prompts_and_another_one_others(name):
    make = MAKERS[name].make
    assert list(make(7, 60)) == list(make(7, 60))
    assert list(make(7, 60)) != list(make(8, 60))


@pytest.mark.parametrize("name", MAKERS)
def test_every_prompt_parses_back_into_what_it_was_made_of(name):
    maker = MAKERS[name]
    made = list(maker.make(1, min(maker.count, 1500)))
    assert len({item["prompt"] for item in made}) == len(made) == min(maker.count, 1500)
    assert [item for item in made if maker.parse(item["prompt"]) != item] == []


def test_by_default_there_are_553_prompts_over_six_tasks_as_published():
    tasks = Counter(item["tag"] for item in geneval_prompts.make(0))
    assert tasks == geneval_prompts.SIZES


def test_a_smaller_set_keeps_the_proportions():
    # 100 of 553: 80 -> 14.5, 99 -> 17.9, 80 -> 14.5, 94 -> 17.0, 100 -> 18.1 twice
    assert sorted(geneval_prompts.shares(100).values()) == [14, 15, 17, 18, 18, 18]


def test_colours_are_never_asked_of_people():
    for item in geneval_prompts.make(3):
        assert not any(c["class"] == "person" and "color" in c for c in item["include"])


def test_counting_excludes_one_more():
    for item in geneval_prompts.make(3):
        if item["tag"] == "counting":
            count = item["include"][0]["count"]
            assert item["exclude"] == [{**item["include"][0], "count": count + 1}]


def test_atomicities_from_three_to_ten_are_made_alike():
    counts = Counter(item["atom_count"] for item in MAKERS["geneval2"].make(0, None))
    assert counts == dict.fromkeys(range(3, 11), 100)


def test_more_prompts_than_there_are_different_ones_are_refused(monkeypatch):
    few = {"OBJECTS": ("cat", "dog", "cow"), "COUNTS": (2,), "ATTRIBUTES": ("red",)}
    for name, words in few.items():
        monkeypatch.setattr(geneval2_prompts, name, words)
    with pytest.raises(ValueError, match="fewer than 100 different prompts of 3 atoms"):
        list(geneval2_prompts.make(0, 800))


def test_only_animate_things_chase_one_another():
    for item in MAKERS["geneval2"].make(5, 800):
        for question, _ in item["vqa_list"]:
            if " chasing " in question:
                assert not any(thing in question for thing in ("backpack", "guitar", "truck"))


def test_no_relations_run_in_a_circle():
    records = list(m3t2ibench_prompts.make(2, 300))
    assert any(len(record["relations"]) > 2 for record in records)
    for record in records:
        m3t2ibench.prompt("key", record)


def test_there_are_66_categories_with_one_to_seven_colours():
    assert len(m3t2ibench_prompts.CATEGORIES) == 66
    for colours in m3t2ibench_prompts.CATEGORIES.values():
        assert 1 <= len(set(colours)) == len(colours) <= 7
        assert set(colours) <= set(m3t2ibench.COLOURS)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("geneval", "geneval/evaluation_metadata.jsonl"),
        ("geneval2", "geneval2/geneval2_data.jsonl"),
    ],
)
def test_every_official_prompt_is_of_the_grammar(name, file):
    items = [json.loads(line) for line in needs.shared(file).read_text().splitlines()]
    assert [item for item in items if MAKERS[name].parse(item["prompt"]) != item] == []


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(
    "prompt", ["", "hello", "a photo of", "a photo of a unicorn", "two two two"]
)
def test_what_is_not_of_the_grammar_is_nothing(name, prompt):
    assert MAKERS[name].parse(prompt) is None
