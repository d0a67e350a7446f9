"""A small run of the kills between steps, so that it does not rot: `make chaos` has the long one."""

from __future__ import annotations

import pytest

from tests.chaos import between_steps


@pytest.mark.nightly("processes that kill themselves; each part's own tests end it at one place")
def test_what_is_killed_and_begun_again_ends_as_if_it_was_not(tmp_path, capsys):
    with between_steps.bases("sqlite", tmp_path) as there:
        wrong = [
            line
            for operation in between_steps.OPERATIONS
            for line in between_steps.kills("sqlite", operation, there[operation], tmp_path, 2)
        ]
    assert wrong == []
