"""A judge beside published ones: accuracy by hand, as a set defines it and ours."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotations.errors import Refused
from audit.test_judge.choices import read_choices
from audit.test_judge.pairs import read_pairs
from audit.test_judge.place import place_judge
from audit.test_judge.sentences import place_words


def mmrb2(folder, count=40, name="set.json"):
    """Forty pairs with a prompt each; people choose the first in all but every fourth."""
    rows = [
        {
            "pair_id": f"p{n}",
            "prompt_content": [["text", f"prompt {n}"]],
            "prompt_source": "wise",
            "chosen": "b" if n % 4 == 0 else "a",
            "human_annotations": [6, 5, 4],
        }
        for n in range(count)
    ]
    file = folder / name
    file.write_text(json.dumps(rows))
    return file


def table(folder, lines, header="pair,vote,vote_swapped"):
    file = folder / "judge.csv"
    file.write_text("\n".join([header, *lines]))
    return file


def test_both_orders_count_as_the_set_defines(tmp_path):
    # Always the first place: right in one order of every pair, so 50 %; its answer always changes.
    name, pairs = read_pairs(mmrb2(tmp_path))
    found = place_judge(
        name, pairs, read_choices(table(tmp_path, [f"p{n},a,a" for n in range(40)]))
    )
    assert (found["official"]["value"], found["both_orders"], found["changed"]) == (50, 40, 40)
    assert {one["judge"]: one["this_is"] for one in found["published"]}["Gemini 3 Pro"] == "worse"


def test_scores_name_the_higher_and_ties_count_half_in_ours(tmp_path):
    # 30 of 40 right, 10 tied: 75 % as the set counts, 75 + 12.5 in ours.
    lines = [f"p{n},1,{1 if n % 4 == 0 else 0}" for n in range(40)]
    _, pairs = read_pairs(mmrb2(tmp_path))
    choices = read_choices(table(tmp_path, lines, "pair,score_a,score_b"))
    found = place_judge("mmrb2", pairs, choices)
    assert (found["official"]["value"], found["ours"]["value"]) == (75, 87.5)
    assert found["judge_ties"] == 10
    assert place_words(found)[0].startswith("Multimodal RewardBench 2, text to image: 75.0 % (")
    assert "Not told apart from Gemini 3 Pro (74.4)" in "\n".join(place_words(found))


def test_without_a_choice_the_mean_of_the_grades_decides(tmp_path):
    file = tmp_path / "set.jsonl"
    grades = ([6, 5, 1], [1, 2, 3], [3, 4])
    file.write_text(
        "\n".join(json.dumps({"id": n, "human_annotations": g}) for n, g in enumerate(grades))
    )
    name, pairs = read_pairs(file)
    assert (name, [pair.people for pair in pairs]) == ("mmrb2", ["first", "second", "both"])


def test_votes_of_genai_bench_are_told_exactly_ties_too(tmp_path):
    file = tmp_path / "set.jsonl"
    said = ("leftvote", "rightvote", "tievote", "bothbad_vote")
    rows = [{"id": n, "instruct_prompt": f"p {n}", "vote_type": said[n % 4]} for n in range(40)]
    file.write_text("\n".join(map(json.dumps, rows)))
    name, pairs = read_pairs(file)
    choices = read_choices(table(tmp_path, [f"{n},a=b=bad," for n in range(40)]))
    found = place_judge(name, pairs, choices)
    # A quarter is bad on both sides.
    assert (name, found["official"]["value"], found["ours"]["value"]) == ("genai-bench", 25, 50)


def test_a_ranking_of_the_two_that_are_compared(tmp_path):
    file = tmp_path / "set.jsonl"
    rows = [
        {"id": 1, "instruction": "x", "ranking": "C>B", "comparison_type": "BvsC"},
        {"id": 2, "instruction": "x", "ranking": "A=B", "comparison_type": "AvsB"},
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    assert [pair.people for pair in read_pairs(file)[1]] == ["second", "both"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("[]", "none of the known sets"),
        ('[{"human_annotations": [9]}]', "neither “chosen” nor grades"),
        ('[{"id": 1, "chosen": "a", "human_annotations": []}, 3]', "set.json"),
        ('[{"id": 1, "vote_type": "up"}]', "a vote is one of"),
        ('[{"id": 1, "ranking": "best"}]', "a ranking is like"),
    ],
)
def test_a_file_that_is_no_set_is_refused_with_a_sentence(tmp_path, content, words):
    file = tmp_path / "set.json"
    file.write_text(content)
    with pytest.raises(Refused, match=words):
        read_pairs(file)


@pytest.mark.parametrize(
    ("header", "line", "words"),
    [
        ("pair", "p1", "wants a column pair"),
        ("pair,vote", "p1,up", "is no vote"),
        ("pair,score_a,score_b", "p1,1,nan", "no number"),
        ("pair,score_a,score_b", "p1,1,x", "no number"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_with_a_sentence(tmp_path, header, line, words):
    with pytest.raises(Refused, match=words):
        read_choices(table(tmp_path, [line], header))


def test_the_command_prints_the_place_and_what_is_missing(tmp_path, capsys):
    votes = table(tmp_path, [*(f"p{n},a," for n in range(38)), "other,a,"])
    call_command("test_judge", str(votes), "--on", str(mmrb2(tmp_path)))
    out = capsys.readouterr().out
    assert "Without an answer: 2. Not in the set: 1." in out
    with pytest.raises(CommandError, match="None of the pairs"):
        call_command(
            "test_judge",
            str(table(tmp_path, ["x,a,"])),
            "--on",
            str(mmrb2(tmp_path, name="b.json")),
        )


def test_columns_that_are_not_needed_are_left_alone(tmp_path):
    file = tmp_path / "set.jsonl"
    row = {"id": "p0", "human_annotations": [6], "response_a": {"image": "a.png"}}
    file.write_text(json.dumps(row))
    _, pairs = read_pairs(file)
    choices = read_choices(table(tmp_path, ["p0,a,a,0.3"], "pair,vote,vote_swapped,seconds"))
    assert ([pair.name for pair in pairs], choices) == (["p0"], {"p0": ("first", "second")})


def test_a_row_that_cannot_be_read_is_named(tmp_path):
    file = tmp_path / "set.jsonl"
    file.write_text('{"id": "p0", "human_annotations": [6]}\n{"id": "p1", "human')
    with pytest.raises(Refused, match=r"set\.jsonl, row 2: Not sound JSON"):
        read_pairs(file)


def test_the_larger_weight_of_votes_is_what_people_say(tmp_path):
    file = tmp_path / "set.csv"
    file.write_text(
        "prompt,model1,weighted_results_image1_preference,weighted_results_image2_preference\n"
        "a cat,flux,0.7,0.3\na dog,flux,0.2,0.8\na cow,flux,0.5,0.5\n"
    )
    name, pairs = read_pairs(file)
    assert (name, [pair.people for pair in pairs]) == ("rapidata", ["first", "second", "both"])
    # Without names of their own the pairs are called by their rows: in a CSV the header is the first.
    assert [pair.name for pair in pairs] == ["2", "3", "4"]


@pytest.mark.parametrize("weight", ["", "many", "nan"])
def test_a_weight_that_is_no_number_is_named_with_its_row(tmp_path, weight):
    file = tmp_path / "set.csv"
    file.write_text(
        "prompt,weighted_results_image1_preference,weighted_results_image2_preference\n"
        f"a cat,0.7,{weight}\n"
    )
    with pytest.raises(Refused, match=r"set\.csv, row 2: "):
        read_pairs(file)


def parts(folder, sources, count=40):
    """Pairs of sources in turn, people always for the first, three pairs to a prompt."""
    rows = [
        {
            "id": f"{sources[n % len(sources)]}_{n}_-55_flux_1_gpt_2",
            "prompt_metadata": {"id": n // (3 * len(sources)), "category": "x"},
            "prompt_source": sources[n % len(sources)],
            "chosen": "A",
            "human_annotations": [],
        }
        for n in range(count)
    ]
    file = folder / "part.json"
    file.write_text(json.dumps({"pairs": rows}, indent=1))
    return file


# As the README prints Qwen3-VL-32B, by task; the average beside all four.
@pytest.mark.parametrize(
    ("sources", "title", "printed"),
    [
        (["wise", "realunify_ueg"], "text to image", 64.1),
        (["emu-edit", "text_heavy_edit"], "edits", 67.3),
        (["mmmg"], "interleaved", 70.5),
        (["realunify", "vstar"], "reasoning", 56.6),
        (["wise", "hq-edit", "isgbench", "blink"], "all four tasks", 64.6),
    ],
)
def test_votes_on_a_part_stand_beside_the_numbers_of_that_part(tmp_path, sources, title, printed):
    name, pairs = read_pairs(parts(tmp_path, sources))
    found = place_judge(name, pairs, {pair.name: ("first", "first") for pair in pairs})
    assert found["set"] == f"Multimodal RewardBench 2, {title}"
    judges = {one["judge"]: one["accuracy"] for one in found["published"]}
    assert judges["Qwen3-VL-32B"] == printed
    assert ("CLIPScore" in judges) == (title == "text to image")


@pytest.mark.parametrize("sources", [["wise", "blink"], ["ours"]])
def test_pairs_of_some_tasks_or_of_others_stand_beside_no_table(tmp_path, sources):
    name, pairs = read_pairs(parts(tmp_path, sources))
    found = place_judge(name, pairs, {pair.name: ("first",) for pair in pairs})
    assert found["published"] == []
    assert "none or some of its tasks" in found["set"]


def test_a_judge_of_one_task_alone_stands_beside_that_task(tmp_path):
    name, pairs = read_pairs(parts(tmp_path, ["wise", "hq-edit"], 80))
    edits = {pair.name: ("first",) for pair in pairs if pair.name.startswith("hq-edit")}
    assert place_judge(name, pairs, edits)["set"] == "Multimodal RewardBench 2, edits"


def test_a_part_is_known_by_the_ids_of_its_pairs_alone(tmp_path):
    file = tmp_path / "set.csv"
    file.write_text('pair_id,chosen,human_annotations\nrealunify_ueg_1_x,a,""\nrealunify_2,b,""\n')
    assert [pair.part for pair in read_pairs(file)[1]] == ["text to image", "reasoning"]


def test_prompts_are_known_by_source_and_number_with_texts_and_without(tmp_path):
    # 40 pairs of two sources, three to a prompt: 7 numbers of each.
    file = parts(tmp_path, ["wise", "blink"])
    bare = [pair.prompt for pair in read_pairs(file)[1]]
    assert len(set(bare)) == 14
    rows = json.loads(file.read_text())["pairs"]
    for row in rows:
        row["prompt_content"] = [["image", f"input_images/{row['id']}_prompt_0.jpg"]]
        row["prompt_metadata"] = json.dumps(row["prompt_metadata"])
    file.write_text(json.dumps(rows))
    assert [pair.prompt for pair in read_pairs(file)[1]] == bare


def test_the_set_s_own_file_of_predictions_comes_in(tmp_path):
    # 30 right in both orders, 5 in one, 5 wrong: (60 + 5) / 80.
    name, pairs = read_pairs(parts(tmp_path, ["wise"]))
    said = [("A", "B")] * 30 + [("A", "A")] * 5 + [("B", "A")] * 5
    file = tmp_path / "predictions.json"
    content = {
        pair.name: {
            order: [{"judgement": one, "evaluator": "x", "metadata": {}}]
            for order, one in zip(("forward", "reverse"), both, strict=True)
        }
        for pair, both in zip(pairs, said, strict=True)
    }
    content |= {"gone": {}, "silent": {"forward": [], "reverse": [{"judgement": None}]}}
    file.write_text(json.dumps(content))
    found = place_judge(name, pairs, read_choices(file))
    assert (found["official"]["value"], found["changed"], found["strange"]) == (81.25, 5, 2)


@pytest.mark.parametrize(
    ("one", "words"),
    [
        ({"forward": "A"}, "“p2”: “forward” and “reverse” are lists"),
        ({"forward": ["A"]}, "“p2”: a judgement is an object"),
        ({"forward": [{"judgement": "C"}]}, "“p2”: “c” is no vote"),
    ],
)
def test_a_prediction_that_cannot_be_read_is_named(tmp_path, one, words):
    file = tmp_path / "predictions.json"
    file.write_text(json.dumps({"p1": {"forward": [{"judgement": "A"}]}, "p2": one}))
    with pytest.raises(Refused, match=words):
        read_choices(file)


def test_the_pairs_of_geditbench_come_in_with_what_its_judge_said(tmp_path):
    pair = {"instruction": "x", "source_image_path": "s3://a", "edited_image_paths": ["b", "c"]}
    rows = [{"key": f"{n // 3}_{'ABC'[n % 3]}vD", "winner": "Image A", **pair} for n in range(39)]
    rows.append({"key": "last", "winner": "Tie", **pair})
    file, said = tmp_path / "quality.jsonl", tmp_path / "results.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    lines = [
        {"key": row["key"], "winner": "Image B" if n < 13 else "Image A"}
        for n, row in enumerate(rows)
    ]
    said.write_text("\n".join(map(json.dumps, lines)))
    name, pairs = read_pairs(file)
    assert (len({pair.prompt for pair in pairs}), pairs[-1].people) == (14, "both")
    found = place_judge(name, pairs, read_choices(said))
    assert found["set"].startswith("EditReward-Bench, visual quality")
    assert found["official"]["value"] == pytest.approx(100 * 26 / 39)
    row = {"key": "k", "task": "add", "edited_images": ["b", "c"], "source_image": "a.png"}
    file.write_text(json.dumps({**row, "instruction": "x", "winner": "Image B"}))
    assert read_pairs(file)[0] == "vcreward"
    file.write_text(json.dumps({**row, "winner": "the cat"}))
    with pytest.raises(Refused, match="a winner is “Image A”"):
        read_pairs(file)
