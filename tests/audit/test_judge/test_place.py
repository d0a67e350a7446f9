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
    assert place_words(found)[0].startswith("Multimodal RewardBench 2: 75.0 % (")
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
