"""What papers print of judges on sets that people voted on: facts with their sources."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Published:
    """`accuracy`: in percent, as printed."""

    judge: str
    accuracy: float


@dataclass(frozen=True, slots=True)
class KnownSet:
    """`official`: how the set defines accuracy."""

    title: str
    official: str
    source: str
    judges: tuple[Published, ...] = ()


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
}
