"""Models that published judges use and the libraries here cannot load, whatever files are given."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AbsentModel:
    name: str
    whose: str
    why_not: str
    instead: str


ABSENT_MODELS = (
    AbsentModel(
        "mPLUG-large (`damo/mplug_visual-question-answering_coco_large_en`)",
        "DPG-Bench",
        "Neither transformers nor open_clip has its architecture; only ModelScope's own code loads its files.",
        "What DPG-Bench's script wrote with it comes in as scores (`import_study --format dpg`). `dpg-server` asks "
        "another model the same questions and zeroes as the script does.",
    ),
    AbsentModel(
        "UniDet",
        "T2I-CompBench",
        "No library here has its code.",
        "Its detections from a file; the same rules over other detectors (`compbench-2d`).",
    ),
    AbsentModel(
        "mPLUG-Owl2",
        "Q-Align",
        "No library here has its architecture.",
        "Its five level tokens read off another model (`quality-levels-qwen3-vl`).",
    ),
)
