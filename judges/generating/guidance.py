"""Revise-Then-Enforce's second half: one more direction in classifier-free guidance.

The pipelines of diffusers ask their denoiser about [nothing, prompt] at once and follow
e0 + g (ey - e0). Where the second half is answered by ey + h (e1 - e2), with e1 and e2 what the denoiser
says of the two prompts of a repair, the same pipeline follows

    e0 + g [(ey - e0) + h (e1 - e2)]

whatever its scheduler, for noise, for v and for velocities alike. The paper's equation 6 is in no text that we
could read: this form is *inferred*. It has no further parameter at h = 1, and both ablations that the paper
names are cases of it: `positive` leaves e2 out (the empty prompt stands for it), `negative` leaves e1 out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from annotations.errors import Refused

VARIANTS = ("enforce", "positive", "negative")
FORM = "inferred: e0 + g[(ey - e0) + h(e1 - e2)]; the paper's equation 6 is in no text that we could read"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a denoiser is told of a prompt, by the names of its own arguments; one row for each image.
    `added` goes into SDXL's `added_cond_kwargs`."""

    given: dict[str, Any]
    added: dict[str, Any]


@contextmanager
def enforced(
    denoiser: Any, wanted: Conditions, found: Conditions, *, strength: float = 1.0
) -> Iterator[None]:
    """While this holds, the denoiser leans from `found` towards `wanted` wherever it is guided."""
    plain, own = denoiser.forward, vars(denoiser).get("forward")
    denoiser.forward = _leaning(plain, wanted, found, strength)
    try:
        yield
    finally:
        # The method of the class again, unless somebody had put another in its place.
        if own is None:
            del denoiser.forward
        else:
            denoiser.forward = own


def _leaning(
    plain: Callable[..., Any], wanted: Conditions, found: Conditions, strength: float
) -> Callable[..., Any]:
    import torch

    def forward(*args: Any, **given: Any) -> Any:
        answer = plain(*args, **given)
        sample = answer[0] if isinstance(answer, tuple) else answer.sample
        if sample.shape[0] % 2:
            raise Refused(
                "The denoiser was asked about one prompt alone: there is no guidance to add to."
            )
        half = sample.shape[0] // 2
        told = []
        for conditions in (wanted, found):
            other_args, other = _swap_prompt(args, given, conditions, half)
            said = plain(*other_args, **other)
            told.append(said[0] if isinstance(said, tuple) else said.sample)
        leaning = sample[half:] + strength * (told[0] - told[1])
        sample = torch.cat([sample[:half], leaning])
        if isinstance(answer, tuple):
            return (sample, *answer[1:])
        answer.sample = sample
        return answer

    return forward


def _swap_prompt(
    args: tuple[Any, ...], given: dict[str, Any], conditions: Conditions, half: int
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same question, its guided half alone, about another prompt."""
    other = {name: _second_half(value, half) for name, value in given.items()}
    added = other.get("added_cond_kwargs")
    if isinstance(added, dict):
        added = {name: _second_half(value, half) for name, value in added.items()}
        added |= {name: _rows(value, half) for name, value in conditions.added.items()}
        other["added_cond_kwargs"] = added
    other |= {name: _rows(value, half) for name, value in conditions.given.items()}
    return tuple(_second_half(value, half) for value in args), other


def _second_half(value: Any, half: int) -> Any:
    """Of what has a row for each image; a time that all share stays as it is."""
    import torch

    if torch.is_tensor(value) and value.ndim and value.shape[0] == 2 * half:
        return value[half:]
    return value


def _rows(value: Any, half: int) -> Any:
    return value if value.shape[0] == half else value.expand(half, *value.shape[1:])
