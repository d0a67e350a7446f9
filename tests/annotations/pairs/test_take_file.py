"""Small files made by hand in the columns of published sets."""

import csv
import json
from collections import Counter

import pyarrow
import pytest
from django.core.management import CommandError, call_command
from pyarrow import parquet

from annotations.models import Image, Membership, Pair, PairVote, Prompt, Study
from tests import making
from tests.annotations.pairs.votes import votes_of

pytestmark = pytest.mark.django_db


def said_in(slug):
    """Who beat whom, as often."""
    return Counter(
        {
            "first": f"{vote.first} > {vote.second}",
            "second": f"{vote.second} > {vote.first}",
        }.get(vote.value, vote.value)
        for vote in votes_of(Study.objects.get(slug=slug))
    )


def counts(slug):
    rows = (Prompt, Image, Pair, PairVote, Membership)
    return tuple(kind.objects.filter(study__slug=slug).count() for kind in rows)


def bring(slug, file, *more):
    call_command("import_pairs", slug, str(file), *more)


def picked(number, first, second, label, user=7, models=("sdxl", "dreamlike"), **more):
    """A row of Pick-a-Pic v2; images are named by a letter."""
    best = {1.0: first, 0.0: second, 0.5: "tie"}[label]
    return {
        "are_different": first != second,
        "best_image_uid": best,
        "caption": f"a cup, number {number}",
        "created_at": "2023-06-01 10:00:00",
        "has_label": True,
        "image_0_uid": f"{first}{number}",
        "image_0_url": "https://example.org/0.png",
        "image_1_uid": f"{second}{number}",
        "image_1_url": "https://example.org/1.png",
        "jpg_0": making.png((number, ord(first), 0)),
        "jpg_1": making.png((number, ord(second), 0)),
        "label_0": label,
        "label_1": 1 - label,
        "model_0": models[0],
        "model_1": models[1],
        "ranking_id": number,
        "user_id": user,
        "num_example_per_prompt": 1,
    } | {"best_image_uid": best if best == "tie" else f"{best}{number}", **more}


def as_parquet(path, rows):
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def test_pick_a_pic_brings_prompts_pictures_and_votes(tmp_path):
    rows = [
        picked(1, "a", "b", 1.0),
        picked(1, "a", "b", 0.0, user=8),
        picked(2, "a", "b", 0.5),
        picked(2, "a", "c", 0.0, models=("sdxl", "sdxl")),
        picked(3, "a", "b", 1.0, has_label=False),
        picked(3, "a", "a", 0.5),
    ]
    bring("picks", as_parquet(tmp_path / "part-0.parquet", rows))
    # Rows 5 and 6 say nothing; row 4 shows two images by one generator.
    assert counts("picks") == (2, 5, 3, 4, 2)
    assert said_in("picks") == {
        "sdxl > dreamlike": 1,
        "dreamlike > sdxl": 1,
        "both": 1,
        "sdxl > sdxl": 1,
    }
    assert not Image.objects.filter(study__slug="picks", file="").exists()
    names = Image.objects.filter(
        study__slug="picks", generator__name="sdxl", prompt__text__endswith="2"
    )
    assert sorted(names.values_list("key", "sample")) == [("a2", 0), ("c2", 1)]
    names = Membership.objects.filter(study__slug="picks").values_list("name", flat=True)
    assert set(names) == {"user 7", "user 8"}


def test_the_same_file_again_changes_nothing_and_a_further_part_adds_its_rows(tmp_path, capsys):
    first = as_parquet(tmp_path / "0.parquet", [picked(1, "a", "b", 1.0)])
    bring("picks", first)
    bring("picks", first)
    assert "0 votes and 0 new pairs taken, 1 votes were there" in capsys.readouterr().out
    assert counts("picks") == (1, 2, 1, 1, 1)
    bring(
        "picks",
        as_parquet(
            tmp_path / "1.parquet", [picked(1, "b", "c", 1.0, user=9, models=("dreamlike", "sdxl"))]
        ),
    )
    assert counts("picks") == (1, 3, 2, 2, 2)


def test_a_folder_of_parquet_parts_is_one_set(tmp_path):
    (tmp_path / "data").mkdir()
    for number in (1, 2):
        as_parquet(tmp_path / "data" / f"{number}.parquet", [picked(number, "a", "b", 1.0)])
    bring("picks", tmp_path)
    assert counts("picks") == (2, 4, 2, 2, 1)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"label_1": 1.0}, "line 2: label_0 = “1.0”: The labels must be 1 and 0"),
        ({"best_image_uid": "b2"}, "line 2: best_image_uid = “b2”: The best image is not the one"),
        ({"caption": " "}, "line 2: caption = “ ”: “caption” is empty"),
        ({"jpg_1": b"no picture"}, "line 2: file = “b2”"),
        ({"image_1_uid": "b1"}, "line 2: image = “b1”: An earlier row has it with another prompt"),
    ],
)
def test_a_row_that_does_not_fit_is_named_and_nothing_is_written(tmp_path, wrong, why, media):
    rows = [picked(1, "a", "b", 1.0), picked(2, "a", "b", 1.0, **wrong)]
    file = as_parquet(tmp_path / "0.parquet", rows)
    with pytest.raises(CommandError, match="Nothing was imported") as refusal:
        bring("picks", file)
    assert why in str(refusal.value)
    assert not Study.objects.exists()
    assert not [path for path in media.rglob("*") if path.is_file()]


def test_with_skip_the_rows_that_fit_are_taken_and_the_others_named(tmp_path, capsys):
    rows = [picked(1, "a", "b", 1.0), picked(1, "a", "b", 0.0), picked(2, "a", "b", 0.5)]
    bring("picks", as_parquet(tmp_path / "0.parquet", rows), "--skip")
    assert counts("picks") == (2, 4, 2, 2, 1)
    assert "line 2: vote = “second”: “user 7” said something else" in capsys.readouterr().out


def battles(*votes):
    return [
        {"prompt": f"a tree {prompt}", "left_model": one, "right_model": two, "vote_type": said}
        for prompt, one, two, said in votes
    ]


def test_genai_arena_keeps_sides_ties_and_both_bad(tmp_path, capsys):
    rows = battles(
        (1, "Kandinsky", "PixArt", "leftvote"),
        (1, "PixArt", "Kandinsky", "leftvote"),
        (2, "Kandinsky", "PixArt", "tievote"),
        (3, "SDXL", "PixArt", "bothbad_vote"),
    )
    file = tmp_path / "votes.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    bring("arena", file)
    assert counts("arena") == (3, 6, 3, 4, 2)
    assert said_in("arena") == {
        "Kandinsky > PixArt": 1,
        "PixArt > Kandinsky": 1,
        "both": 1,
        "neither": 1,
    }
    stood_left = Counter(
        {"first": vote.first, "second": vote.second}[vote.left]
        for vote in votes_of(Study.objects.get(slug="arena"))
    )
    assert stood_left == {"Kandinsky": 2, "PixArt": 1, "SDXL": 1}
    assert "4 votes do not say who voted" in capsys.readouterr().out


def test_pictures_come_by_a_path_inside_the_folder(tmp_path):
    for name in ("left", "right"):
        (tmp_path / f"{name}.png").write_bytes(making.png((len(name), 0, 0)))
    (row,) = battles((1, "A", "B", "rightvote"))
    row |= {"left_image": "left.png", "right_image": "right.png"}
    file = tmp_path / "votes.csv"
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(row))
        writer.writeheader()
        writer.writerow(row)
    bring("arena", file)
    assert Image.objects.exclude(file="").count() == 2
    file.write_text(file.read_text().replace("right.png", "../right.png"))
    with pytest.raises(CommandError, match="line 2: right_image = .* leads out of the folder"):
        bring("arena-two", file)


def ranked(number, *raters, models=None):
    names = "wxyz"[: len(raters[0])]
    row = {
        "prompt": f"a bird {number}",
        "image_path": [f"{name}{number}.jpg" for name in names],
        "rank": [1] * len(names),
        "raw_annotations": [
            {"rank": list(ranks), "user_hash": f"{number}-{who}"}
            for who, ranks in enumerate(raters)
        ],
    }
    return row | ({"models": models} if models else {})


def test_a_ranking_is_every_two_of_its_images_and_equal_ranks_are_a_tie(tmp_path):
    file = tmp_path / "test.json"
    rows = [
        ranked(1, (1, 2, 3, 4), (2, 1, 3, 3), models=["W", "X", "Y", "Z"]),
        ranked(2, (1, 2), models=["W", "X"]),
    ]
    file.write_text(json.dumps(rows))
    bring("birds", file)
    # Two rankings of four are 2 * 6 votes on 6 pairs, a ranking of two is one more.
    assert counts("birds") == (2, 6, 7, 13, 3)
    assert said_in("birds") == {
        "W > X": 2,
        "X > W": 1,
        "W > Y": 2,
        "W > Z": 2,
        "X > Y": 2,
        "X > Z": 2,
        "Y > Z": 1,
        "both": 1,
    }


def test_the_average_of_rankings_is_no_persons_vote(tmp_path):
    file = tmp_path / "test.json"
    file.write_text(json.dumps([{"prompt": "a", "image_path": ["1.jpg", "2.jpg"], "rank": [1, 2]}]))
    with pytest.raises(CommandError, match="line 1: rank = .*average of people's rankings"):
        bring("birds", file)


def test_the_choice_of_hpdv2s_training_set_is_one_vote_and_a_best_of_four_three_in_one_cluster(
    tmp_path,
):
    file = tmp_path / "train.json"
    rows = [
        {
            "prompt": "a bird",
            "file_path": ["1.jpg", "2.jpg"],
            "human_preference": [0, 1],
            "user_hash": "abc",
        },
        {
            "prompt": "a fish",
            "file_path": ["3.jpg", "4.jpg", "5.jpg", "6.jpg"],
            "human_preference": [0, 1, 0, 0],
            "user_hash": "abc",
        },
    ]
    file.write_text(json.dumps(rows))
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "1.jpg").write_bytes(making.png())
    bring("train", file, "--images", str(tmp_path / "pictures"))
    assert counts("train") == (2, 6, 4, 4, 1)
    winners = Counter(
        (vote.pair.first if vote.value == "first" else vote.pair.second).key
        for vote in PairVote.objects.filter(study__slug="train").select_related(
            "pair__first", "pair__second"
        )
    )
    assert winners == {"2.jpg": 1, "4.jpg": 3}
    assert Image.objects.exclude(file="").count() == 1
    rows[0]["human_preference"] = [0, 0]
    file.write_text(json.dumps(rows))
    with pytest.raises(CommandError, match="line 1: human_preference = .*One image has a 1"):
        bring("again", file)


def test_an_unknown_layout_is_told_with_its_columns(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text("who,what\nann,first\n")
    with pytest.raises(CommandError, match="none of the known layouts. Its columns: who, what"):
        bring("picks", file)


def test_tidy_rows_come_as_jsonl_and_need_their_study(study, tmp_path):
    row = dict(
        pair_id="a",
        prompt_id="p0",
        first="early-0",
        second="late-0",
        rater="ann",
        question="match",
        value="tie",
    )
    file = tmp_path / "pairs.jsonl"
    file.write_text(json.dumps(row) + "\n")
    bring(study.slug, file)
    assert said_in(study.slug) == {"both": 1}
    with pytest.raises(CommandError, match="no study “nowhere”"):
        bring("nowhere", file)


def test_a_broken_parquet_file_is_told(tmp_path):
    file = tmp_path / "0.parquet"
    file.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(CommandError, match="no sound Parquet file"):
        bring("picks", file)
