"""The hash of the data behind a report is that of their JSON, however its text is put together."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from audit.reports import pairing

NAN = float("nan")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (np.array([]), "[]"),
        (np.array([0.0, 1.0, NAN, 0.5, 1.0]), "[0.0, 1.0, null, 0.5, 1.0]"),
        (np.array([0.0, -0.0]), "[0.0, -0.0]"),
        (np.array([True, False]), "[true, false]"),
        (np.array([12, 3, 12], dtype=np.int64), "[12, 3, 12]"),
        (np.array([NAN, NAN]), "[null, null]"),
    ],
)
def test_a_column_is_written_as_a_plain_list_is(values, text):
    sha = hashlib.sha256()
    pairing._hash(sha, [values])
    assert sha.hexdigest() == hashlib.sha256(f"[{text}]".encode()).hexdigest()


@pytest.mark.parametrize("kinds", [3, 200, 100_000])
def test_so_is_a_long_one_of_few_or_many_values_some_seen_late(kinds):
    rng = np.random.default_rng(1)
    values = rng.integers(0, kinds, 5_000) / 7
    values[2_000:2_003] = [NAN, 1e-9, 12.25]
    plain = [None if np.isnan(value) else value for value in values.tolist()]
    sha = hashlib.sha256()
    pairing._hash(sha, [values])
    assert sha.hexdigest() == hashlib.sha256(json.dumps([plain]).encode()).hexdigest()


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.0, NAN, 0.25, 1.0, 1.0, -0.0, 3.5]),
        np.array(["a", "ü", '"', "b", ""], dtype=object),
        (("tag",), (), ("tag", "other"), ("x",)),
        [None, "2024-01-01", None],
    ],
)
@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_what_is_hashed_some_values_at_a_time_is_hashed_as_one_list(values, block, monkeypatch):
    monkeypatch.setattr(pairing, "BLOCK", block)
    given = values.tolist() if isinstance(values, np.ndarray) else values
    plain = [None if value != value else value for value in given]
    sha = hashlib.sha256()
    pairing._hash(sha, iter([iter([values]), "word"]))
    text = json.dumps([[plain], "word"], ensure_ascii=False)
    assert sha.hexdigest() == hashlib.sha256(text.encode()).hexdigest()
