"""What a part reads is in its key."""

from dataclasses import fields, replace
from datetime import date

import numpy as np
import pytest

from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, LeftOut, People
from audit.reports.sharing.parts import key_of
from jurybox_formats.forms.scales import Scale


def people() -> People:
    return People(
        study="shapes",
        question="aligned",
        scale=Scale("yes/no", 0, 1),
        images=np.array(["a", "b"], dtype=object),
        prompts=np.array([0, 1]),
        generators=np.array([0, 0]),
        variants=np.array(["original", "original"], dtype=object),
        tags=(("colour",), ()),
        atomicity=np.array([1.0, np.nan]),
        generator_names=("early",),
        release_dates=(date(2021, 1, 1),),
        ratings=np.array([[1.0, np.nan]]),
        raters=("ann",),
        forms=frozenset({"form 1", "form 2"}),
        annotations=1,
        simulated=False,
        decisions=np.array([np.nan, 0.0]),
        chances=np.array([0.5, 1.0]),
        drawn=np.array([True, False]),
        certain=np.array([False, False]),
        ids=np.array([1, 2]),
        own_prompts=np.array([0, 1]),
        left_out=LeftOut(3, np.array([0, 2]), (1,), {"shape": 1}, (2.0,), (), np.array([0, 1])),
    )


def judge() -> JudgeScores:
    return JudgeScores(
        name="some-judge",
        fingerprint="1",
        facts={"name": "some-judge", "options": {"threshold": 0.3}},
        release_date=date(2023, 1, 1),
        scores=np.array([0.5, np.nan]),
        verdicts=np.array([1.0, np.nan]),
        failed=np.array([False, True]),
        atom_kinds=np.array(["object"], dtype=object),
        atom_scores=np.array([0.5]),
        atom_labels=np.array([1.0]),
        atom_prompts=np.array([0]),
        atom_own_prompts=np.array([0]),
    )


def otherwise(value):
    """Nearly the same."""
    if isinstance(value, np.ndarray):
        other = value.copy()
        other.flat[0] = {"b": not other.flat[0], "O": "another"}.get(value.dtype.kind, 7)
        return other
    return {
        str: lambda: value + " ",
        int: lambda: value + 1,
        bool: lambda: not value,
        date: lambda: value.replace(day=2),
        dict: lambda: value | {"options": {"threshold": 0.4}},
        tuple: lambda: value[::-1] + value[:1],
        frozenset: lambda: value | {"form 3"},
        Scale: lambda: replace(value, high=2),
        LeftOut: lambda: replace(value, size=4),
    }[type(value)]()


@pytest.mark.parametrize("of", [people, judge], ids=lambda of: of.__name__)
def test_each_thing_that_is_known_of_people_and_judges_makes_another_key(of):
    known = of()
    keys = [key_of(known)]
    for field in fields(known):
        value = getattr(known, field.name)
        keys.append(key_of(replace(known, **{field.name: otherwise(value)})))
    assert len(set(keys)) == len(keys)
    assert key_of(of()) == keys[0]


def test_each_option_makes_another_key():
    usual = Options()
    others = [
        replace(usual, **{name: value})
        for name, value in {
            "question": "quality",
            "judges": ("a",),
            "seed": 1,
            "resamples": 3,
            "positive_at": 0.5,
            "threshold": 0.5,
            "consensus": "unanimous",
        }.items()
    ]
    assert len(others) == len(fields(Options))
    assert len({key_of(options) for options in [usual, *others]}) == len(others) + 1


def test_nothing_runs_together():
    assert key_of("ab", "c") != key_of("a", "bc")
    assert key_of(np.array([1.0])) != key_of(np.array([1.0]).view(np.int64))
    assert key_of(np.zeros((2, 3))) != key_of(np.zeros((3, 2)))
