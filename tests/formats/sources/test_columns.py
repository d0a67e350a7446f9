import pytest

from jurybox_formats.sources import columns
from jurybox_formats.sources.columns import SeenColumn


def guessed(header, *rows, files=()):
    seen = {name: SeenColumn(name) for name in header.split(",")}
    for row in rows:
        for name, value in zip(seen, row.split(","), strict=True):
            seen[name].see(value, lambda text: text in files)
    return columns.guess(list(seen.values()))


@pytest.mark.parametrize("prompt", ["caption", "text", "prompt", "Prompt", "prompt_text"])
@pytest.mark.parametrize("generator", ["model", "generator", "system", "modelName", "T2I model"])
@pytest.mark.parametrize("picture", ["path", "file", "filename", "image", "Image Path", "fileName"])
def test_the_usual_names_are_known_in_several_spellings(prompt, generator, picture):
    roles = guessed(f"{picture},{prompt},{generator}", "a.png,a red cup,sdxl")
    assert roles == {picture: "picture", prompt: "prompt", generator: "generator"}


def test_a_column_whose_values_are_pictures_is_the_picture_whatever_it_is_called():
    roles = guessed("image,x", "7,a.png", "8,b.png", files={"a.png", "b.png"})
    assert roles["x"] == "picture"
    assert roles["image"] == "ignore"


@pytest.mark.parametrize(
    ("values", "role"),
    [
        ("1 0 1 1", "label:yes/no"),
        ("yes no yes yes", "label:yes/no"),
        ("1 2 5 4", "label:1-5"),
        ("0.1 0.5 1 0", "label:0-1"),
        ("12 80 55 7", "label:number"),
        ("good bad good bad", "label:choice"),
    ],
)
def test_what_a_label_contains_is_seen_from_its_values(values, role):
    rows = [f"a.png,ann,{value}" for value in values.split()]
    assert guessed("file,rater,rating", *rows)["rating"] == role


def test_values_tell_what_no_name_tells():
    rows = [
        f"p{n}.png,a cup on a red table,{['sdxl', 'flux'][n % 2]},{n % 2},{n}.5" for n in range(8)
    ]
    roles = guessed("a,b,c,d,e", *rows, files={f"p{n}.png" for n in range(8)})
    assert roles == {
        "a": "picture",
        "b": "prompt",
        "c": "generator",
        "d": "label:yes/no",
        "e": "ignore",
    }


def test_a_score_belongs_to_a_judge_and_dates_to_a_release():
    roles = guessed("file,prompt,model,released,clip_score", "a.png,a cup,sdxl,2023-07-26,0.31")
    assert (roles["released"], roles["clip_score"]) == ("release_date", "score")
    roles = guessed("image_id,judge,score", "i1,clip,0.31")
    assert roles == {"image_id": "image_id", "judge": "judge", "score": "score"}


def test_a_question_without_a_value_is_no_question():
    assert guessed("file,question", "a.png,is there a cup")["question"] != "question"
    roles = guessed("image_id,rater,question,value", "i1,ann,mood,4")
    assert list(roles.values()) == ["image_id", "rater", "question", "value"]


@pytest.mark.parametrize(
    ("text", "day"),
    [("2024-01-31", True), ("2024-02-30", False), ("SDXL", False), ("2024", False), ("", False)],
)
def test_a_day_is_one_of_the_calendar(text, day):
    assert columns.is_day(text) is day


def test_a_table_that_names_images_and_has_numbers_besides_holds_scores():
    roles = guessed("file,colour share,note", "a/1.png,0.25,x", "a/2.png,0.5,y")
    assert roles == {"file": "picture", "colour share": "score", "note": "ignore"}


def test_numbers_beside_labels_are_still_nobodys_scores():
    roles = guessed("file,aligned,width", "a/1.png,yes,512", "a/2.png,no,640")
    assert roles["width"] == "ignore"
