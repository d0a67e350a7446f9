import pytest

from jurybox_formats.sources import picture_names
from jurybox_formats.sources.picture_names import Levels, NamedPicture


def all_read(*paths, levels=None):
    levels = levels or picture_names.guess(paths)
    strip = picture_names.common_folders(paths)
    return levels, [picture_names.read(path, levels, strip=strip) for path in paths]


@pytest.mark.parametrize(
    ("paths", "levels", "first"),
    [
        (
            ["sdxl/a red cup.png", "sdxl/two dogs.png", "flux/a red cup.png", "flux/two dogs.png"],
            Levels("generator", "prompt"),
            NamedPicture("a red cup", "sdxl", 0),
        ),
        (
            ["a red cup/sdxl.png", "a red cup/flux.png", "two dogs/sdxl.png", "two dogs/flux.png"],
            Levels("prompt", "generator"),
            NamedPicture("a red cup", "sdxl", 0),
        ),
        (
            [f"{p}_{g}_{n:02}.png" for p in ("a red cup", "two dogs") for g in ("sdxl", "flux")
             for n in (0, 3)],
            Levels("nothing", "prompt+generator"),
            NamedPicture("a red cup", "sdxl", 0),
        ),
        (
            [f"{g}_{p}.png" for p in ("a_red_cup", "two_dogs", "a_cat") for g in ("sdxl", "flux1")],
            Levels("nothing", "generator+prompt"),
            NamedPicture("a red cup", "sdxl", 0),
        ),
        (["a red cup.png", "two dogs.png"], Levels("nothing", "prompt"), NamedPicture("a red cup", "", 0)),
        (
            ["a red cup_1.png", "a red cup_2.png", "two dogs_1.png"],
            Levels("nothing", "prompt+sample"),
            NamedPicture("a red cup", "", 1),
        ),
        (
            ["sdxl/a_cup_0.png", "sdxl/a_cup_1.png", "flux/a_cup_0.png", "flux/a_cup_1.png",
             "sdxl/a_dog_0.png", "flux/a_dog_0.png"],
            Levels("generator", "prompt+sample"),
            NamedPicture("a cup", "sdxl", 0),
        ),
        (
            ["a red cup on a table/0.png", "a red cup on a table/1.png", "two old dogs/0.png"],
            Levels("prompt", "sample"),
            NamedPicture("a red cup on a table", "", 0),
        ),
        (
            ["sdxl/a red cup/0.png", "sdxl/two old dogs/0.png", "flux/a red cup/0.png",
             "flux/two old dogs/1.png"],
            Levels("generator/prompt", "sample"),
            NamedPicture("a red cup", "sdxl", 0),
        ),
        (
            ["set/images/sdxl/0001.png", "set/images/sdxl/0002.png", "set/images/flux/0001.png"],
            Levels("generator", "prompt"),
            NamedPicture("0001", "sdxl", 0),
        ),
    ],
)  # fmt: skip
def test_what_folders_and_names_are_is_seen_from_all_of_them(paths, levels, first):
    guessed, read = all_read(*paths)
    assert guessed == levels
    assert read[0] == first


def test_words_that_come_again_are_no_generators():
    paths = ["a_red_cup.png", "a_red_dog.png", "a_blue_cup.png", "a_blue_dog.png"]
    assert picture_names.guess(paths) == Levels("nothing", "prompt")


def test_what_a_person_says_counts_and_not_the_guess():
    paths = ["red/cup.png", "red/dog.png", "blue/cup.png"]
    _, read = all_read(*paths, levels=Levels("nothing", "prompt"))
    assert read[0] == NamedPicture("cup", "", 0)


def test_a_key_is_the_same_for_the_same_words_and_another_for_others():
    key = picture_names.prompt_key
    assert key("a red cup") == "a-red-cup"
    assert key("A red cup!") == key("A red cup!") != key("a red cup")
    assert key("杯子").startswith("prompt-")
    assert len(key("word " * 300)) < 80
    assert len(picture_names.image_key("x" * 250 + ".png")) <= 200
