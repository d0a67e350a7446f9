"""The runner of golden vectors, and the vectors that are kept here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.vectors.run import CHECKS, run

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests" / "stats" / "golden"
KEPT_RULES = ROOT / "tests" / "judging" / "methods" / "golden"
FOLDERS = (KEPT, KEPT_RULES)
# Files of fewer than ten cases: one study, three prompts with ten images each, and so on.
FEW = {
    "compbench_3in1": 3,
    "compbench_pre_question": 5,
    "genai_image_eval": 1,
    "genai_rank": 4,
    "geneval_summary": 8,
    "mtme_permutation": 4,
}


# Its ratings lie beside it, under a licence of their own.
BESIDE = "imagenhub_published"


@pytest.mark.parametrize("name", sorted(CHECKS.keys() - {BESIDE}))
def test_every_case_of_a_file_agrees_with_its_reference(name):
    outcome = run(next(f / f"{name}.json" for f in FOLDERS if (f / f"{name}.json").exists()))
    assert outcome.total >= FEW.get(name, 10)
    assert outcome.agrees, outcome.lines()


def test_printed_figures_are_compared_with_the_ratings_that_lie_beside(tmp_path):
    ratings, golden = tmp_path / "data" / "imagenhub", tmp_path / "golden"
    ratings.mkdir(parents=True)
    golden.mkdir()
    (ratings / "Edit_rater1.tsv").write_text("uid\tone\na\t[1,1]\nb\t[0.5,1]\n")
    (ratings / "Edit_rater2.tsv").write_text("uid\tone\na\t[1,1]\nb\t[1,1]\n")
    # κ: one of two items agrees, .625 by chance.
    printed = {"SC": 0.88, "PQ": 1.0, "fleiss_kappa SC": -0.33, "fleiss_kappa PQ": None}
    tasks = {"Edit": {"one": printed, "two": {"SC": 0.5}}, "Draw": {"one": {"O": 0.1}}}
    (golden / f"{BESIDE}.json").write_text(json.dumps({"tasks": tasks}))
    outcome = run(golden / f"{BESIDE}.json")
    assert (outcome.agree, outcome.total) == (1, 3)
    assert [line.partition(":")[0] for line in outcome.misses] == ["Edit two", "Draw one"]


def test_a_case_that_differs_is_counted_and_named(tmp_path):
    bundle = json.loads((KEPT / "water_filling.json").read_text())
    bundle["cases"][1]["expected"]["pi"][0] += 1e-9
    (tmp_path / "water_filling.json").write_text(json.dumps(bundle))
    outcome = run(tmp_path / "water_filling.json")
    assert (outcome.agree, outcome.total) == (14, 15)
    assert bundle["cases"][1]["id"] in outcome.misses[0]


def test_a_file_without_cases_does_not_agree(tmp_path):
    (tmp_path / "goodhart.json").write_text('{"cases": []}')
    assert not run(tmp_path / "goodhart.json").agrees


def command(*files: Path) -> subprocess.CompletedProcess:
    words = [sys.executable, "-m", "tests.vectors", *map(str, files)]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_prints_one_line_a_file_and_ends_with_0():
    done = command(KEPT / "water_filling.json", KEPT / "goodhart.json")
    lines = ["water_filling: 15 of 15 agree", "goodhart: 12 of 12 agree"]
    assert (done.returncode, done.stdout.splitlines()) == (0, lines)


def test_without_a_file_the_command_says_which_there_are():
    done = command()
    assert done.returncode == 2
    assert "assisted_mean" in done.stderr


def test_what_cannot_be_read_gets_a_line_and_the_files_after_it_are_run(tmp_path):
    (tmp_path / "unheard_of.json").write_text('{"cases": []}')
    (tmp_path / "goodhart.json").write_text('{"cases": [')
    (tmp_path / "gors.json").write_text("[1]")
    (tmp_path / "causes.json").write_text('{"cases": null}')
    (tmp_path / "revise.json").write_text("[" * 100_000)
    names = ["unheard_of", "goodhart", "gors", "causes", "revise", "alt_test"]
    done = command(*(tmp_path / f"{name}.json" for name in names), KEPT / "water_filling.json")
    assert done.returncode == 1
    assert done.stderr == ""
    reasons, counts = done.stdout.splitlines()[:-1:2], done.stdout.splitlines()[1:-1:2]
    assert counts == [f"{name}: 0 of 0 agree" for name in names]
    assert reasons[0] == "  no function for this file yet"
    assert all(reason.startswith("  cannot be read: ") for reason in reasons[1:])
    assert done.stdout.splitlines()[-1] == "water_filling: 15 of 15 agree"


# Two images, one label: each is drawn with 1/2.
GOOD = {
    "utilities": [1, 1],
    "budget": 1,
    "mix": False,
    "expected": {"pi": [0.5, 0.5], "certain": 0},
}
NOTHING = {"undefined": True, "reason": "more labels wanted than there are images"}
DREW = {"gold": "a dog", "pred": "a dog", "f1": 1.0}


def outcome_of(folder: Path, name: str, cases: list, **more: object):
    (folder / f"{name}.json").write_text(json.dumps({"cases": cases, **more}))
    return run(folder / f"{name}.json")


def test_cases_after_one_that_cannot_be_run_or_compared_count(tmp_path):
    cases = [
        GOOD,
        {**GOOD, "budget": 3, "expected": NOTHING},
        {"id": "shorter", **GOOD, "expected": {"pi": [0.5], "certain": 0}},
        {"id": "no key", **GOOD, "expected": {"certain": 0}},
        {"id": "null", **GOOD, "utilities": None},
        {"id": "not undefined", **GOOD, "expected": NOTHING},
        {"id": "refused", **GOOD, "budget": 3},
        None,
        GOOD,
    ]
    outcome = outcome_of(tmp_path, "water_filling", cases)
    assert (outcome.agree, outcome.total) == (3, 9)
    *misses, last = outcome.lines()
    assert last == "water_filling: 3 of 9 agree"
    starts = ["cases[2] shorter: ", "cases[3] no key: ", "cases[4] null: "]
    starts += ["cases[5] not undefined: ", "cases[6] refused: ", "cases[7]: "]
    for miss, start in zip(misses, starts, strict=True):
        assert miss.startswith(f"  {start}")
    assert misses[1].endswith("there is no 'pi'")


def test_a_refusal_by_value_error_agrees_where_no_number_is_expected(tmp_path):
    # One verdict for two images.
    case = {"humans": [[1, 0], [1, 1], [0, 1]], "judge": [1], "scoring": "accuracy"}
    case |= {"epsilon": 0.1, "least_raters": 2, "least_images": 2, "q": 0.05}
    cases = [{**case, "expected": NOTHING}, {**case, "expected": {}}]
    outcome = outcome_of(tmp_path, "alt_test", cases)
    assert (outcome.agree, outcome.total) == (1, 2)
    assert "refused: the judge needs one verdict" in outcome.misses[0]


def test_an_error_of_the_runner_is_no_refusal(tmp_path):
    case = {"kind": "calibrated", "inputs": {"images": [[1, 2, 3], [4]]}, "expected": NOTHING}
    assert outcome_of(tmp_path, "gors", [case]).agree == 0


def test_an_unknown_variant_is_a_line_and_the_next_case_is_run(tmp_path):
    loss = {"prediction": [[[1.0]]], "target": [[[0.0]]], "reward": [1.0]}
    expected = {"loss": 1.0, "official_float32": 1.0, "normalised": 1.0}
    good = {"kind": "loss", "inputs": loss, "expected": {**expected, "gradient_first_image": [2.0]}}
    outcome = outcome_of(tmp_path, "gors", [{**good, "kind": "by moonlight"}, good])
    assert outcome.lines() == [
        "  cases[0]: cannot be run or compared: there is no 'by moonlight'",
        "gors: 1 of 2 agree",
    ]


def test_a_case_with_nothing_to_compare_does_not_agree(tmp_path):
    case = {"human": [[1, 0], [0, 1]], "metric": [[1, 0], [0, 1]], "expected": {}}
    outcome = outcome_of(tmp_path, "soft_pairwise", [case])
    assert outcome.lines() == ["  cases[0]: nothing to compare", "soft_pairwise: 0 of 1 agree"]


def test_cases_beside_cases_are_named_by_their_list(tmp_path):
    good = {"questions": [], "mc": {}, "free_form": {}, "kept": []}
    outcome = outcome_of(tmp_path, "tifa_filter", [good], f1=[DREW, {**DREW, "f1": 0.0}])
    assert (outcome.agree, outcome.total) == (2, 3)
    assert outcome.misses[0].startswith("f1[1]: F1 is 1.0")


def test_a_long_difference_is_one_line(tmp_path):
    case = {**GOOD, "utilities": [1] * 500, "expected": {"pi": [0] * 500, "certain": 0}}
    (line, _) = outcome_of(tmp_path, "water_filling", [case]).lines()
    assert len(line) < 310
    assert "\n" not in line


def test_weights_without_a_label_are_expected_to_be_undefined(tmp_path):
    given = {"images": [["a", 0, 0.5, None], ["b", 1, 0.7, None]]}
    case = {"kind": "isotonic weights", "inputs": given, "expected": NOTHING}
    labelled = {"images": [["a", 0, 0.5, 1], ["b", 1, 0.7, 1]]}
    outcome = outcome_of(tmp_path, "gors", [case, {**case, "inputs": labelled}])
    assert (outcome.agree, outcome.total) == (1, 2)


def test_where_votes_name_no_model_every_model_must_refuse(tmp_path):
    apart = {"systems": 3, "votes": [[0, 0, 1, "left"], [1, 1, 0, "left"]], "expected": NOTHING}
    outcome = outcome_of(tmp_path, "paired_preferences", [apart])
    assert outcome.agrees, outcome.lines()


def test_a_null_takes_its_pair_out_of_each_grouping(tmp_path):
    # Two systems, three items; nobody rated the second system's last image, so its item has one left and
    # is no group. Within systems all rise together; the first item rises, the second is tied by both.
    correlated = ("pearson", "spearman", "kendall_b")
    sys = {**dict.fromkeys(correlated, [1, 2]), "acc23_eps0": [1, 2], "acc23_opt": [1, 0]}
    item = {**dict.fromkeys(correlated, [1, 1]), "acc23_eps0": [1, 2], "acc23_opt": [1, 0]}
    # Flat, (1, 1) (2, 2) (3, 3) (3, 4) (2, 2): sums of squares 2.8 and 5.2, of products 3.6, of mid-ranks
    # 9, 9.5 and 9; of ten pairs eight are concordant, one is tied by both, one by people alone.
    none = {"pearson": [3.6 / (2.8 * 5.2) ** 0.5, 1], "spearman": [9 / (9 * 9.5) ** 0.5, 1]}
    none |= {"kendall_b": [8 / (8 * 9) ** 0.5, 1], "acc23_eps0": [0.9, 1], "acc23_opt": [0.9, 0]}
    case = {"num_sys": 2, "gold": [1, 2, 3, 3, 2, None], "metric": [1, 2, 3, 4, 2, 9]}
    case |= {"none": none, "sys": sys, "item": item}
    outcome = outcome_of(tmp_path, "mtme_grouping", [case])
    assert outcome.agrees, outcome.lines()
