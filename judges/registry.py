"""The judges that can be started by name: which method over which engines, one line each.

Nothing is imported until it is asked for, so a missing library is a sentence, not a crash.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from judges.errors import JudgeMissing, JudgeRefused
from judges.protocols import Engine, Method

NOTHING: Mapping[str, Any] = MappingProxyType({})
# What an engine may be asked for, in the order in which the answers build on each other.
KINDS = ("objects", "colors", "depth", "similarity", "answers", "talk")
SELF_TEST = "self_test"
# They change how fast an engine tells, not what.
PACE = {"batch", "device", "rows", "concurrency", "timeout", "attempts", "pause", "longest_pause"}


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


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge that can look: its method, its engines by kind, and the keys of what they tell."""

    name: str
    method: Method
    parts: Mapping[str, Engine]
    keys: Mapping[str, str]
    facts: Mapping[str, Mapping[str, str]]
    self_test: bool = True


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

# A detector of COCO's 80 classes: what it was never taught stays without a score.
COCO = {"unknown": "unscored", "synonyms": True}
# Its confidences are lower than UniDet's, for which the official limit of 0.5 is made.
OPEN = {"threshold": 0.3}

# Release dates: the model's where models are compared, else the paper's; the first of the month
# where only that is told.
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
    # --- they look for objects ---
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
    # --- they compare picture and text ---
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
    # --- they ask questions ---
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

# The same judges over each of the three models with which GenEval 2 compares them.
for _name, _title, _checkpoint, _released in (
    ("qwen2-vl", "Qwen2-VL", "Qwen/Qwen2-VL-7B-Instruct", date(2024, 8, 1)),
    ("qwen2.5-vl", "Qwen2.5-VL", "Qwen/Qwen2.5-VL-7B-Instruct", date(2025, 1, 1)),
    ("qwen3-vl", "Qwen3-VL", "Qwen/Qwen3-VL-8B-Instruct", date(2025, 9, 1)),
):
    _qwen = _part("qwen_vl:QwenVL", checkpoint=_checkpoint, precision="bfloat16")
    for _judge, _words, _method, _kind, _options in (
        ("soft-tifa-gm", "Soft-TIFA GM", SOFT_TIFA, "answers", {"mean": "geometric"}),
        ("soft-tifa-am", "Soft-TIFA AM", SOFT_TIFA, "answers", {"mean": "arithmetic"}),
        ("tifa", "TIFA", TIFA, "answers", {}),
        ("dsg", "DSG", DSG, "answers", {}),
        ("vqa-score", "VQAScore", VQA_SCORE, "answers", {"wording": "geneval2"}),
        ("chain-of-thought", "Chain of thought", CHAIN_OF_THOUGHT, "talk", {}),
    ):
        JUDGES[f"{_judge}-{_name}"] = Entry(
            f"{_words} ({_title})", _method, {_kind: _qwen}, _options, _released, TORCH
        )

# The older models of VQAScore's comparison, and any other one by its checkpoint.
for _name, _title, _part_of, _released in (
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
):
    _model = _part("image_text:ImageTextModel", precision="bfloat16", **_part_of)
    for _judge, _words, _method, _kind, _options in (
        ("soft-tifa-gm", "Soft-TIFA GM", SOFT_TIFA, "answers", {"mean": "geometric"}),
        ("vqa-score", "VQAScore", VQA_SCORE, "answers", {"wording": "clip-flant5"}),
        ("tifa", "TIFA", TIFA, "answers", {}),
    ):
        JUDGES[f"{_judge}-{_name}"] = Entry(
            f"{_words} ({_title})", _method, {_kind: _model}, _options, _released, TORCH
        )


def entry(name: str) -> Entry:
    try:
        return JUDGES[name]
    except KeyError:
        known = ", ".join(sorted(JUDGES))
        raise JudgeRefused(f"There is no judge named “{name}”. Known judges: {known}.") from None


def why_not(name: str) -> str:
    """What this machine lacks to run the judge, in a sentence; empty when it can run."""
    lacking = [module for module in entry(name).needs if importlib.util.find_spec(module) is None]
    if not lacking:
        return ""
    return f"Needs {', '.join(lacking)}: install requirements.txt, which holds the neural engines."


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Unknown, unusable and missing options are refused before a run exists."""
    build(name, options)
    for option, value in {**usual_options(name), **options}.items():
        if option.endswith(".checkpoint") and not value:
            raise JudgeRefused(
                f"“{name}” needs {option}: a file, a folder, or a name on a model hub."
            )


def identity(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """All that can change a score, as plain data."""
    chosen, built = entry(name), build(name, options)
    engines = {kind: built.parts[kind].identity.partition(":")[2] for kind in chosen.parts}
    versions = {kind: built.parts[kind].version for kind in engines}
    return {
        "method": built.method.identity,
        "method_version": built.method.version,
        "engine": _joined(engines),
        "engine_version": _joined(versions),
        "checkpoint": _joined(_told(built, "checkpoint")),
        "revision": _joined(_told(built, "revision")),
        "precision": _joined(_told(built, "precision")),
        "options": {**chosen.all_options, **options},
        "facts": {
            kind: {"engine": engines[kind], "key": built.keys[kind], **built.facts[kind]}
            for kind in engines
        },
    }


def fingerprint(identity: Mapping[str, Any]) -> str:
    return _digest(identity)


def build(name: str, options: Mapping[str, Any]) -> Judge:
    """The judge itself, ready to look; its engines are kept for the life of a worker."""
    lacking = why_not(name)
    if lacking:
        raise JudgeMissing(f"“{name}” cannot run here. {lacking}")
    chosen = entry(name)
    own, by_part = _sorted_out(chosen, options)
    self_test = own.pop(SELF_TEST, True)
    if not isinstance(self_test, bool):
        raise JudgeRefused(f"“{name}”: self_test is true or false, not “{self_test}”.")
    try:
        method = _load(chosen.method)(**own)
        parts = {
            kind: _engine(path, json.dumps(by_part[kind], sort_keys=True))
            for kind, (path, _) in chosen.parts.items()
        }
    except (TypeError, ValueError) as error:
        raise JudgeRefused(f"“{name}” does not take these options: {error}.") from error
    facts = {kind: dict(engine.facts) for kind, engine in parts.items()}
    keys = {
        kind: _digest(
            {
                "engine": parts[kind].identity,
                "version": parts[kind].version,
                "facts": facts[kind],
                "options": {k: v for k, v in by_part[kind].items() if k not in PACE},
            }
        )
        for kind in parts
    }
    if "colors" in keys and "objects" in keys:
        # A color belongs to the n-th object that one detector found.
        keys["colors"] = _digest([keys["objects"], keys["colors"]])
    return Judge(name, method, parts, keys, facts, self_test)


def as_value(text: str) -> Any:
    """An option as a person types it: 0.4, true, [1, 2], or just a text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def usual_options(name: str) -> dict[str, Any]:
    """Every option that the judge takes, with the value that it has when none is given."""
    chosen = entry(name)
    taken = {}
    for kind, (path, given) in chosen.parts.items():
        taken |= {f"{kind}.{k}": v for k, v in {**_defaults(_load(path)), **given}.items()}
    method = _load(chosen.method)
    own = dict(chosen.options)
    tested = own.pop(SELF_TEST, True)
    told = getattr(method(**own), "options", None)
    own = told if isinstance(told, Mapping) else {**_defaults(method), **own}
    return {**taken, **own, SELF_TEST: tested}


def whereabouts(checkpoint: str) -> str:
    """Whether these weights are here already, in words."""
    if Path(checkpoint).expanduser().exists():
        return "on this machine"
    if importlib.util.find_spec("huggingface_hub") is not None:
        from huggingface_hub.constants import HF_HUB_CACHE

        if (Path(HF_HUB_CACHE) / f"models--{checkpoint.replace('/', '--')}").is_dir():
            return "in this machine’s cache"
    return "to be fetched on first use"


def _sorted_out(
    chosen: Entry, options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The method's options, and those of each part."""
    own = dict(chosen.options)
    by_part = {kind: dict(given) for kind, (_, given) in chosen.parts.items()}
    for name, value in options.items():
        kind, dot, option = name.partition(".")
        if not dot:
            own[name] = value
        elif kind in by_part:
            by_part[kind][option] = value
        else:
            parts = ", ".join(chosen.parts)
            raise JudgeRefused(f"“{name}” is about no part of this judge; its parts: {parts}.")
    return own, by_part


def _defaults(made: Any) -> dict[str, Any]:
    return {
        name: parameter.default
        for name, parameter in inspect.signature(made).parameters.items()
        if parameter.default is not parameter.empty
    }


def _told(built: Judge, name: str) -> dict[str, str]:
    return {kind: str(facts[name]) for kind, facts in built.facts.items() if facts.get(name)}


def _joined(by_kind: Mapping[str, str]) -> str:
    """One text; the kinds are named only where the parts differ."""
    if len(set(by_kind.values())) <= 1:
        return next(iter(by_kind.values()), "")
    return ", ".join(f"{kind}: {value}" for kind, value in by_kind.items())


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# Weights fill a machine: only the engines of the last few judges are kept.
@lru_cache(maxsize=4)
def _engine(path: str, options: str) -> Engine:
    return _load(path)(**json.loads(options))


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
