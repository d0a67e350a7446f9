"""Mask2Former through MMDetection: GenEval's own detector, from its 2.x and 3.x checkpoints.

Nothing is compiled and nothing downloaded: `mmcv-lite` lacks the compiled operators. Mask2Former
needs only one of them, on a GPU and for speed. So a stand-in lets the library import, and raises a
clear error when another detector calls a missing operator.
"""

from __future__ import annotations

import collections
import importlib.util
import io
import logging
import pickle
import re
import sys
import types
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from judges.engines.shared import weights
from judges.engines.shared.coco_names import geneval_names
from judges.engines.shared.lean_masks import ShrunkFeatures, attend, replaced
from judges.engines.shared.mask_transformer import MaskTransformer
from judges.engines.shared.torch_setup import prepare
from judges.errors import EngineRefused

CONFIG = "mask2former_swin-s-p4-w7-224_8xb2-lsj-50e_coco"
_log = logging.getLogger(__name__)


class MMDetection(MaskTransformer):
    """`checkpoint`: a file; `config`: a file, or the name of a Mask2Former config that MMDetection
    ships."""

    identity = "judges.engines.mmdetection:MMDetection"
    version = "mmdetection-1"
    has_revisions = False
    libraries = ("torch", "mmdet", "mmcv-lite", "mmcv", "mmengine")

    def __init__(
        self,
        checkpoint: str = "",
        revision: str = "",
        device: str = "auto",
        precision: str = "float32",
        batch: int = 4,
        floor: float = 0.05,
        long_side: int = 1333,
        short_side: int = 800,
        config: str = CONFIG,
    ) -> None:
        described = weights.facts(config, libraries=())
        name = f"{described['checkpoint']} {described.get('content', '')}".strip()
        super().__init__(
            checkpoint,
            revision,
            device,
            precision,
            batch,
            floor,
            long_side,
            short_side,
            config=name,
        )
        self._config = config

    def _load(self) -> None:
        weights.pick_precision(self.precision)
        state, meta = read_checkpoint(weights.check_named(self.checkpoint))
        model = build(self._config)
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


def build(config: str) -> Any:
    """The model of a config, without weights or parts for training; nothing is downloaded."""
    mmdet = library()
    path = Path(config).expanduser()
    if not path.is_file():
        folder = Path(mmdet.__file__).parent / ".mim" / "configs" / "mask2former"
        path = folder / f"{config}.py"
    if not path.is_file():
        raise EngineRefused(f"There is no Mask2Former config “{config}” in MMDetection.")
    from mmdet.registry import MODELS
    from mmengine.config import Config

    with _quiet():
        model = Config.fromfile(path).model
        if model.get("type") != "Mask2Former":
            raise EngineRefused(
                f"“{config}” describes a {model.get('type')}; only Mask2Former is read here, since "
                "other detectors need compiled operators."
            )
        model.backbone.init_cfg = None
        # Gates and data for training would ask for batch augmentation and losses.
        model.data_preprocessor.batch_augments = None
        return MODELS.build(model)


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
    """The tensors and the metadata of a checkpoint.

    Checkpoints of this family hold the history of their training as objects, which a safe load
    refuses. They are read again with an inert stand-in for every such object: no code of the file
    runs, and only tensors and plain values come out.
    """
    file = Path(path).expanduser()
    torch = prepare()
    if file.suffix == ".safetensors":
        return weights.load_state(file), {}
    try:
        held = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        _log.warning("“%s” holds more than tensors; the rest of it is left out.", file.name)
        held = _read_inert(file)
    except Exception as error:
        raise EngineRefused(f"“{file.name}” cannot be read: {error}") from error
    state = held.get("state_dict", held)
    return dict(state), dict(held.get("meta") or {})


def _read_inert(file: Path) -> dict[str, Any]:
    torch = prepare()
    careful = types.SimpleNamespace(
        __name__="careful", Unpickler=_Inert, load=lambda data, **_: _Inert(data).load()
    )
    try:
        return torch.load(file, map_location="cpu", weights_only=False, pickle_module=careful)  # noqa: S614
    except Exception as error:
        raise EngineRefused(f"“{file.name}” cannot be read: {error}") from error


class _Inert(pickle.Unpickler):
    """Rebuilds tensors and plain containers; every other object becomes a `_InertObject`."""

    def __init__(self, data: io.BufferedIOBase, **_: Any) -> None:
        super().__init__(data, encoding="utf-8")

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if module == "torch._utils" and name in ("_rebuild_tensor_v2", "_rebuild_parameter"):
            return super().find_class(module, name)
        if module == "torch" and name.endswith("Storage"):
            return super().find_class(module, name)
        return _InertObject


class _InertObject:
    """Stands for an object of an untrusted file: accepts any call, does nothing."""

    def __new__(cls, *_: Any, **__: Any) -> _InertObject:
        return super().__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __setstate__(self, _: Any) -> None:
        pass

    def __setitem__(self, *_: Any) -> None:
        pass

    def append(self, _: Any) -> None:
        pass

    def extend(self, _: Any) -> None:
        pass
