"""What every engine with weights has in common: quick to make, loaded once, identified by facts."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from judges.engines.shared import weights
from judges.options import Declared, choice, declared, free_text, real, weights_of, whole
from judges.protocols import Engine

MOST_PICTURES = 1_024
_DEVICE = re.compile(r"auto|cpu|mps|(cuda|xpu)(:[0-9]{1,2})?")
# No slash: refs/pr/1 would be anybody's proposal to change a repository.
_REVISION = re.compile(r"[A-Za-z0-9._\-]{0,64}")


def checkpoint_of(
    default: str = "", help: str = "Its weights: a folder or a name on a hub."
) -> Any:
    return weights_of(default, help)


def pictures(default: int) -> Any:
    return whole(default, "Pictures in one call.", minimum=1, maximum=MOST_PICTURES)


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
    batch: int = pictures(8)
    _net: Any = field(init=False, repr=False)  # the model, once it is loaded

    libraries: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    # False where weights are a file, or a library knows no revisions
    has_revisions: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.revision and not self.has_revisions:
            raise ValueError(f"{type(self).__name__} knows no revisions; leave the option out.")
        self._is_loaded = False
        self._door = threading.Lock()

    @property
    def facts(self) -> Mapping[str, str]:
        options = {n: str(getattr(self, n)) for n, o in declared(self).items() if o.is_fact}
        return options | weights.facts(
            self.checkpoint, self.revision, self.device, self.precision, self.libraries
        )

    def load(self) -> None:
        with self._door:
            if not self._is_loaded:
                self._load()
                self._is_loaded = True

    def _load(self) -> None:
        raise NotImplementedError

    def _model(self, model_class: Any, **options: Any) -> Any:
        return weights.load_model(
            model_class,
            self.checkpoint,
            revision=self.revision,
            device=self.device,
            precision=self.precision,
            **options,
        )

    def _processor(self, processor_class: Any, checkpoint: str = "", **options: Any) -> Any:
        if checkpoint:
            return weights.load_processor(processor_class, checkpoint, **options)
        return weights.load_processor(
            processor_class, self.checkpoint, revision=self.revision, **options
        )
