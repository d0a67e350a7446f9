"""A worker with another build of the same libraries goes on; one with other versions does not."""

from __future__ import annotations

import pytest

from judges.models import Judge
from judges.runs.score_chunk import changes

CODE = {"method": "m", "method_version": "1", "engine": "e", "engine_version": "1"}


def _differs(was, now):
    frozen = Judge(**CODE, facts={"answers": {"libraries": was, "key": "a"}})
    return changes(frozen, {**CODE, "facts": {"answers": {"libraries": now, "key": "b"}}})


@pytest.mark.parametrize(
    "now",
    ["torch 2.13.0+cu130 transformers 5.23.0", "torch 2.13.0 transformers 5.23.0"],
)
def test_another_build_of_the_same_version_goes_on(now):
    assert _differs("torch 2.13.0+cpu transformers 5.23.0", now) == ""


def test_another_version_does_not():
    changed = _differs("torch 2.13.0+cpu", "torch 2.14.0+cpu")
    assert changed == "libraries of answers was “torch 2.13.0” and is “torch 2.14.0” here"


def test_the_build_is_left_out_of_versions_alone():
    frozen = Judge(**CODE, facts={"answers": {"checkpoint": "v1+a"}})
    here = {**CODE, "facts": {"answers": {"checkpoint": "v1+b"}}}
    assert "v1+a" in changes(frozen, here)
