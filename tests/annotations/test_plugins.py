"""Plug-ins that raise, end the process, hang, or return nonsense: a sentence, and no number."""

from __future__ import annotations

import math
import threading

import pytest

from jurybox_formats import plugins
from jurybox_formats.plugins import PluginFailed, atom_reader
from jurybox_formats.registry import with_atoms
from jurybox_formats.sources.records import PromptRecord
from jurybox_judging.noun_phrases import reader
from jurybox_judging.text_similarity import nearest, similarity


def raises(*given):
    raise KeyError("/srv/secret/model.bin is gone")


def ends(*given):
    raise SystemExit(0)


def hangs(*given):
    threading.Event().wait(20)


def nothing(*given):
    return None


def nan(*given):
    return [math.nan] * len(given[-1])


def too_few(*given):
    return [1.0]


def words(*given):
    return ["much"] * len(given[-1])


def infinite(*given):
    return [math.inf] * len(given[-1])


HARMS = {
    raises: "failed: KeyError: 'model.bin is gone'",
    ends: "failed: SystemExit: 0",
    hangs: "did not return within 0.2 s",
    nothing: "failed: TypeError",
    nan: "returned .* not what it is for",
    too_few: "returned .* not what it is for",
    words: "failed: ValueError",
    infinite: "returned .* not what it is for",
}
SIMILAR = "two dogs", ["one dog", "two cats", "three"]


@pytest.fixture(params=HARMS, ids=lambda harm: harm.__name__)
def harm(request, settings, monkeypatch):
    settings.JUDGE_PLUGINS = {"own": f"{__name__}:{request.param.__name__}"}
    monkeypatch.setattr(plugins, "SECONDS", 0.2 if request.param is hangs else 20)
    return HARMS[request.param]


def test_no_choice_is_nearest_by_a_broken_plug_in(harm):
    with pytest.raises(PluginFailed, match=harm):
        nearest(*SIMILAR, similarity("own"))


def test_no_phrases_and_no_atoms_come_of_a_broken_plug_in(harm):
    with pytest.raises(PluginFailed):
        reader("own")("a red car")
    prompt = PromptRecord(key="p", text="a red car")
    with pytest.raises(PluginFailed):
        list(with_atoms(iter([prompt]), atom_reader("own")))


def test_one_that_cannot_be_imported_is_named(settings, tmp_path, monkeypatch):
    (tmp_path / "broken_plug_in.py").write_text("raise SystemExit('no licence')")
    monkeypatch.syspath_prepend(tmp_path)
    settings.JUDGE_PLUGINS = {"own": "broken_plug_in:call"}
    with pytest.raises(ValueError, match="cannot be imported: SystemExit: no licence"):
        similarity("own")
