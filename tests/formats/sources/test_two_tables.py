"""Whatever its columns are called, a table becomes the tidy one, and says how it was read."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from jurybox_formats.sources.picture_names import prompt_key
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.two_tables import _image, as_tidy


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.fixture
def read(tmp_path):
    """The tidy tables that come of these, as lists of rows, and what was told."""

    def read(columns=None, **tables):
        out = tmp_path / "tidy"
        out.mkdir(exist_ok=True)
        files = {part: written(tmp_path, f"{part}.csv", text) for part, text in tables.items()}
        told = as_tidy(files, out, given=columns)
        made = {
            path.stem: list(csv.DictReader(path.read_text().splitlines()))
            for path in out.glob("*.csv")
        }
        return made, told

    return read


TIDY_LABELS = "image_id,rater,question,value\na,ann,aligned,1\nb,ann,aligned,0\n"
TIDY_SCORES = "image_id,judge,score\na,clip,0.3\nb,clip,0.1\n"


def rows(table, *names):
    return [tuple(row[name] for name in names) for row in table]


def test_tidy_tables_go_through_as_they_are(read):
    made, told = read(labels=TIDY_LABELS, scores=TIDY_SCORES)
    assert rows(made["labels"], "image_id", "rater", "question", "value") == [
        ("a", "ann", "aligned", "1"),
        ("b", "ann", "aligned", "0"),
    ]
    assert rows(made["scores"], "image_id", "judge", "score") == [
        ("a", "clip", "0.3"),
        ("b", "clip", "0.1"),
    ]
    assert "labels.csv: labels, 2 rows, columns as they should be." in told.words


def test_without_images_each_is_its_own_prompt_and_that_is_said(read):
    made, told = read(labels=TIDY_LABELS, scores=TIDY_SCORES)
    assert rows(made["images"], "image_id", "prompt_id", "generator") == [
        ("a", "a", "unknown"),
        ("b", "b", "unknown"),
    ]
    assert any("each image counts as a prompt of its own" in words for words in told.words)
    assert any("nothing can be said about drift" in words for words in told.words)


def test_columns_under_other_names_are_guessed_and_told(read):
    made, told = read(
        labels="img,worker,correct?\na.png,ann,yes\na.png,bea,no\nb.png,ann,yes\n",
        scores="filename,VQAScore,clip_score,prompt\na.png,0.9,0.31,a cat\nb.png,0.2,0.28,a dog\n",
    )
    assert rows(made["labels"], "image_id", "rater", "question", "value") == [
        ("a.png", "ann", "correct?", "1"),
        ("a.png", "bea", "correct?", "0"),
        ("b.png", "ann", "correct?", "1"),
    ]
    assert rows(made["scores"], "image_id", "judge", "score") == [
        ("a.png", "VQAScore", "0.9"),
        ("a.png", "clip_score", "0.31"),
        ("b.png", "VQAScore", "0.2"),
        ("b.png", "clip_score", "0.28"),
    ]
    assert rows(made["images"], "prompt_id", "prompt") == [("a-cat", "a cat"), ("a-dog", "a dog")]
    assert (
        "labels.csv: labels, 3 rows; guessed: img = image_id, worker = rater, correct? = label:yes/no."
        in told.words
    )


def test_without_names_of_people_a_second_row_is_a_second_persons(read):
    made, _ = read(labels="image_id,rating\na,4\na,2\nb,5\n", scores=TIDY_SCORES)
    assert rows(made["labels"], "image_id", "rater", "question", "value") == [
        ("a", "rater 1", "rating", "4"),
        ("a", "rater 2", "rating", "2"),
        ("b", "rater 1", "rating", "5"),
    ]


@pytest.mark.parametrize(
    ("scores", "judges", "generators"),
    [
        # Each image once: "model" drew it. Then a, from two models, cannot have been drawn by both.
        ("image,model,score\na,sdxl,0.3\nb,flux,0.1\n", ["score", "score"], {"sdxl", "flux"}),
        ("image,model,clip\na,sdxl,0.3\na,flux,0.1\n", ["clip", "clip"], {"sdxl", "unknown"}),
        (
            "image,model,score\na,clip,0.3\na,vqa,0.9\nb,clip,0.1\n",
            ["clip", "vqa", "clip"],
            {"unknown"},
        ),
    ],
)
def test_a_model_is_a_judge_where_one_image_has_several(read, scores, judges, generators):
    made, _ = read(labels=TIDY_LABELS, scores=scores)
    assert [row["judge"] for row in made["scores"]] == judges
    assert {row["generator"] for row in made["images"]} == generators


def test_release_dates_in_a_table_become_those_of_the_generators(read):
    made, _ = read(
        labels=TIDY_LABELS,
        scores=TIDY_SCORES,
        images="id,caption,model,released\na,a cat,sdxl,2023-07-01\nb,a cat,flux,2024-08-01\n",
    )
    assert rows(made["images"], "image_id", "prompt_id", "generator") == [
        ("a", "a-cat", "sdxl"),
        ("b", "a-cat", "flux"),
    ]
    assert rows(made["generators"], "generator", "release_date") == [
        ("sdxl", "2023-07-01"),
        ("flux", "2024-08-01"),
    ]


def test_what_a_person_says_of_a_column_counts(read):
    made, _ = read(
        columns={"labels.csv:key": "image_id", "zahl": "label:number"},
        labels="key,zahl,id\na,7,1\nb,9,2\n",
        scores=TIDY_SCORES,
    )
    assert rows(made["labels"], "image_id", "question", "value") == [
        ("a", "zahl", "7"),
        ("b", "zahl", "9"),
    ]


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"labels": "x,y\n1,2\n"}, "None of the columns of labels.csv names the images"),
        ({"labels": "image_id,note\na,lovely colours here\n"}, "is an answer. There are: image_id"),
        ({"scores": "image_id,note\na,fine\n"}, "None of the columns of scores.csv is a score"),
        (
            {"scores": "image_id,judge,first,second\na,clip,0.3,0.4\n"},
            "“first” and “second” could each be the score",
        ),
        (
            {"scores": "image_id,judge,score\na.png,clip,0.3\n"},
            "No image has both a label and a score: labels.csv names images like “a”, scores.csv like “a.png”",
        ),
        ({"labels": "image_id,rating\n"}, "labels.csv has a header and no rows"),
    ],
)
def test_what_cannot_be_guessed_is_asked_for(read, tables, words):
    with pytest.raises(Unreadable) as refused:
        read(**{"labels": TIDY_LABELS, "scores": TIDY_SCORES, **tables})
    assert words in refused.value.message


@pytest.mark.parametrize(
    ("columns", "words"),
    [({"colour": "score"}, "no column “colour”"), ({"judge": "juror"}, "nothing that a column")],
)
def test_a_column_or_role_that_is_not_there_is_refused(read, columns, words):
    with pytest.raises(Unreadable) as refused:
        read(columns=columns, labels=TIDY_LABELS, scores=TIDY_SCORES)
    assert words in refused.value.message


def test_answers_that_do_not_fit_are_left_out_with_their_line(read):
    made, told = read(labels="image_id,aligned?\na,yes\nb,no\nc,1,2\n", scores=TIDY_SCORES)
    assert len(made["labels"]) == 2
    assert [words.partition(":")[0] for words in told.refused] == ["labels.csv line 4"]


@pytest.mark.parametrize(
    ("known", "prompt_id", "prompt"),
    [
        ({"prompt": "a cat", "prompt_id": "p1"}, "p1", "a cat"),
        ({"prompt_id": "p1"}, "p1", "p1"),
        ({"prompt": "a cat"}, prompt_key("a cat"), "a cat"),
        ({}, prompt_key("i1"), "i1"),
    ],
)
def test_an_image_has_the_prompt_that_is_known_of_it(known, prompt_id, prompt):
    row = _image("i1", known)
    assert (row["prompt_id"], row["prompt"]) == (prompt_id, prompt)


def test_a_family_that_a_table_names_is_that_of_the_prompt(read):
    labels = (
        "image_id,prompt,prompt_template,rater,question,value\na,two dogs,counting,ann,aligned,1\n"
    )
    made, _ = read(labels=labels, scores="image_id,judge,score\na,clip,0.3\n")
    assert rows(made["images"], "prompt", "prompt_family") == [("two dogs", "counting")]
    tidy = "image_id,prompt_id,prompt,generator,prompt_family\na,p,two dogs,sdxl,counting\n"
    made, _ = read(labels=TIDY_LABELS, scores=TIDY_SCORES, images=tidy)
    assert rows(made["images"], "prompt_family") == [("counting",)]


def test_folders_of_the_paths_are_generators_where_no_column_names_them(read):
    labels = "image,aligned\nout/sdxl/a red cup.png,1\nout/flux/a red cup.png,0\n"
    scores = "image,clip,our_vlm\nout/sdxl/a red cup.png,.3,.9\nout/flux/a red cup.png,.2,.4\n"
    made, told = read(labels=labels, scores=scores)
    assert rows(made["images"], "image_id", "prompt", "generator") == [
        ("out/sdxl/a red cup.png", "a red cup", "sdxl"),
        ("out/flux/a red cup.png", "a red cup", "flux"),
    ]
    assert "Of the paths of the images: Folder is: generator. Name is: prompt." in told.words
    assert not any("nothing can be said about drift" in words for words in told.words)
    # A table of images that has no column of them, too; its prompts are its own.
    images = "image,prompt\nout/sdxl/a red cup.png,one cup\nout/flux/a red cup.png,two cups\n"
    made, _ = read(labels=labels, scores=scores, images=images)
    assert rows(made["images"], "prompt", "generator") == [
        ("one cup", "sdxl"),
        ("two cups", "flux"),
    ]


def test_what_is_not_used_is_counted(read):
    _, told = read(labels=TIDY_LABELS, scores="image,clip,note,empty\na,.3,dark,\nb,.2,,\n")
    words = "image = image_id, clip = score; 1 of 4 columns not used: note."
    assert any(said.endswith(words) for said in told.words)
