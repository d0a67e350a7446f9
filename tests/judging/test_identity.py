"""A judge stays the same judge when its files move: fingerprints and keys of looks are pinned."""

import pytest

from jurybox_judging import catalogue, registry, stored_form
from jurybox_judging.protocols import ColorOf, DepthOf, Objects, Question, Similarity, Talk
from tests.judging.pins import PINNED, fingerprint_of


@pytest.mark.parametrize("name", PINNED)
def test_a_judge_keeps_its_fingerprint(name):
    if reason := registry.why_not(name):
        pytest.skip(reason)
    assert fingerprint_of(name) == PINNED[name]


def test_no_pinned_judge_is_gone():
    assert PINNED.keys() <= catalogue.JUDGES.keys()


@pytest.mark.nightly("a release pins new judges; the quick tests hold what is pinned")
def test_every_judge_of_the_catalogue_is_pinned():
    assert PINNED.keys() == catalogue.JUDGES.keys(), "make judge-tables"


def test_no_two_engines_and_no_two_methods_share_an_identity():
    paths = {path for entry in catalogue.JUDGES.values() for path, _ in entry.parts.values()}
    engines = [registry.load(path) for path in sorted(paths)]
    methods = [registry.load(m) for m in sorted({e.method for e in catalogue.JUDGES.values()})]
    for kinds in (engines, methods):
        # On the class itself: an inherited identity would be somebody else's.
        identities = [vars(kind)["identity"] for kind in kinds]
        assert len(set(identities)) == len(kinds)


def test_the_key_of_looks_does_not_depend_on_where_the_engine_lives(monkeypatch):
    here = registry.build("geneval-builtin", {}).keys

    class Elsewhere(registry.load("jurybox_judging.engines.builtin:BuiltinEngine")):
        """The same engine in another module."""

    registry.forget_engines()
    load = registry.load
    monkeypatch.setattr(
        registry, "load", lambda path: Elsewhere if "engines.builtin" in path else load(path)
    )
    assert registry.build("geneval-builtin", {}).keys == here
    registry.forget_engines()


OBJECTS = Objects(("cup", "bowl"))
# What is asked of an engine -> the key of its answer, for a detector with its own list and without.
KEYS = [
    (OBJECTS, "8ec2f8796e364503", "a0ac3574c391d655"),
    (
        ColorOf(OBJECTS, 1, "cup", ("red", "blue"), ("a photo of a {color} {noun}",)),
        "a6c82a4f05686a95",
        "449d556ca09bea79",
    ),
    (DepthOf((1.0, 2.0, 3.0, 4.0)), "7184e616d7273497", "7184e616d7273497"),
    (Similarity("a red cup"), "99e685a56ebe7092", "99e685a56ebe7092"),
    (Question("Is it red?", ("yes", "Yes"), "share"), "4f0742fd09c8d53d", "4f0742fd09c8d53d"),
    (Talk(("Is it red?",)), "2d26adb2b136b97b", "2d26adb2b136b97b"),
]


@pytest.mark.parametrize(("want", "closed", "open_"), KEYS)
def test_a_stored_look_is_found_again_under_its_key(want, closed, open_):
    assert stored_form.key_of(stored_form.want_as_json(want, closed=True)) == closed
    assert stored_form.key_of(stored_form.want_as_json(want, closed=False)) == open_
