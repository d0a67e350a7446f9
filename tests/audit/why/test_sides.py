from types import SimpleNamespace

import pytest

from annotations.errors import Refused
from audit.why.sides import _judge


def of(*names):
    """Versions of one judge, as a report names them."""
    judges = [SimpleNamespace(name=name, facts={"name": "clip"}) for name in names]
    return SimpleNamespace(judges=judges, people=SimpleNamespace(study="shapes"))


def test_a_version_is_found_by_its_own_name_before_that_of_its_judge():
    assert _judge(of("clip", "clip · 2"), "clip").name == "clip"
    assert _judge(of("clip", "clip · 2"), "clip · 2").name == "clip · 2"
    assert _judge(of("clip · 2"), "clip").name == "clip · 2"


def test_a_name_of_several_versions_or_of_none_is_refused():
    with pytest.raises(
        Refused, match="more than one judge of study shapes: “clip · 1”, “clip · 2”"
    ):
        _judge(of("clip · 1", "clip · 2"), "clip")
    with pytest.raises(Refused, match="“other” has no scores in study shapes"):
        _judge(of("clip"), "other")
