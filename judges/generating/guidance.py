"""Revise-Then-Enforce's second half: one more direction in classifier-free guidance.

The pipelines of diffusers ask their denoiser about [nothing, prompt] at once and follow
e0 + g (ey - e0). Where the second half is answered by ey + h (e1 - e2), with e1 and e2 what the denoiser
says of the two prompts of a repair, the same pipeline follows

    e0 + g [(ey - e0) + h (e1 - e2)]

whatever its scheduler, for noise, for v and for velocities alike. The paper's equations 6 to 8 are in no text that
we could read: every form here is *inferred*. The first has no further parameter at h = 1, and both ablations that
the paper names are cases of it: `positive` (equation 8) leaves e2 out (the empty prompt stands for it), `negative`
(equation 7) leaves e1 out. Equations 6 and 7 can be read otherwise, too, and these readings have names of their own:

    reading from-prompt         ey + g h (e1 - e2)      word for word as king - man + woman
    variant classic-negative    e2 + g (ey - e2)        a negative prompt as pipelines have it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from annotations.errors import Refused

ENFORCE, POSITIVE, NEGATIVE, CLASSIC = "enforce", "positive", "negative", "classic-negative"
VARIANTS = (ENFORCE, POSITIVE, NEGATIVE, CLASSIC)
FROM_NOTHING, FROM_PROMPT = "from-nothing", "from-prompt"
READINGS = (FROM_NOTHING, FROM_PROMPT)
_FORMS = {
    FROM_NOTHING: "e0 + g[(ey - e0) + h(e1 - e2)]",
    FROM_PROMPT: "ey + g h(e1 - e2)",
    CLASSIC: "e2 + g(ey - e2)",
}
_UNREAD = "the paper's equations 6 to 8 are in no text that we could read"
FORM = f"inferred: {_FORMS[FROM_NOTHING]}; {_UNREAD}"


def form_of(variant: str, reading: str) -> str:
    """What stands beside every image that was made so."""
    return f"inferred: {_FORMS[CLASSIC if variant == CLASSIC else reading]}; {_UNREAD}"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a denoiser gets of a prompt, by the names of its own arguments; one row for each image.
    `added` goes into SDXL's `added_cond_kwargs`."""

    given: dict[str, Any]
    added: dict[str, Any]


@contextmanager
def enforced(
    denoiser: Any,
    wanted: Conditions,
    found: Conditions,
    *,
    strength: float = 1.0,
    reading: str = FROM_NOTHING,
) -> Iterator[None]:
    """While this holds, the denoiser leans from `found` towards `wanted` wherever it is guided. `reading`: one
    of READINGS, or CLASSIC, which asks about `found` alone."""
    plain, own = denoiser.forward, vars(denoiser).get("forward")
    denoiser.forward = _leaning(plain, wanted, found, strength, reading)
    try:
        yield
    finally:
        # The method of the class again, unless somebody had put another in its place.
        if own is None:
            del denoiser.forward
        else:
            denoiser.forward = own


def _leaning(
    plain: Callable[..., Any],
    wanted: Conditions,
    found: Conditions,
    strength: float,
    reading: str,
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
        nothing, prompt = sample[:half], sample[half:]
        told = []
        for conditions in (found,) if reading == CLASSIC else (found, wanted):
            other_args, other = _swap_prompt(args, given, conditions, half)
            said = plain(*other_args, **other)
            told.append(said[0] if isinstance(said, tuple) else said.sample)
        # The pipeline goes from the first of the two by g times the way to the second.
        if reading == CLASSIC:
            start, end = told[0], prompt
        else:
            start = prompt if reading == FROM_PROMPT else nothing
            end = prompt + strength * (told[1] - told[0])
        sample = torch.cat([start, end])
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
