"""Whether the weights of a checkpoint fit, from the headers of its files: no tensor is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from jurybox_judging.engines.shared import tensor_files, weight_files, weights
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weight_files import Tensor
from jurybox_judging.errors import EngineRefused


@contextmanager
def headers_alone() -> Iterator[None]:
    """Within it, loading a model compares the keys and raises `weights.KeysFit`, or refuses."""
    token = weights.instead_of_loading.set(_compare)
    try:
        yield
    finally:
        weights.instead_of_loading.reset(token)


def _compare(
    model_class: Any,
    checkpoint: str,
    tensors: Mapping[str, Tensor] | None,
    revision: str,
    may_differ: tuple[Sequence[str], Iterable[str]],
    options: Mapping[str, Any],
) -> None:
    """The library loads tensors of the headers' shapes that all hold one and the same number."""
    found = weight_files.find(checkpoint, revision)
    if tensors is None and found is not None:
        tensors = tensor_files.headers(found)
    if tensors is None:
        raise EngineRefused(
            f"“{checkpoint}” has no files here with headers: its keys are compared when it is loaded."
        )
    torch = prepare()
    nought = torch.zeros(())
    # One number in memory, seen as many: a tensor of any shape costs nothing.
    empty = {key: nought.expand(tensor.shape) for key, tensor in tensors.items()}
    chosen, settings = _class_and_settings(model_class, checkpoint, revision)
    _, loading = chosen.from_pretrained(
        None,
        config=settings,
        state_dict=empty,
        dtype=torch.float32,
        output_loading_info=True,
        ignore_mismatched_sizes=True,
        **options,
    )
    ignore, never_used = may_differ
    weights.check_loading(checkpoint, loading, ignore, never_used)
    weights.end_of_comparison()


def _class_and_settings(model_class: Any, checkpoint: str, revision: str) -> tuple[Any, Any]:
    """An automatic class knows the true one by the settings only."""
    families = getattr(model_class, "_model_mapping", None)
    if families is None:
        kind = model_class.config_class
        return model_class, weights.load_processor(kind, checkpoint, revision=revision)
    from transformers import AutoConfig

    settings = weights.load_processor(AutoConfig, checkpoint, revision=revision)
    return families[type(settings)], settings
