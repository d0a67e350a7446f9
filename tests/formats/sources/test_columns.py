import pytest

from jurybox_formats.sources import columns
from jurybox_formats.sources.columns import SeenColumn


def guessed(header, *rows, files=(), holds=""):
    seen = {name: SeenColumn(name) for name in header.split(",")}
    for row in rows:
        for name, value in zip(seen, row.split(","), strict=True):
            seen[name].see(value, lambda text: text in files)
    return columns.guess(list(seen.values()), holds)


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
        "d": "score",
        "e": "score",
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


@pytest.mark.parametrize(
    ("header", "rows", "roles"),
    [
        ("image,clip,our_vlm", ["a,.2,.7", "b,.3,.1"], "picture score score"),
        # Beside the answers of people, too.
        ("image,aligned,our_vlm", ["a,yes,.7", "b,no,.1"], "picture label:yes/no score"),
        # Small whole numbers beside a rater are this rater's; a share is nobody's answer.
        ("image,rater,mood,our_vlm", ["a,ann,4,.7", "b,ann,1,.2"], "picture rater label:1-5 score"),
        ("image,score", ["a,.7", "b,.1"], "picture score"),
        ("image,rater,score", ["a,ann,7", "b,ann,1"], "picture rater label:number"),
        ("image,judge", ["a,.7", "b,.1"], "picture score"),
        ("image,judge,score,width_x", ["a,clip,.7,9", "b,vqa,.1,8"], "picture judge score ignore"),
        # Names that are known say something else.
        ("image,width,seed,id", ["a,512,4,1", "b,640,5,2"], "picture ignore sample image_id"),
        ("image,steps,correct", ["a,50,1", "b,28,0"], "picture ignore label:yes/no"),
        # A list of prompts has no image that a score could be of.
        ("prompt,difficulty", ["a red cup,.7", "two dogs,.1"], "prompt ignore"),
    ],
)
def test_every_numeric_column_of_an_unknown_name_is_a_judge(header, rows, roles):
    assert list(guessed(header, *rows).values()) == roles.split()


@pytest.mark.parametrize(
    ("holds", "roles"),
    [
        ("", "image_id label:1-5 score score"),
        ("scores", "image_id score score score"),
        ("labels", "image_id label:1-5 ignore label:1-5"),
        ("images", "image_id ignore ignore ignore"),
    ],
)
def test_what_a_table_is_of_settles_whose_its_numbers_are(holds, roles):
    rows = ["i1,4,.7,2", "i2,1,.2,5"]
    assert list(guessed("image_id,rating,clip,x", *rows, holds=holds).values()) == roles.split()
