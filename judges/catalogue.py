"""The judges that can be started by name: one entry each, with its method and its engines.

Nothing is imported until it is used, so a missing library is a sentence, not a crash.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any

from judges.errors import JudgeRefused
from judges.options import shown_name

NOTHING: Mapping[str, Any] = MappingProxyType({})
# What an engine may be asked for, in the order in which answers build on each other.
KINDS = ("objects", "colors", "depth", "similarity", "answers", "talk")


@dataclass(frozen=True, slots=True)
class Entry:
    """`method` and each part's engine are "module:class"; a part has its engine's options.

    `options` are the method's. An option "objects.checkpoint" is the checkpoint of the part
    "objects".
    """

    title: str
    method: str
    parts: Mapping[str, tuple[str, Mapping[str, Any]]]
    options: Mapping[str, Any] = field(default_factory=dict)
    release_date: date | None = None
    needs: tuple[str, ...] = ()

    @property
    def all_options(self) -> dict[str, Any]:
        parts = {f"{kind}.{k}": v for kind, part in self.parts.items() for k, v in part[1].items()}
        return {**parts, **self.options}


BUILTIN = ("judges.engines.builtin:BuiltinEngine", NOTHING)


def _part(engine: str, **options: Any) -> tuple[str, Mapping[str, Any]]:
    return f"judges.engines.{engine}", options


MMDETECTION = _part("mmdetection:MMDetection")
MASK2FORMER = _part("mask2former:Mask2Former")
GROUNDING_DINO = _part("open_vocabulary:GroundingDino")
OWLV2 = _part("open_vocabulary:Owlv2")
CLIP_L14 = _part("clip:OpenClip", model="ViT-L-14", checkpoint="openai")
CLIP_B32 = _part("clip:OpenClip", model="ViT-B-32", checkpoint="openai")
CLIP_H14 = _part("clip:OpenClip", model="ViT-H-14", checkpoint="laion2b_s32b_b79k")
FROM_FILE = _part("from_file:FromFile")
DEPTH = _part("depth:Depth")
# The official script looks at 480 pixels.
BLIP_VQA = _part("blip_vqa:BlipVqa", checkpoint="Salesforce/blip-vqa-capfilt-large", size=480)
FLANT5 = _part(
    "clip_flant5:ClipFlanT5",
    checkpoint="zhiqiulin/clip-flant5-xxl",
    tokenizer="google/flan-t5-xxl",
    precision="bfloat16",
)
_QUESTION = "{question}"
SERVER = _part("openai_server:OpenAIServer")
TORCH = ("torch", "transformers")
OPEN_CLIP = ("torch", "open_clip")
MMDET = (*OPEN_CLIP, "mmdet", "mmengine", "mmcv")
GENEVAL = "judges.methods.geneval:GenEval"
ALIGN_SCORE = "judges.methods.align_score:AlignScore"
SPATIAL_2D = "judges.methods.compbench:Spatial2D"
SPATIAL_3D = "judges.methods.compbench:Spatial3D"
NUMERACY = "judges.methods.compbench:Numeracy"
THREE_IN_ONE = "judges.methods.compbench:ThreeInOne"
CLIP_SCORE = "judges.methods.clip_score:ClipScore"
SOFT_TIFA = "judges.methods.soft_tifa:SoftTifa"
TIFA = "judges.methods.tifa:Tifa"
DSG = "judges.methods.dsg:Dsg"
VQA_SCORE = "judges.methods.vqa_score:VqaScore"
ASK_BLIP = "judges.methods.blip_vqa:BlipVqa"
CHAIN_OF_THOUGHT = "judges.methods.chain_of_thought:ChainOfThought"
# A detector of COCO's 80 classes: other classes stay without a score.
COCO = {"unknown": "unscored", "synonyms": True}
# Its confidences are lower than UniDet's, for which the official threshold of 0.5 was chosen.
OPEN = {"threshold": 0.3}
# Release dates: the model's where models are compared, else the paper's; the first of the month
# where only the month is known.
JUDGES: dict[str, Entry] = {
    "geneval-builtin": Entry(
        "GenEval (built-in)", GENEVAL, {"objects": BUILTIN}, release_date=date(2021, 3, 1)
    ),
    "soft-tifa-gm-builtin": Entry(
        "Soft-TIFA GM (built-in)",
        SOFT_TIFA,
        {"answers": BUILTIN},
        {"mean": "geometric"},
        date(2021, 3, 1),
    ),
    "soft-tifa-am-builtin": Entry(
        "Soft-TIFA AM (built-in)",
        SOFT_TIFA,
        {"answers": BUILTIN},
        {"mean": "arithmetic"},
        date(2021, 3, 1),
    ),
    "vqa-score-builtin": Entry(
        "VQAScore (built-in)",
        VQA_SCORE,
        {"answers": BUILTIN},
        {"wording": "geneval2"},
        date(2021, 3, 1),
    ),
    "tifa-builtin": Entry(
        "TIFA (built-in)", TIFA, {"answers": BUILTIN}, release_date=date(2021, 3, 1)
    ),
    "dsg-builtin": Entry(
        "DSG (built-in)", DSG, {"answers": BUILTIN}, release_date=date(2021, 3, 1)
    ),
    # --- judges that look for objects ---
    "geneval": Entry(
        "GenEval (Mask2Former by MMDetection)",
        GENEVAL,
        {"objects": MMDETECTION, "colors": CLIP_L14},
        {},
        date(2023, 10, 1),
        MMDET,
    ),
    "geneval-transformers": Entry(
        "GenEval (Mask2Former by transformers)",
        GENEVAL,
        {"objects": MASK2FORMER, "colors": CLIP_L14},
        {},
        date(2023, 10, 1),
        (*TORCH, "open_clip"),
    ),
    "geneval-from-file": Entry(
        "GenEval over detections in a file",
        GENEVAL,
        {"objects": FROM_FILE},
        {},
        date(2023, 10, 1),
    ),
    "geneval-from-file-clip": Entry(
        "GenEval over detections in a file, colors by CLIP",
        GENEVAL,
        {"objects": FROM_FILE, "colors": CLIP_L14},
        {},
        date(2023, 10, 1),
        OPEN_CLIP,
    ),
    "geneval-owlv2": Entry(
        "GenEval (OWLv2)",
        GENEVAL,
        {"objects": OWLV2, "colors": CLIP_L14},
        {"counting_threshold": 0.3},
        date(2023, 10, 1),
        (*TORCH, "open_clip"),
    ),
    "align-score": Entry(
        "AlignScore of M3T2IBench (Mask2Former by MMDetection)",
        ALIGN_SCORE,
        {"objects": MMDETECTION, "colors": CLIP_L14},
        {},
        date(2025, 10, 1),
        MMDET,
    ),
    "align-score-transformers": Entry(
        "AlignScore of M3T2IBench (Mask2Former by transformers)",
        ALIGN_SCORE,
        {"objects": MASK2FORMER, "colors": CLIP_L14},
        {},
        date(2025, 10, 1),
        (*TORCH, "open_clip"),
    ),
    "compbench-2d": Entry(
        "T2I-CompBench 2D-spatial (Mask2Former)",
        SPATIAL_2D,
        {"objects": MASK2FORMER},
        COCO,
        date(2023, 7, 1),
        TORCH,
    ),
    "compbench-2d-grounding-dino": Entry(
        "T2I-CompBench 2D-spatial (Grounding DINO)",
        SPATIAL_2D,
        {"objects": GROUNDING_DINO},
        OPEN,
        date(2023, 7, 1),
        TORCH,
    ),
    "compbench-3d": Entry(
        "T2I-CompBench++ 3D-spatial (Mask2Former, DPT)",
        SPATIAL_3D,
        {"objects": MASK2FORMER, "depth": DEPTH},
        COCO,
        None,
        TORCH,
    ),
    "compbench-3d-grounding-dino": Entry(
        "T2I-CompBench++ 3D-spatial (Grounding DINO, DPT)",
        SPATIAL_3D,
        {"objects": GROUNDING_DINO, "depth": DEPTH},
        OPEN,
        None,
        TORCH,
    ),
    "compbench-numeracy": Entry(
        "T2I-CompBench++ numeracy (Mask2Former)",
        NUMERACY,
        {"objects": MASK2FORMER},
        {"unknown": "unscored"},
        None,
        TORCH,
    ),
    "compbench-numeracy-grounding-dino": Entry(
        "T2I-CompBench++ numeracy (Grounding DINO)",
        NUMERACY,
        {"objects": GROUNDING_DINO},
        OPEN,
        None,
        TORCH,
    ),
    "compbench-3-in-1": Entry(
        "T2I-CompBench 3-in-1 (Grounding DINO, BLIP-VQA, CLIP ViT-B/32)",
        THREE_IN_ONE,
        {"objects": GROUNDING_DINO, "answers": BLIP_VQA, "similarity": CLIP_B32},
        {},
        date(2023, 7, 1),
        (*TORCH, "open_clip"),
    ),
    # --- judges that compare picture and text ---
    "clip-score": Entry(
        "CLIPScore (ViT-L/14)",
        CLIP_SCORE,
        {"similarity": CLIP_L14},
        {},
        date(2021, 4, 1),
        OPEN_CLIP,
    ),
    "clip-score-b32": Entry(
        "CLIPScore (ViT-B/32, T2I-CompBench)",
        CLIP_SCORE,
        {"similarity": CLIP_B32},
        {},
        date(2021, 4, 1),
        OPEN_CLIP,
    ),
    "clip-score-h14": Entry(
        "CLIPScore (ViT-H/14 of LAION)", CLIP_SCORE, {"similarity": CLIP_H14}, needs=OPEN_CLIP
    ),
    "clip-score-transformers": Entry(
        "CLIPScore (ViT-L/14 by transformers)",
        CLIP_SCORE,
        {"similarity": _part("clip:TransformersClip")},
        {},
        date(2021, 4, 1),
        TORCH,
    ),
    "blip-itm": Entry(
        "BLIP's matching head",
        CLIP_SCORE,
        {"similarity": _part("blip_itm:BlipItm")},
        needs=TORCH,
    ),
    "blip2-itm": Entry(
        "BLIP-2's matching head",
        CLIP_SCORE,
        {"similarity": _part("blip_itm:Blip2Itm")},
        {},
        date(2023, 1, 1),
        TORCH,
    ),
    "pick-score": Entry(
        "PickScore",
        CLIP_SCORE,
        {"similarity": _part("preference:PickScore")},
        {},
        date(2023, 5, 1),
        TORCH,
    ),
    "hps-v2": Entry(
        "HPSv2",
        CLIP_SCORE,
        {"similarity": _part("preference:HPSv2")},
        {},
        date(2023, 6, 1),
        OPEN_CLIP,
    ),
    "image-reward": Entry(
        "ImageReward",
        CLIP_SCORE,
        {"similarity": _part("preference:ImageReward")},
        {},
        date(2023, 4, 1),
        TORCH,
    ),
    # --- judges that ask questions ---
    "blip-vqa": Entry(
        "Disentangled BLIP-VQA (T2I-CompBench)",
        ASK_BLIP,
        {"answers": BLIP_VQA},
        {},
        date(2023, 7, 1),
        TORCH,
    ),
    "vqa-score": Entry(
        "VQAScore (CLIP-FlanT5)",
        VQA_SCORE,
        {"answers": FLANT5},
        {"wording": "clip-flant5"},
        date(2024, 4, 1),
        TORCH,
    ),
    "vqa-score-server": Entry(
        "VQAScore (a server's model)", VQA_SCORE, {"answers": SERVER}, {"wording": "v3"}
    ),
    "soft-tifa-gm-server": Entry(
        "Soft-TIFA GM (a server's model)", SOFT_TIFA, {"answers": SERVER}, {"mean": "geometric"}
    ),
    "tifa-free-server": Entry(
        "TIFA, free answers (a server's model)", TIFA, {"talk": SERVER}, {"form": "free"}
    ),
    "dsg-server": Entry("DSG (a server's model)", DSG, {"answers": SERVER}),
    "chain-of-thought-server": Entry(
        "Chain of thought (a server's model)", CHAIN_OF_THOUGHT, {"talk": SERVER}
    ),
}


def _add_judges_over(
    model: str,
    title: str,
    part: tuple[str, Mapping[str, Any]],
    released: date | None,
    methods: Sequence[tuple[str, str, str, str, Mapping[str, Any]]],
) -> None:
    """An entry for each method over one model. Methods: name, title, path, part, options."""
    for judge, words, method, kind, options in methods:
        JUDGES[f"{judge}-{model}"] = Entry(
            f"{words} ({title})", method, {kind: part}, options, released, TORCH
        )


_SOFT_TIFA_GM = ("soft-tifa-gm", "Soft-TIFA GM", SOFT_TIFA, "answers", {"mean": "geometric"})
_TIFA = ("tifa", "TIFA", TIFA, "answers", NOTHING)
# The same judges over each of the three models that GenEval 2 compares.
for _model, _title, _checkpoint, _released in (
    ("qwen2-vl", "Qwen2-VL", "Qwen/Qwen2-VL-7B-Instruct", date(2024, 8, 1)),
    ("qwen2.5-vl", "Qwen2.5-VL", "Qwen/Qwen2.5-VL-7B-Instruct", date(2025, 1, 1)),
    ("qwen3-vl", "Qwen3-VL", "Qwen/Qwen3-VL-8B-Instruct", date(2025, 9, 1)),
):
    _add_judges_over(
        _model,
        _title,
        _part("qwen_vl:QwenVL", checkpoint=_checkpoint, precision="bfloat16"),
        _released,
        (
            _SOFT_TIFA_GM,
            ("soft-tifa-am", "Soft-TIFA AM", SOFT_TIFA, "answers", {"mean": "arithmetic"}),
            _TIFA,
            ("dsg", "DSG", DSG, "answers", NOTHING),
            ("vqa-score", "VQAScore", VQA_SCORE, "answers", {"wording": "geneval2"}),
            ("chain-of-thought", "Chain of thought", CHAIN_OF_THOUGHT, "talk", NOTHING),
        ),
    )

_OLDER_MODELS: tuple[tuple[str, str, dict[str, str], date | None], ...] = (
    ("llava", "LLaVA 1.5", {"checkpoint": "llava-hf/llava-1.5-13b-hf"}, date(2023, 10, 1)),
    (
        "instructblip",
        "InstructBLIP",
        {"checkpoint": "Salesforce/instructblip-flan-t5-xxl", "template": _QUESTION},
        date(2023, 6, 1),
    ),
    (
        "blip2",
        "BLIP-2",
        {
            "checkpoint": "Salesforce/blip2-flan-t5-xxl",
            "template": f"Question: {_QUESTION} Answer:",
        },
        date(2023, 1, 1),
    ),
    ("image-text", "a model of your own", {}, None),
)
# The older models that VQAScore is compared with, and any other model by its checkpoint.
for _model, _title, _options, _released_on in _OLDER_MODELS:
    _add_judges_over(
        _model,
        _title,
        _part("image_text:ImageTextModel", precision="bfloat16", **_options),
        _released_on,
        (
            _SOFT_TIFA_GM,
            ("vqa-score", "VQAScore", VQA_SCORE, "answers", {"wording": "clip-flant5"}),
            _TIFA,
        ),
    )


def entry(name: str) -> Entry:
    try:
        return JUDGES[name]
    except KeyError:
        known = ", ".join(sorted(JUDGES))
        raise JudgeRefused(
            f"There is no judge named “{shown_name(name)}”. Known judges: {known}."
        ) from None


def load(path: str) -> Any:
    """The class at one of this file's own paths."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
