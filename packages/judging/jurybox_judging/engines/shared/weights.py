"""Weights from a folder, a cache or a hub: loaded completely, or refused with the keys' names.

People lost weeks to checkpoints that fitted only in part: missing weights are filled at random, the
run goes on, and every score is noise. So a key that is missing, left over or of another shape stops
the run with its name.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from jurybox_judging.engines.shared import hub, memory, weight_files
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused, KeysDoNotFit, MemoryFull, first_line

# What the library's automatic classes take, in words, with examples.
_NEEDED = {
    "AutoModelForImageTextToText": "reads pictures and text and writes text, such as Qwen2.5-VL, LLaVA or "
    "Gemma 3",
    "AutoModelForDepthEstimation": "estimates depth, such as DPT or Depth Anything",
}


PRECISIONS = ("float32", "bfloat16", "float16")
# Buffers that hold no learned number; some versions of a library save them, others do not.
UNLEARNED = (r"position_ids$", r"inv_freq$", r"num_batches_tracked$", r"relative_position_index$")
_NAMED = 6  # keys of a kind that a sentence names
# Tensors alone are read of a file, and no code that lies beside them is imported.
_SAFELY = {"weights_only": True, "trust_remote_code": False}


class KeysFit(Exception):
    """Raised in the place of a model: the keys were compared, and they fit."""


# Within a check of the headers: what stands in for reading the weights.
instead_of_loading: ContextVar[Callable[..., None] | None] = ContextVar("instead", default=None)


def end_of_comparison() -> None:
    """For engines that fill a model by themselves, once its keys were found to fit: within a check of the
    headers the load ends here."""
    if instead_of_loading.get() is not None:
        raise KeysFit


def pick_device(name: str = "auto") -> str:
    torch = prepare()
    if name != "auto":
        return name
    return "cuda" if torch.cuda.is_available() else "cpu"


def pick_precision(name: str) -> Any:
    if name not in PRECISIONS:
        raise EngineRefused(f"The precision is one of {', '.join(PRECISIONS)}, not “{name}”.")
    return getattr(prepare(), name)


def load_model(
    model_class: Any,
    checkpoint: str,
    *,
    revision: str = "",
    device: str = "auto",
    precision: str = "float32",
    ignore: Sequence[str] = (),
    never_used: Iterable[str] = (),
    may_be_split: bool = False,
    **options: Any,
) -> Any:
    """A transformers model in evaluation mode, every weight of it read from the checkpoint, except
    those that no answer depends on. One that exceeds a GPU is laid on all of them, where it may."""
    dtype = pick_precision(precision)
    _expect_adapter_library(checkpoint)
    tensors = weight_files.expect_whole(check_named(checkpoint), revision)
    expect_fit(model_class, checkpoint, revision)
    if (instead := instead_of_loading.get()) is not None:
        instead(model_class, checkpoint, tensors, revision, (ignore, never_used), options)
    split = {}
    if tensors:
        split = _split(checkpoint, tensors, precision) if may_be_split and device == "auto" else {}
        if not split:
            memory.expect_room(checkpoint, tensors, pick_device(device), precision)

    def load(**more: Any) -> Any:
        return model_class.from_pretrained(
            checkpoint,
            revision=weight_files.pinned(checkpoint, revision),
            dtype=dtype,
            output_loading_info=True,
            # Not ignored: refused below, with the keys' names.
            ignore_mismatched_sizes=True,
            **_SAFELY,
            **split,
            **options,
            **more,
        )

    try:
        model, loading = hub.from_hub(load, checkpoint, revision)
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        raise EngineRefused(f"“{checkpoint}” cannot be loaded: {first_line(error)}") from error
    check_loading(checkpoint, loading, ignore, never_used)
    if not split and getattr(model, "hf_quantizer", None) is None:
        # Quantised weights stay where their library has put them.
        model = model.to(pick_device(device))
    check_numbers(checkpoint, model)
    return model.eval()


def _split(checkpoint: str, tensors: Mapping[str, Any], precision: str) -> dict[str, Any]:
    """Where the library lays the parts of a model that exceeds one GPU."""
    shares = memory.several_gpus(checkpoint, tensors, precision)
    return {"device_map": "auto", "max_memory": shares} if shares else {}


def check_numbers(checkpoint: str, model: Any) -> None:
    """Refuse weights that hold no numbers: every answer would be none."""
    torch = prepare()
    for name, weight in model.named_parameters():
        if weight.is_meta:
            continue  # of a split model: it is read when it is used
        if weight.is_floating_point() and not bool(torch.isfinite(weight).all()):
            raise EngineRefused(
                f"“{checkpoint}” holds infinite numbers or none at all in {name}: get the file again, "
                "or choose the precision that it was made for."
            )


def _expect_adapter_library(checkpoint: str) -> None:
    """Without its library, an adapter beside the weights would be silently ignored."""
    there = (Path(checkpoint).expanduser() / "adapter_config.json").is_file()
    if there and importlib.util.find_spec("peft") is None:
        raise EngineRefused(
            f"“{checkpoint}” holds an adapter (LoRA), which needs the library peft: "
            "install it, then start again."
        )


def load_processor(
    processor_class: Any, checkpoint: str, *, revision: str = "", **options: Any
) -> Any:
    def load(**more: Any) -> Any:
        return processor_class.from_pretrained(
            check_named(checkpoint),
            revision=weight_files.pinned(checkpoint, revision),
            trust_remote_code=False,
            **options,
            **more,
        )

    try:
        return hub.from_hub(load, check_named(checkpoint), revision)
    except (OSError, ValueError, ImportError) as error:
        raise EngineRefused(
            f"The processor of “{checkpoint}” cannot be loaded: {first_line(error)}"
        ) from error


def check_loading(
    checkpoint: str, loading: Mapping[str, Any], ignore: Sequence[str], never_used: Iterable[str]
) -> None:
    """Refuse what transformers says that it could not load."""
    check_keys(
        checkpoint,
        missing=loading["missing_keys"],
        unexpected=loading["unexpected_keys"],
        mismatched=[
            key[0] if isinstance(key, tuple) else key for key in loading["mismatched_keys"]
        ],
        ignore=ignore,
        never_used=never_used,
    )


def check_keys(
    checkpoint: str,
    *,
    missing: Iterable[str] = (),
    unexpected: Iterable[str] = (),
    mismatched: Iterable[str] = (),
    ignore: Sequence[str] = (),
    never_used: Iterable[str] = (),
) -> None:
    """Refuse weights that do not fit, with the names of the keys. What is never used may be absent."""
    harmless = re.compile("|".join((*UNLEARNED, *ignore)))
    unneeded = re.compile("|".join((*UNLEARNED, *ignore, *never_used)))
    troubles, misfits = [], {}
    for kind, words, keys, allowed in (
        ("missing", "lacks", missing, unneeded),
        ("unexpected", "has what the model does not know", unexpected, harmless),
        ("mismatched", "has in another shape", mismatched, harmless),
    ):
        named = sorted(key for key in keys if not allowed.search(key))
        misfits[kind] = named
        if named:
            more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
            troubles.append(f"it {words}: {', '.join(named[:_NAMED])}{more}")
    if troubles:
        raise KeysDoNotFit(
            f"The weights of “{checkpoint}” do not fit this model; {'; '.join(troubles)}. "
            "Scores of such a model would be noise, so nothing was scored.",
            misfits,
        )


def check_named(checkpoint: str) -> str:
    if not checkpoint:
        raise EngineRefused(
            "This engine needs a checkpoint: a folder with weights, or a name on a model hub."
        )
    return checkpoint


@contextmanager
def memory_guard() -> Iterator[None]:
    """Turns any lack of memory into MemoryFull: the batch was too large, no picture is at fault."""
    torch = prepare()
    try:
        yield
    except torch.OutOfMemoryError as error:
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        raise MemoryFull(first_line(error)) from error
    except MemoryError as error:
        raise MemoryFull("the machine has no memory left for this batch") from error


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
