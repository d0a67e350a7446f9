"""What a recipe may name: methods and engines, each by a short name from a fixed table.

A recipe never names a module. Nothing is imported until a judge is built or its options are read.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

# What an engine may answer, in the order in which answers build on each other, and the verb
# that does it.
VERBS = {
    "objects": "detect",
    "colors": "colors",
    "depth": "depths",
    "writing": "read_text",
    "similarity": "similarities",
    "reward": "rewards",
    "answers": "answer",
    "talk": "talk",
}
KINDS = tuple(VERBS)
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class MethodName:
    """`parts`: the engines that it asks; `more`: those that it can do without. With the option that
    `instead` names, it asks another one."""

    path: str
    parts: tuple[str, ...]
    more: tuple[str, ...] = ()
    instead: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def required_methods(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        for (option, value), part in self.instead.items():
            if options.get(option) == value:
                return (part,)
        return self.parts


@dataclass(frozen=True, slots=True)
class EngineName:
    path: str
    needs: tuple[str, ...] = ()  # the packages that it needs


def _method(path: str, *parts: str, **more: Any) -> MethodName:
    return MethodName(f"judges.methods.{path}", parts, **more)


def _engine(path: str, *needs: str) -> EngineName:
    return EngineName(f"judges.engines.{path}", needs)


METHODS = {
    "geneval": _method("geneval:GenEval", "objects", more=("colors",)),
    "align-score": _method("align_score:AlignScore", "objects", more=("colors",)),
    "compbench-2d": _method("compbench:Spatial2D", "objects"),
    "compbench-3d": _method("compbench:Spatial3D", "objects", "depth"),
    "compbench-numeracy": _method("compbench:Numeracy", "objects"),
    "compbench-3-in-1": _method("compbench:ThreeInOne", "objects", "answers", "similarity"),
    "read-text": _method("read_text:ReadText", "writing"),
    "kept-rest": _method("kept_rest:KeptRest", "answers"),
    "reward": _method("rewards.reward:RewardScore", "reward"),
    "clip-score": _method("clip_score:ClipScore", "similarity"),
    "blip-vqa": _method("blip_vqa:BlipVqa", "answers"),
    "vqa-score": _method("vqa_score:VqaScore", "answers"),
    "soft-tifa": _method("soft_tifa:SoftTifa", "answers"),
    "tifa": _method("tifa:Tifa", "answers", instead={("form", "free"): "talk"}),
    "dsg": _method("dsg:Dsg", "answers", instead={("wording", "gpt-4o"): "talk"}),
    "weighted-points": _method(
        "rewards.weighted_points:WeightedPoints", "answers", more=("similarity",)
    ),
    "weighted-tokens": _method("weighted_tokens:WeightedTokens", "answers"),
    "chain-of-thought": _method("chain_of_thought:ChainOfThought", "talk"),
    "checklist": _method("checklist:Checklist", "talk"),
    "edit-form": _method("edit_form:EditForm", "talk"),
}
_TORCH = ("torch", "transformers")
_OPEN_CLIP = ("torch", "open_clip")
ENGINES = {
    "builtin": _engine("builtin:BuiltinEngine"),
    "from-file": _engine("from_file:FromFile"),
    "mmdetection": _engine("mmdetection:MMDetection", "torch", "mmdet", "mmengine", "mmcv"),
    "mask2former": _engine("mask2former:Mask2Former", *_TORCH),
    "grounding-dino": _engine("open_vocabulary:GroundingDino", *_TORCH),
    "owlv2": _engine("open_vocabulary:Owlv2", *_TORCH),
    "depth": _engine("depth:Depth", *_TORCH),
    "open-clip": _engine("clip:OpenClip", *_OPEN_CLIP),
    "transformers-clip": _engine("clip:TransformersClip", *_TORCH),
    "dual-encoder": _engine("dual_encoder:DualEncoder", *_TORCH),
    "blip-itm": _engine("blip_itm:BlipItm", *_TORCH),
    "blip2-itm": _engine("blip_itm:Blip2Itm", *_TORCH),
    "pick-score": _engine("preference:PickScore", *_TORCH),
    "hps-v2": _engine("preference:HPSv2", *_OPEN_CLIP),
    "image-reward": _engine("preference:ImageReward", *_TORCH),
    "reward-head": _engine("reward_head:RewardHead", *_TORCH),
    "blip-vqa": _engine("blip_vqa:BlipVqa", *_TORCH),
    "clip-flant5": _engine("clip_flant5:ClipFlanT5", *_TORCH),
    "qwen-vl": _engine("qwen_vl:QwenVL", *_TORCH),
    "image-text": _engine("image_text:ImageTextModel", *_TORCH),
    "pixel-difference": _engine("pixel_difference:PixelDifference"),
    "rapidocr": _engine("rapid_ocr:RapidOcr", "rapidocr", "onnxruntime"),
    "server": _engine("openai_server:OpenAIServer"),
}


def load(path: str) -> Any:
    """The class at one of this file's own paths."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def kinds_of(engine: Any) -> tuple[str, ...]:
    """What this class of engines can answer."""
    return tuple(kind for kind, verb in VERBS.items() if callable(getattr(engine, verb, None)))
