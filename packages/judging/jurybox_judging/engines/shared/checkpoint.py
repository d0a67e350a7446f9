"""What every engine with weights has in common: quick to make, loaded once, identified by facts."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from jurybox_judging.engines.shared import memory, tensor_files, weight_facts, weight_files, weights
from jurybox_judging.engines.shared.batches import Growing
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weight_files import Tensor
from jurybox_judging.errors import (
    EngineRefused,
    JudgeRefused,
    MemoryFull,
    clause_of,
    first_line,
    is_time_limit,
)
from jurybox_judging.options import Declared, choice, declared, free_text, real, weights_of, whole
from jurybox_judging.protocols import Engine

MOST_PICTURES = 1_024
_DEVICE = re.compile(r"auto|cpu|mps|(cuda|xpu)(:[0-9]{1,2})?")
# No slash: refs/pr/1 would be anybody's proposal to change a repository.
_REVISION = re.compile(r"[A-Za-z0-9._\-]{0,64}")

SWIN_LAST_NORM = {
    r"swin\.layernorm\.(weight|bias)$": "a detector reads each stage of Swin through a norm of its "
    "own; the one after the last stage is for classification"
}


def checkpoint_of(
    default: str = "", help: str = "Its weights: a folder or a name on a hub."
) -> Any:
    return weights_of(default, help)


def pictures(default: int) -> Any:
    return whole(default, "Pictures in one call.", minimum=1, maximum=MOST_PICTURES)


def pictures_or_found(default: int) -> Any:
    return whole(
        default,
        "Pictures in one call; 0: found by itself, twice as many each time until the memory is full.",
        minimum=0,
        maximum=MOST_PICTURES,
    )


def floor_of(default: float) -> Any:
    return real(
        default, "Detections with a higher score are told.", minimum=0, maximum=1, is_fact=True
    )


@dataclass(eq=False)
class CheckpointEngine(Engine, Declared):
    checkpoint: str = checkpoint_of()
    revision: str = free_text(
        "",
        "Which version of a repository on the hub; empty: its main one.",
        fits=lambda value: _REVISION.fullmatch(value) is not None,
        form="the name of a branch or tag or a hash, without “/”",
    )
    device: str = free_text(
        "auto",
        "Where it computes; “auto” takes a GPU where there is one.",
        fits=lambda value: _DEVICE.fullmatch(value) is not None,
        form="such as auto, cpu, cuda or cuda:1",
    )
    precision: str = choice("float32", weights.PRECISIONS, "In which numbers it computes.")
    batch: int = pictures_or_found(8)
    _net: Any = field(init=False, repr=False)  # the model, once it is loaded

    libraries: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    # False where weights are a file, or a library knows no revisions
    has_revisions: ClassVar[bool] = True
    # Whether the model may lie on several GPUs: only where it alone is called, as a whole.
    may_be_split: ClassVar[bool] = False
    # Weights that the library declares and no answer depends on, each with the reason: published
    # files made by other versions of the library lack them. A test fills each with other numbers.
    never_used: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.revision and not self.has_revisions:
            raise ValueError(f"{type(self).__name__} knows no revisions; leave the option out.")
        self._is_loaded = False
        self._door = threading.Lock()
        if self.batch == 0:
            told = declared(type(self))
            named = tuple((n, str(getattr(self, n))) for n in told if n != "batch")
            self.growing = Growing((self.identity, self.version, named), told["batch"].default)
            self.batch = self.growing.start

    @property
    def facts(self) -> Mapping[str, str]:
        options = {n: str(getattr(self, n)) for n, o in declared(type(self)).items() if o.is_fact}
        return options | weight_facts.facts(
            self.checkpoint,
            self.revision,
            self.device,
            self.precision,
            self.libraries,
            on_a_hub=self.has_revisions,
        )

    @property
    def weights_at(self) -> str:
        """The checkpoint as libraries take it: of “owner/name:file”, the file in the cache."""
        return weight_files.local(self.checkpoint, self.revision)

    @property
    def gpu(self) -> str:
        """The name of the GPU that it computes on; empty where it is none."""
        device = weights.pick_device(self.device)
        return prepare().cuda.get_device_name(device) if device.startswith("cuda") else ""

    def load(self) -> None:
        with self._door:
            if not self._is_loaded:
                with self._named_failures():
                    weight_files.fetch(self.checkpoint, self.revision)
                    self._load_where_there_is_room()
                self._is_loaded = True

    def compare_keys(self) -> bool:
        """Whether the keys in the files' headers were compared with the model's: refuses where they
        do not fit, and is False where that needs the whole file."""
        try:
            with headers_alone(), self._named_failures():
                try:
                    self._load()
                except weights.KeysFit:
                    return True
        finally:
            self.__dict__.pop("_net", None)
        return False

    def _load_where_there_is_room(self) -> None:
        """Once more without the engines of other judges, where those fill the memory."""
        try:
            with weights.memory_guard():
                self._load()
                return
        except MemoryFull:
            self.__dict__.pop("_net", None)
        memory.make_room()
        self._load()

    @contextmanager
    def _named_failures(self) -> Iterator[None]:
        """Whatever a library raises while it loads is about the weights or this machine: trying again
        would change nothing, so the run stops with the reason."""
        try:
            with weights.memory_guard():
                yield
        except JudgeRefused:
            raise
        except MemoryFull as error:
            self.__dict__.pop("_net", None)
            raise EngineRefused(
                f"“{self.checkpoint}” does not fit into memory: {clause_of(error)}. Choose a larger device, or "
                "bfloat16 as the precision."
            ) from error
        except Exception as error:
            if is_time_limit(error):
                raise
            raise EngineRefused(
                f"“{self.checkpoint}” cannot be loaded: {first_line(error)}"
            ) from error

    def _load(self) -> None:
        raise NotImplementedError

    def _model(self, model_class: Any, **options: Any) -> Any:
        return weights.load_model(
            model_class,
            self.checkpoint,
            revision=self.revision,
            device=self.device,
            may_be_split=self.may_be_split,
            **{"precision": self.precision, "never_used": tuple(self.never_used), **options},
        )

    def _processor(self, processor_class: Any, checkpoint: str = "", **options: Any) -> Any:
        if checkpoint:
            return weights.load_processor(processor_class, checkpoint, **options)
        return weights.load_processor(
            processor_class, self.checkpoint, revision=self.revision, **options
        )


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
