"""Whether a checkpoint is of the kind that an engine loads: what it is, and what is needed, by name.

Loaded into another class, a model fits in a few weights, and the refusal names hundreds of others.
"""

from __future__ import annotations

from typing import Any

from jurybox_judging.engines.shared import weight_files
from jurybox_judging.errors import EngineRefused

# What the library's automatic classes take, in words, with examples.
_NEEDED = {
    "AutoModelForImageTextToText": "reads pictures and text and writes text, such as Qwen2.5-VL, LLaVA or "
    "Gemma 3",
    "AutoModelForDepthEstimation": "estimates depth, such as DPT or Depth Anything",
}


def expect_fit(model_class: Any, checkpoint: str, revision: str = "") -> None:
    """By its config.json, where that is on this machine; a kind that the library does not know says nothing."""
    found = weight_files.find(checkpoint, revision)
    if found is None or not (found.root / "config.json").is_file():
        return
    kind = weight_files.configuration(found.root).get("model_type")
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    if not isinstance(kind, str) or kind not in CONFIG_MAPPING:
        return
    families = getattr(model_class, "_model_mapping", None)
    if families is not None:
        if CONFIG_MAPPING[kind] in families:
            return
        needed = _NEEDED.get(model_class.__name__, f"the library loads as {model_class.__name__}")
        raise EngineRefused(f"“{checkpoint}” is a {kind}; this judge needs a model that {needed}.")
    wanted = getattr(model_class.config_class, "model_type", "")
    if wanted and kind != wanted:
        raise EngineRefused(f"“{checkpoint}” is a {kind}; this judge needs a {wanted}.")
