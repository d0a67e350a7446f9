"""The files about the rules of GenEval, GenEval 2, T2I-CompBench, TIFA, DSG, VQAScore and M3T2IBench."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import numpy as np

from jurybox_judging.methods import (
    align_score,
    blip_vqa,
    compbench,
    dsg,
    geneval,
    revising,
    soft_tifa,
    tifa,
)
from jurybox_judging.methods.compbench.numeracy_method import PLURALS
from jurybox_judging.methods.shared.answer_spellings import matches, one_word, variants
from jurybox_judging.methods.vqa_score import likelihood, of_listed
from tests import needs
from tests.vectors.compare import Compared, near, same

ROUNDED = 1e-6  # the files give six to ten digits
PARSERS = {
    "tuple": dsg.parse_tuples,
    "dependency": dsg.parse_dependencies,
    "question": dsg.parse_questions,
    "clean_dependency_id": dsg.clean_dependency,
}
KINDS = {"s": "spatial", "a": "action", "sa": "spatialaction"}


# --- GenEval


def geneval_evaluate(case: dict, bundle: dict) -> Iterator[Compared]:
    ours = geneval.decide(case["metadata"], case["detections"], **case.get("options", {}))
    yield same("correct", ours.correct, case["correct"])
    yield same("reason", ours.reason, case["reason"])
    if "kept" in case:
        yield same("classes kept", sorted(ours.kept), sorted(case["kept"]))
        for name, boxes in case["kept"].items():
            kept = [[*d["box"], d["score"]] for d in ours.kept.get(name, ())]
            yield near(f"kept {name}", kept, boxes, ROUNDED)


def geneval_geometry(case: dict, bundle: dict) -> Iterator[Compared]:
    if "iou" in case:
        yield near("overlap", geneval.overlap(case["a"], case["b"]), case["iou"], ROUNDED)
    else:
        yield same(
            "places", sorted(geneval.relations(case["a"], case["b"], case["c"])), case["rel"]
        )


def geneval_summary(case: dict, bundle: dict) -> Iterator[Compared]:
    yield same("print-out", printed(geneval.summarise(case["rows"])), case["stdout"])


def printed(summary: geneval.GenEvalSummary) -> str:
    """As the official script prints it."""
    lines = [
        "Summary",
        "=======",
        f"Total images: {summary.images}",
        f"Total prompts: {summary.prompts}",
        f"% correct images: {summary.correct_images:.2%}",
        f"% correct prompts: {summary.correct_prompts:.2%}",
        "",
        "Task breakdown",
        "==============",
        *(
            f"{tag:<16} = {task.score:.2%} ({task.correct} / {task.images})"
            for tag, task in summary.tasks.items()
        ),
        "",
        f"Overall score (avg. over tasks): {summary.overall:.5f}",
    ]
    return "\n".join(lines) + "\n"


# --- GenEval 2


def geneval2_eval(case: dict, bundle: dict) -> Iterator[Compared]:
    expected = case.get("expected") or _answers_of(case["prompt"])
    soft = [
        _sum_over_spellings(*pair, bundle) for pair in zip(case["logits"], expected, strict=True)
    ]
    yield near("soft", soft, case["soft"], ROUNDED)
    yield near("arithmetic mean", soft_tifa.arithmetic(soft), case["am"], ROUNDED)
    yield near("geometric mean", soft_tifa.geometric(soft), case["gm"], ROUNDED)
    right = [
        # The first of equal scores, as argmax takes it: the lowest token id.
        int(matches(bundle["id_to_text"][str(max(sorted(scores), key=_score)[0])], answer))
        for scores, answer in zip(case["logits"], expected, strict=True)
    ]
    yield same("tifa", right, case["tifa"])
    yield near("tifa's score", sum(right) / len(right), case["tifa_score"], ROUNDED)
    ours = _sum_over_spellings(case["vqa_logits"], "Yes", bundle)
    yield near("vqascore", ours, case["vqascore"], ROUNDED)
    if "question_words" in bundle:
        question = one_word("How many dogs are in the image?", "two").text
        yield same("question", question, bundle["question_words"])


def geneval2_aggregate(case: dict, bundle: dict) -> Iterator[Compared]:
    for name, mean in (("am", soft_tifa.arithmetic), ("gm", soft_tifa.geometric)):
        yield near(name, [mean(scores) for scores in case["scores"]], case[name], ROUNDED)


def _answers_of(prompt: str) -> list[str]:
    """From the benchmark itself, which the vectors only name."""
    lines = needs.shared("geneval2/geneval2_data.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {row["prompt"]: row["vqa_list"] for row in map(json.loads, lines)}
    return [answer for _, answer in rows[prompt]]


def _sum_over_spellings(logits: list, expected: str, bundle: dict) -> float:
    total = sum(math.exp(logit) for _, logit in logits)
    chances = {token: math.exp(logit) / total for token, logit in logits}
    return sum(chances.get(bundle["token_ids"][text][0], 0.0) for text in variants(expected))


def _score(pair: list) -> float:
    return pair[1]


# --- VQAScore


def vqascore_likelihood(case: dict, bundle: dict) -> Iterator[Compared]:
    yield near("likelihood", likelihood(case["logits"], case["labels"]), case["score"], ROUNDED)


def vqascore_listed(case: dict, bundle: dict) -> Iterator[Compared]:
    yield near("old", of_listed(case["top"], rule="exact"), case["old"], ROUNDED)
    yield near("new", of_listed(case["top"]), case["new"], ROUNDED)


# --- T2I-CompBench


def compbench_position(case: dict, bundle: dict) -> Iterator[Compared]:
    where = case["loc"], case["a"], case["b"]
    if "g" not in case:
        yield near("position", compbench.position_2d(*where), case["score"], ROUNDED)
        return
    row, column = np.mgrid[:480, :480]
    depth = (case["g"] * row + case["k"] * column) / 1000
    yield near("position in depth", compbench.position_3d(*where, depth), case["score"], ROUNDED)


def compbench_2d(case: dict, bundle: dict) -> Iterator[Compared]:
    ours = compbench.spatial(case["prompt"], case["noun1"], case["noun2"], case["detections"])
    yield near("score", ours, case["score"], ROUNDED)


def compbench_numeracy(case: dict, bundle: dict) -> Iterator[Compared]:
    ours = compbench.numeracy(case["prompt"], case["detections"])
    yield near("score", ours, case["score"], ROUNDED)
    yield same("nouns", dict(map(tuple, bundle["singular_plural"])), PLURALS)


def compbench_3in1(case: dict, bundle: dict) -> Iterator[Compared]:
    ours = [
        compbench.three_in_one(
            KINDS[case["category"][at // 10]],
            **{name: case[name][at] for name in ("attribute", "spatial", "clip")},
        )
        for at in range(len(case["result"]))
    ]
    yield near("scores", ours, case["result"], ROUNDED)


def compbench_product(case: dict, bundle: dict) -> Iterator[Compared]:
    yield same("questions", blip_vqa.questions(case["noun_chunks"]), case["asked"])
    yield same("answer", f"{blip_vqa.product(case['p_yes']):.4f}", case["answer"])


def compbench_question(case: dict, bundle: dict) -> Iterator[Compared]:
    yield same("question", blip_vqa.cleaned(case["in"]), case["out"])


# --- TIFA and DSG


def tifa_benchmark(case: dict, bundle: dict) -> Iterator[Compared]:
    ours = tifa.summarise(case["questions"], case["predictions"])
    yield near("average", ours.tifa_average, case["tifa_average"], ROUNDED)
    yield near("deviation", ours.tifa_stdev, case["tifa_stdev"], ROUNDED)
    for name in ("accuracy_by_type", "caption_scores"):
        found, wanted = getattr(ours, name), case[name]
        yield same(f"names of {name}", sorted(found), sorted(wanted))
        yield near(name, [found[key] for key in sorted(found)], [wanted[k] for k in sorted(wanted)])


def tifa_filter(case: dict, bundle: dict) -> Iterator[Compared]:
    if "f1" in case:
        yield near("F1", tifa.word_f1(case["gold"], case["pred"]), case["f1"], ROUNDED)
    else:
        kept = tifa.answerable_places(case["questions"], case["mc"], case["free_form"])
        yield same("kept", kept, case["kept"])


def dsg_score(case: dict, bundle: dict) -> Iterator[Compared]:
    given, right = (case["dependency"], case["answers"]), {"expected": case.get("gt")}
    yield near("score", dsg.score(*given, **right), case["with_dep"], ROUNDED)
    alone = dsg.score(None, case["answers"], **right)
    yield near("without dependencies", alone, case["without_dep"], ROUNDED)
    yield same("valid", dsg.valid(*given, **right), case["valid"])


def dsg_parse(case: dict, bundle: dict) -> Iterator[Compared]:
    try:
        ours = json.loads(json.dumps(PARSERS[case["kind"]](case["text"])))
    except ValueError:
        ours = "ERR ValueError"
    yield same("reading", ours, case["out"])


# --- M3T2IBench


def m3t2i(case: dict, bundle: dict) -> Iterator[Compared]:
    ours = align_score.align(case["instances"], case["relations"], case["detections"])
    yield same("bias", ours.bias, case["bias"])
    yield near("accuracy", ours.accuracy, case["acc"], ROUNDED)
    yield near("score", ours.score, case["align"], ROUNDED)


def revise(case: dict, bundle: dict) -> Iterator[Compared]:
    relations = [tuple(relation) for relation in case["relations"]]
    made = revising.revise(case["instances"], relations, case["detections"])
    if case["expected"].get("undefined"):
        yield same("nothing to repair", made, None)
        return
    assert made is not None
    yield same("pairs", list(made.pairs), case["pairs"])
    yield same("other matchings", made.others, case["other_matchings"])
    yield same("c1", made.wanted, case["expected"]["c1"])
    yield same("c2", made.found, case["expected"]["c2"])
    ours = align_score.align(case["instances"], relations, case["detections"])
    yield near("score", [ours.bias, ours.accuracy, ours.score],
               [case["bias"], case["accuracy"], case["align"]], 1e-12)  # fmt: skip
