"""Votes on edits, by hand in the columns of published sets."""

import json
from collections import Counter

import pyarrow
import pytest
from django.core.management import CommandError, call_command
from pyarrow import parquet

from annotations.models import Image, Pair, PairVote, Prompt, PromptPicture, Study
from tests import making
from tests.annotations.pairs.votes import votes_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


def counts(slug):
    """Prompts, their pictures, images, pairs, votes."""
    rows = (Prompt, Image, Pair, PairVote)
    found = [kind.objects.filter(study__slug=slug).count() for kind in rows]
    found.insert(1, PromptPicture.objects.filter(prompt__study__slug=slug).count())
    return tuple(found)


def values(slug):
    return Counter(vote.value for vote in votes_of(Study.objects.get(slug=slug)))


def bring(slug, file, *more):
    call_command("import_pairs", slug, str(file), *more)


def as_parquet(path, rows):
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def picture(*colour):
    return {"bytes": making.png(colour), "path": None}


def arena(number, vote, **more):
    return {
        "source_prompt": "a cup",
        "target_prompt": "a red cup",
        "instruct_prompt": "make it red",
        "source_image": picture(number, 0, 0),
        "left_model": "InstructPix2Pix",
        "left_output_image": picture(number, 1, 0),
        "right_model": "MagicBrush",
        "right_output_image": picture(number, 2, 0),
        "vote_type": vote,
    } | more


def test_genai_bench_edits_have_their_source_and_the_same_words_about_another_picture_are_another(
    tmp_path,
):
    votes = ("leftvote", "rightvote", "tievote", "bothbad_vote", "leftvote")
    rows = [arena(number, vote) for number, vote in enumerate(votes)]
    rows.append(arena(0, "rightvote"))  # the same pair again
    file = as_parquet(tmp_path / "test-0.parquet", rows)
    bring("arena", file)
    assert counts("arena") == (5, 5, 10, 5, 6)
    assert values("arena") == {"first": 2, "second": 2, "both": 1, "neither": 1}
    assert Study.objects.get(slug="arena").form.slug == "edit"
    assert not Image.objects.filter(study__slug="arena", file="").exists()
    bring("arena", file)
    assert counts("arena") == (5, 5, 10, 5, 6)


def compared(number, ranking, between, models):
    return {
        "id": f"{number}_{between}",
        "dataset": "3pair",
        "instruction": f"change {number}",
        "source_image": picture(number, 0, 0),
        "candidate_1": picture(number, ord(between[0]), 0),
        "candidate_2": picture(number, ord(between[-1]), 0),
        "model_1": models[0],
        "model_2": models[1],
        "score_1": 3.0,
        "score_2": 2.0,
        "ranking": ranking,
        "comparison_type": between,
    }


def test_a_group_of_editreward_is_three_pairs_of_three_images(tmp_path):
    rows = [
        compared(1, "A>B", "AvsB", ("flux", "bagel")),
        compared(1, "C>A", "AvsC", ("flux", "step1x")),
        compared(1, "B=C", "BvsC", ("bagel", "step1x")),
    ]
    bring("groups", as_parquet(tmp_path / "train-0.parquet", rows))
    assert counts("groups") == (1, 1, 3, 3, 3)
    assert values("groups") == {"first": 1, "second": 1, "both": 1}
    assert Prompt.objects.get(study__slug="groups").tags == ["3pair"]


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("ranking", "A>C", "of the two that are compared"),
        ("ranking", "better", "A ranking is"),
        ("comparison_type", "first", "A ranking is"),
        ("instruction", " ", "“instruction” is empty"),
    ],
)
def test_a_ranking_of_other_letters_is_refused(tmp_path, column, value, words):
    row = compared(1, "A>B", "AvsB", ("flux", "bagel")) | {column: value}
    with pytest.raises(CommandError, match=words):
        bring("groups", as_parquet(tmp_path / "train-0.parquet", [row]))
    assert not Study.objects.filter(slug="groups").exists()


def mmrb2(folder, *, prompt=True):
    def response(side):
        name = f"emu_1_{side}.jpg"
        (folder / "images").mkdir(exist_ok=True)
        (folder / "images" / name).write_bytes(making.png((9, side, 9)))
        return {"model_name": f"model {side}", "response_content": [["image", name]]}

    (folder / "input_images").mkdir(exist_ok=True)
    (folder / "input_images" / "1.png").write_bytes(making.png((7, 7, 7)))
    pair = {
        "id": "emu_1",
        "response_a": response(0),
        "response_b": response(1),
        "chosen": "A",
        "human_annotations": [6, 4, 2],
        "prompt_source": "emu-edit",
        "prompt_metadata": {"id": 1},
    }
    if prompt:
        pair["prompt_content"] = [["image", "input_images/1.png"], ["text", "Add a hat"]]
    file = folder / "edit.json"
    file.write_text(json.dumps({"pairs": [pair]}, indent=2))
    return file


def test_each_expert_of_mmrb2_is_a_vote(tmp_path):
    bring("mmrb2", mmrb2(tmp_path))
    assert counts("mmrb2") == (1, 1, 2, 1, 3)
    assert values("mmrb2") == {"first": 2, "second": 1}
    prompt = Prompt.objects.get(study__slug="mmrb2")
    assert (prompt.text, prompt.tags) == ("Add a hat", ["emu-edit"])


def test_mmrb2_without_its_prompts_says_where_they_are(tmp_path):
    with pytest.raises(CommandError, match="the set's own scripts put it there"):
        bring("mmrb2", mmrb2(tmp_path, prompt=False))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"human_annotations": [7]}, "whole number from 1 to 6"),
        ({"response_a": 5}, "A response has a model"),
        ({"response_a": {"response_content": [["text", "none"]]}}, "An edit is one picture"),
        ({"prompt_content": [["image"]]}, "Each part is"),
        ({"prompt_content": [["image", "input_images/1.png"]]}, "The instruction is empty"),
    ],
)
def test_a_pair_that_does_not_fit_is_refused_with_its_place(tmp_path, change, words):
    file = mmrb2(tmp_path)
    wrong = json.loads(file.read_text())
    wrong["pairs"][0] |= change
    file.write_text(json.dumps(wrong, indent=2))
    with pytest.raises(CommandError, match=f"line 1.*{words}"):
        bring("mmrb2", file)
