"""What every engine with weights has in common: quick to make, loaded once, identified by facts."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from judges.engines.shared import weights
from judges.protocols import Engine


class CheckpointEngine(Engine):
    _net: Any  # the model, once it is loaded
    libraries: tuple[str, ...] = ("torch", "transformers")
    has_revisions = True  # False where weights are a file, or a library knows no revisions

    def __init__(
        self,
        checkpoint: str = "",
        revision: str = "",
        device: str = "auto",
        precision: str = "float32",
        batch: int = 8,
        **options: Any,
    ) -> None:
        """`options`: those of this kind of engine that change its results; they become facts."""
        if batch < 1:
            raise ValueError("a batch holds at least one picture")
        if revision and not self.has_revisions:
            raise ValueError(f"{type(self).__name__} knows no revisions; leave the option out")
        self.checkpoint = checkpoint
        self.revision = revision
        self.device = device
        self.precision = precision
        self.batch = batch
        self._options = options
        self._is_loaded = False
        self._door = threading.Lock()

    @property
    def facts(self) -> Mapping[str, str]:
        options = {name: str(value) for name, value in self._options.items()}
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
