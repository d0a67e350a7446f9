"""Nothing that comes in is ever run: no pickle, no eval, no weights that bring code with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = {"pickle", "_pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
CALLS = {"eval", "exec", "compile", "__import__"}
# Loads that are safe only with a word: (what is called, the word, its value).
LOADS = {
    ("torch", "load"): ("weights_only", True),
    ("yaml", "load"): ("Loader", None),
    ("numpy", "load"): ("allow_pickle", False),
    ("np", "load"): ("allow_pickle", False),
}


def found_in(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in MODULES:
                    yield f"import {alias.name}"
        elif isinstance(node, ast.ImportFrom):
            if (node.module or "").partition(".")[0] in MODULES:
                yield f"import {node.module}"
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in CALLS:
                yield node.func.id
            called = names(node.func)
            given = {word.arg: word.value for word in node.keywords}
            if called in LOADS:
                word, wanted = LOADS[called]
                value = given.get(word)
                if not isinstance(value, ast.Constant) or value.value is not wanted:
                    yield ".".join(called)
            for word in ("allow_pickle", "trust_remote_code"):
                value = given.get(word)
                if value is not None and getattr(value, "value", True) is not False:
                    yield word


def names(node: ast.expr) -> tuple[str, str] | None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id, node.attr
    return None


def test_nothing_that_comes_in_is_run():
    found = set()
    for app in ("annotations", "judges", "audit", "packages"):
        for path in sorted((ROOT / app).rglob("*.py")):
            place = str(path.relative_to(ROOT))
            found |= {(place, what) for what in found_in(path.read_text(encoding="utf-8"))}
    assert found == set()


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import pickle", "import pickle"),
        ("from shelve import open", "import shelve"),
        ("x = eval('1')", "eval"),
        ("torch.load('a')", "torch.load"),
        ("torch.load('a', weights_only=False)", "torch.load"),
        ("yaml.load(x)", "yaml.load"),
        ("np.load(x, allow_pickle=True)", "np.load"),
        ("data.read_array(x, allow_pickle=some)", "allow_pickle"),
        ("Model.from_pretrained('a', trust_remote_code=True)", "trust_remote_code"),
    ],
)
def test_it_would_be_found(source, what):
    assert what in set(found_in(source))


@pytest.mark.parametrize(
    "source",
    ["torch.load('a', weights_only=True)", "model.eval()", "re.compile('a')", "json.load(x)"],
)
def test_what_runs_nothing_is_let_be(source):
    assert list(found_in(source)) == []


def test_weights_are_read_in_few_places():
    """There no code beside them is imported; open_clip is told the same where it is called."""
    readers = {"from_pretrained", "create_model_from_pretrained", "load_file"}
    called: dict[str, set[str]] = {}
    for path in chain((ROOT / "judges").rglob("*.py"), (ROOT / "packages/judging").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                own = names(node.func) == ("torch", "load")
                if own or name in readers:
                    called.setdefault(path.name, set()).add(name)
    assert called == {
        "weights.py": {"from_pretrained"},
        "tensor_files.py": {"load", "load_file"},
        "clip.py": {"create_model_from_pretrained"},
        # Reads no file: it is given names and shapes, and tensors of one number.
        "checkpoint.py": {"from_pretrained"},
        # Tensors that were read already: no file and no code beside one.
        "reward_head.py": {"from_pretrained"},
        # Whole pipelines, safetensors only, with no code of the folder.
        "pipelines.py": {"from_pretrained"},
    }
    given = {
        word.arg: getattr(word.value, "value", None)
        for node in ast.walk(
            ast.parse((ROOT / "packages/judging/jurybox_judging/engines/clip.py").read_text())
        )
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") == "create_model_from_pretrained"
        for word in node.keywords
    }
    assert given["weights_only"] is True


def test_messages_between_processes_are_json_alone(settings):
    assert settings.CELERY_TASK_SERIALIZER == "json"
    assert settings.CELERY_ACCEPT_CONTENT == ["json"]
    assert "Pickle" not in getattr(settings, "SESSION_SERIALIZER", "")
