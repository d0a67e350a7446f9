"""Mask2Former through MMDetection: GenEval's own detector, from its 2.x and 3.x checkpoints.

Nothing is compiled and nothing downloaded: `mmcv-lite` lacks the compiled operators. Mask2Former
needs only one of them, on a GPU and for speed. So a stand-in lets the library import, and raises a
clear error when another detector calls a missing operator.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import types
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jurybox_judging.engines.detection.coco_names import geneval_names
from jurybox_judging.engines.detection.lean_masks import ShrunkFeatures, attend, replaced
from jurybox_judging.engines.detection.mask_transformer import MaskTransformer
from jurybox_judging.engines.shared import tensor_files, weights
from jurybox_judging.engines.shared.checkpoint import checkpoint_of
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused
from jurybox_judging.options import choice

NAMES = {"mmdetection": {"class": "MMDetection", "needs": ("torch", "mmdet", "mmengine", "mmcv")}}

CONFIG = "mask2former_swin-s-p4-w7-224_8xb2-lsj-50e_coco"
# All that MMDetection ships. By name only: a configuration is code, which mmengine runs.
CONFIGS = (
    CONFIG,
    "mask2former_swin-t-p4-w7-224_8xb2-lsj-50e_coco",
    "mask2former_r50_8xb2-lsj-50e_coco",
    "mask2former_r101_8xb2-lsj-50e_coco",
    *(
        f"mask2former_{backbone}_coco-panoptic"
        for backbone in (
            "r50_8xb2-lsj-50e",
            "r101_8xb2-lsj-50e",
            "swin-t-p4-w7-224_8xb2-lsj-50e",
            "swin-s-p4-w7-224_8xb2-lsj-50e",
            "swin-b-p4-w12-384_8xb2-lsj-50e",
            "swin-b-p4-w12-384-in21k_8xb2-lsj-50e",
            "swin-l-p4-w12-384-in21k_16xb1-lsj-100e",
        )
    ),
)


@dataclass(eq=False)
class MMDetection(MaskTransformer):
    checkpoint: str = checkpoint_of(help="Its weights: a file.")
    config: str = choice(
        CONFIG, CONFIGS, "Which of the configurations that MMDetection ships.", is_fact=True
    )

    identity = "judges.engines.mmdetection:MMDetection"
    version = "mmdetection-1"
    has_revisions = False
    libraries = ("torch", "mmdet", "mmcv-lite", "mmcv", "mmengine")

    def _load(self) -> None:
        weights.pick_precision(self.precision)
        state, meta = read_checkpoint(weights.check_named(self.weights_at))
        model = build(config_file(self.config))
        _fill(model, modern_keys(state), Path(self.checkpoint).name)
        self._net = model.to(weights.pick_device(self.device)).eval()
        names = (meta.get("dataset_meta") or {}).get("classes") or meta.get("CLASSES")
        if names:
            self.classes = geneval_names(names)
        if len(self.classes) != self._net.panoptic_head.num_things_classes:
            raise EngineRefused(
                f"“{Path(self.checkpoint).name}” names {len(self.classes)} classes, its config "
                f"{self._net.panoptic_head.num_things_classes}: one of them is another model's."
            )

    def _queries(self, pixels: Any) -> tuple[Any, Any]:
        from mmcv.ops import multi_scale_deform_attn

        head = self._net.panoptic_head
        features = ShrunkFeatures()

        def lean(states: Any, whole: Any, size: Any) -> tuple[Any, Any, Any]:
            states = head.transformer_decoder.post_norm(states)
            queries = head.mask_embed(states)
            hidden = features.attention(queries, whole, size, head.num_heads)
            return head.cls_embed(states), queries, hidden

        with (
            _quiet(),
            replaced(head, "_forward_head", lean),
            replaced(multi_scale_deform_attn, "multi_scale_deformable_attn_pytorch", attend),
        ):
            likely, queries = head(self._net.extract_feat(pixels), [])
        return likely[-1], features.maps(queries[-1])


def build(config: Path) -> Any:
    """The model of a config, without weights or parts for training; nothing is downloaded."""
    library()
    from mmdet.registry import MODELS
    from mmengine.config import Config

    with _quiet():
        model = Config.fromfile(config).model
        if model.get("type") != "Mask2Former":
            raise EngineRefused(
                f"“{config.stem}” describes a {model.get('type')}; only Mask2Former is read here, since "
                "other detectors need compiled operators."
            )
        model.backbone.init_cfg = None
        # Gates and data for training would ask for batch augmentation and losses.
        model.data_preprocessor.batch_augments = None
        return MODELS.build(model)


def config_file(name: str) -> Path:
    """Where the installed library keeps the configuration of this name."""
    path = Path(library().__file__).parent / ".mim" / "configs" / "mask2former" / f"{name}.py"
    if name not in CONFIGS or not path.is_file():
        raise EngineRefused(f"There is no Mask2Former config “{name[:80]}” in MMDetection.")
    return path


@cache
def library() -> Any:
    """MMDetection, with a stand-in where mmcv's compiled operators are missing."""
    prepare()
    if importlib.util.find_spec("mmcv") is None or importlib.util.find_spec("mmdet") is None:
        raise EngineRefused("MMDetection is not installed here: install requirements.txt.")
    with _quiet(), _operators():
        import mmdet
        import mmdet.models
        from mmengine.registry import init_default_scope

        init_default_scope("mmdet")
    return mmdet


@contextmanager
def _operators() -> Iterator[None]:
    """A stand-in while mmcv imports; removed afterwards, lest it be taken for the real one."""
    absent = importlib.util.find_spec("mmcv._ext") is None
    if absent:
        sys.modules["mmcv._ext"] = _Absent("mmcv._ext")
    try:
        import mmcv.ops  # noqa: F401

        yield
    finally:
        if absent:
            del sys.modules["mmcv._ext"]
    if absent:
        # The attention then runs in plain torch on a GPU too.
        from mmcv.ops import multi_scale_deform_attn

        multi_scale_deform_attn.IS_CUDA_AVAILABLE = False


class _Absent(types.ModuleType):
    """Has every operator by name, so that mmcv imports; calling one raises a clear error."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def absent(*_: Any, **__: Any) -> None:
            raise EngineRefused(
                f"This detector needs the compiled operator “{name}”, which mmcv-lite does not "
                "have: install mmcv 2.1.0 built with operators, or choose Mask2Former."
            )

        return absent


class _quiet(warnings.catch_warnings):
    """Silences warnings about old calls inside the library."""

    def __enter__(self) -> Any:
        log = super().__enter__()
        warnings.simplefilter("ignore")
        return log


def _fill(model: Any, state: Mapping[str, Any], name: str) -> None:
    own = model.state_dict()
    misshapen = [key for key in own.keys() & state.keys() if own[key].shape != state[key].shape]
    weights.check_keys(
        name,
        missing=own.keys() - state.keys(),
        unexpected=state.keys() - own.keys(),
        mismatched=misshapen,
    )
    weights.end_of_comparison()
    # Only buffers that were never learned may still be absent.
    model.load_state_dict(state, strict=False)


# What the 2.x line called attentions.0 and attentions.1 has names since 3.0.
_RENAMED = (
    (r"(pixel_decoder\.encoder\.layers\.\d+)\.attentions\.0\.", r"\1.self_attn."),
    (r"(transformer_decoder\.layers\.\d+)\.attentions\.0\.", r"\1.cross_attn."),
    (r"(transformer_decoder\.layers\.\d+)\.attentions\.1\.", r"\1.self_attn."),
    (r"(panoptic_head\..*\.layers\.\d+)\.ffns\.0\.", r"\1.ffn."),
)


def modern_keys(state: Mapping[str, Any]) -> dict[str, Any]:
    """The weights of a 2.x checkpoint under the names of 3.x; those of 3.x as they are."""
    renamed = {}
    for key, value in state.items():
        for old, new in _RENAMED:
            key = re.sub(old, new, key)
        renamed[key] = value
    return renamed


def read_checkpoint(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tensors and the metadata of a checkpoint; the history of its training is left out."""
    file = Path(path).expanduser()
    held = tensor_files.load_held(file)
    return dict(held.get("state_dict", held)), dict(held.get("meta") or {})
