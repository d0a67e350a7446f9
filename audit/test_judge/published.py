"""What papers print of judges on sets that people voted on: facts with their sources."""

from __future__ import annotations

from dataclasses import dataclass

ACCURACY, BALANCED, PAIRWISE = "accuracy", "balanced accuracy", "pairwise accuracy"
SPEARMAN = "Spearman"


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


SETS = {
    "mmrb2": KnownSet(
        "Multimodal RewardBench 2",
        "share of pairs, asked in both orders, in which the judge names the response that people chose",
        "Multimodal RewardBench 2, text to image",
        (
            Published("Gemini 3 Pro", 74.4),
            Published("Qwen3-VL-32B", 64.1),
            Published("HPSv3", 60.2),
            Published("VQAScore", 58.3),
            Published("CLIPScore", 51.0),
        ),
    ),
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
