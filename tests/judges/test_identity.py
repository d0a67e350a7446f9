"""A judge stays the same judge when its files move: fingerprints and keys of looks are pinned."""

import json
from importlib import metadata
from pathlib import Path

import pytest

from judges import catalogue, registry
from judges.looks import store
from judges.protocols import ColorOf, DepthOf, Objects, Question, Similarity, Talk

PINNED = json.loads((Path(__file__).parent / "fingerprints.json").read_text())
# The versions with which the fingerprints were written down.
VERSIONS = {
    "numpy": "2.4.6",
    "scipy": "1.17.1",
    "pillow": "13.0.0",
    "torch": "2.13.0+cpu",
    "torchvision": "0.28.0",
    "transformers": "5.23.0",
    "open_clip_torch": "3.3.0",
    "mmdet": "3.3.0",
    "mmengine": "0.10.7",
    "mmcv-lite": "2.1.0",
    "rapidocr": "3.10.0",
    "onnxruntime": "1.32.0",
}


@pytest.fixture
def pinned_versions(monkeypatch):
    def version(package):
        try:
            return VERSIONS[package]
        except KeyError:
            raise metadata.PackageNotFoundError(package) from None

    monkeypatch.setattr(metadata, "version", version)
    registry.forget_engines()
    yield
    registry.forget_engines()


@pytest.mark.parametrize("name", PINNED)
def test_a_judge_keeps_its_fingerprint(name, pinned_versions):
    if reason := registry.why_not(name):
        pytest.skip(reason)
    assert registry.fingerprint(registry.identity(name, {})) == PINNED[name]


def test_every_judge_of_the_catalogue_is_pinned():
    assert PINNED.keys() == catalogue.JUDGES.keys()


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

    class Elsewhere(registry.load("judges.engines.builtin:BuiltinEngine")):
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
    assert store.key_of(store.want_as_json(want, closed=True)) == closed
    assert store.key_of(store.want_as_json(want, closed=False)) == open_
