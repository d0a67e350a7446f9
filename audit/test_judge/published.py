"""What papers print of judges on sets that people voted on: facts with their sources."""

from __future__ import annotations

from dataclasses import dataclass

ACCURACY, BALANCED, PAIRWISE = "accuracy", "balanced accuracy", "pairwise accuracy"
SPEARMAN = "Spearman"
WINNER = "share of pairs in which the judge names the edit that people chose"


@dataclass(frozen=True, slots=True)
class Published:
    """`accuracy`: the set's measure in percent, as printed."""

    judge: str
    accuracy: float


@dataclass(frozen=True, slots=True)
class KnownSet:
    """`official`: how the set defines its measure."""

    title: str
    official: str
    source: str
    judges: tuple[Published, ...] = ()
    measure: str = ACCURACY


# As the README of facebookresearch/MMRB2 prints them: text to image, edits, interleaved, reasoning, and the average.
MMRB2_TASKS = ("text to image", "edits", "interleaved", "reasoning")
_MMRB2: dict[str, tuple[float | None, ...]] = {
    "Gemma 3 4B": (51.7, 51.0, 51.3, 48.8, 50.7),
    "Gemma 3 12B": (56.0, 58.0, 58.0, 49.3, 55.3),
    "Gemma 3 27B": (58.3, 60.2, 61.1, 49.4, 57.3),
    "Qwen2.5-VL-7B": (50.4, 57.1, 48.4, 47.5, 50.9),
    "Qwen2.5-VL-72B": (59.1, 64.6, 62.3, 50.0, 59.0),
    "Qwen3-VL-8B": (59.4, 61.7, 61.5, 54.6, 59.3),
    "Qwen3-VL-32B": (64.1, 67.3, 70.5, 56.6, 64.6),
    "Qwen3-VL-30BA3B": (60.0, 59.5, 57.3, 57.3, 58.5),
    "Qwen3-VL-235BA22B": (62.0, 64.8, 69.0, 55.9, 62.9),
    "CLIPScore": (51.0, None, None, None, None),
    "ImageReward": (54.0, None, None, None, None),
    "HPSv2": (54.7, None, None, None, None),
    "VQAScore (Qwen2.5-VL-7B)": (58.3, None, None, None, None),
    "PickScore": (58.6, None, None, None, None),
    "HPSv3": (60.2, None, None, None, None),
    "UnifiedReward (Qwen2.5-VL-7B)": (59.8, None, None, None, None),
    "EditReward (Qwen2.5-VL-7B), pairs with one image": (None, 67.2, None, None, None),
    "UnifiedReward (Qwen2.5-VL-7B), pairs with one image": (None, None, None, 55.1, None),
    "GPT-4o": (60.3, 65.0, 61.5, 51.9, 59.7),
    "GPT-4.1": (65.8, 68.2, 67.0, 53.0, 63.5),
    "GPT-5": (70.5, 73.8, 74.4, 70.2, 72.2),
    "Gemini 2.5 Flash": (63.1, 66.5, 69.4, 57.5, 64.1),
    "Gemini 2.5 Pro": (70.5, 71.3, 75.1, 66.6, 70.9),
    "Gemini 3 Pro": (74.4, 74.9, 76.4, 79.5, 76.3),
}


def _mmrb2_sets() -> dict[str, KnownSet]:
    """Each task for itself, all four, and pairs of which no table can be known."""
    title = "Multimodal RewardBench 2"
    official = "share of pairs, asked in both orders, in which the judge names the response that people chose"
    found = {}
    for place, task in enumerate((*MMRB2_TASKS, "all four tasks")):
        judges = [(judge, printed[place]) for judge, printed in _MMRB2.items()]
        found[f"mmrb2, {task}"] = KnownSet(
            f"{title}, {task}",
            official,
            f"{title}’s README, {task}",
            tuple(Published(judge, value) for judge, value in judges if value is not None),
        )
    other = f"Pairs written as {title}’s, of none or some of its tasks"
    return {**found, "mmrb2": KnownSet(other, official, title)}


SETS = {
    **_mmrb2_sets(),
    "genai-bench": KnownSet(
        "TIGER GenAI-Bench",
        "share of votes told exactly, ties as good and as bad apart, the average of both orders",
        "TIGER-Lab GenAI-Bench",
    ),
    "rapidata": KnownSet(
        "Rapidata, preference",
        "share of pairs in which the judge names the image with the larger weight of votes",
        "Rapidata’s sets of human preferences",
    ),
    "editreward": KnownSet(
        "EditReward-Bench",
        "share of pairs in which the judge names what people ranked higher",
        "EditReward-Bench",
    ),
    "editreward-quality": KnownSet(
        "EditReward-Bench, visual quality, in GEditBench v2’s pairs",
        WINNER,
        "GEditBench v2, editreward_bench_visual_quality.jsonl",
    ),
    "vcreward": KnownSet(
        "VCReward-Bench, visual consistency, of GEditBench v2", WINNER, "VCReward-Bench"
    ),
    "imagenhub": KnownSet(
        "ImagenHub",
        "rank correlation of the score with √(SC · PQ), the mean of the raters, each task for itself",
        "ImagenHub’s human ratings",
        measure=SPEARMAN,
    ),
    "genai-bench-ratings": KnownSet(
        "GenAI-Bench, ratings of images",
        "share of all pairs of images ordered as people’s mean ratings are, ties calibrated",
        "GenAI-Bench (VQAScore), table 2, images",
        (
            Published("VQAScore (CLIP-FlanT5)", 64.1),
            Published("PickScore", 57.1),
            Published("ImageReward", 56.6),
            Published("Davidsonian", 54.6),
            Published("BLIP-VQA", 54.3),
            Published("LLMScore", 53.2),
            Published("BLIPv2Score", 52.2),
            Published("VQ2", 51.9),
            Published("CLIPScore", 50.8),
            Published("HPSv2", 49.6),
        ),
        measure=PAIRWISE,
    ),
    "corebench": KnownSet(
        "T2I-CoReBench, checks by people",
        "the mean of the shares of people’s yes and of people’s no that the judge finds",
        "T2I-CoReBench, evaluators against people",
        (
            Published("Qwen3.5-27B", 80.9),
            Published("Qwen3-VL-32B, thinking", 77.5),
            Published("Qwen3-VL-32B", 69.5),
        ),
        measure=BALANCED,
    ),
}
