"""Options as somebody sends them who wants more than to judge pictures; always the same for a seed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from jurybox_judging import catalogue, registry
from jurybox_judging.options import Option

PATHS = (
    *("/etc/passwd", "/proc/self/environ", "/dev/zero", "/", "~", "~root/.ssh", "~/.ssh/id_rsa"),
    *("~nobody-at-all/x", "../../../../etc/shadow", "./weights", "file:///etc/passwd"),
    *("local-dir:/etc", "local-dir:~", "local-dir:local-dir:/etc"),
    r"\\host\share",
    "/etc/passwd\0.safetensors",
    "/" + "a/" * 90,
    "{allowed}/../secret",
    "{allowed}/link",
    "{allowed}/link/../../etc/passwd",
    "{allowed}",
    "{allowed}/weights.safetensors",
)
HUBS = (
    *("evil/repository", "hf-hub:evil/repository", "hf-hub:/etc", "hf-hub:../x"),
    *("openai/../../etc", "Salesforce/..", "owner/name@refs/pr/1", "allowed/anything"),
    *("allowed/..", "openai"),
)
ADDRESSES = (
    *("http://169.254.169.254/latest/meta-data", "http://127.0.0.1:6379"),
    *("http://127.0.0.1:8001/v1", "http://localhost:8001@evil.example/"),
    *("http://127.0.0.1:99999", "https://[::1]:22/", "https://evil.example/v1"),
    *("gopher://127.0.0.1:6379/_x", "//evil.example", "http://"),
)
MODULES = (
    *("os:system", "subprocess:Popen", "turtledemo.clock:main", "this:s", "antigravity"),
    *("spacy:this", "spacy:/etc", "builtins:eval", "jurybox_judging.text_similarity:letters"),
    *("__import__('os')", "refs/pr/1"),
)
TEXTS = (
    "",
    " ",
    "abc",
    "yes please",
    "true",
    "{}",
    "{prompt}{prompt}",
    "{question}",
    "<image>{question}",
    "%s%n",
    "<script>alert(1)</script>",
    "' OR 1=1 --",
    "\ud800",
    "a\0b",
    "a" * 2**20,
    "9" * 5_000,
    "#12345",
    "original",
)
NUMBERS = (
    -3,
    -1,
    0,
    1,
    2,
    0.5,
    -0.0,
    1e308,
    5e-324,
    math.nan,
    math.inf,
    -math.inf,
    2**31,
    2**63,
    10**400,
    10**5_000,
)


def _nested(depth: int) -> list:
    inner: list = []
    for _ in range(depth):
        inner = [inner]
    return inner


ODD = (
    None,
    True,
    False,
    [],
    {},
    [None],
    ["a"] * 50_000,
    {"type": "os.system", "args": "id"},
    {"_delete_": True, "__class__": "x"},
    {"a": math.nan},
    {"model": "dearer"},
    {1: 2},
    b"bytes",
    {"a"},
    (1, 2),
    _nested(50),
    _nested(50_000),
)


def cases(seed: int, allowed: Path) -> Iterator[tuple[str, dict[Any, Any]]]:
    """A judge and some options for it, without end. `allowed` is the folder that may be named."""
    rng = Random(seed)
    names = [name for name in catalogue.JUDGES if not registry.why_not(name)]
    declared = {name: registry.declared_options(name) for name in names}
    while True:
        name = rng.choice(names)
        chosen = rng.sample(sorted(declared[name]), min(len(declared[name]), rng.choice((1, 1, 2))))
        options = {option: _value(rng, declared[name][option], allowed) for option in chosen}
        if rng.random() < 0.05:
            options[rng.choice(("no_such", "objects.", ".", "eyes.x", "__class__", 7))] = 1
        yield name, options


def _value(rng: Random, option: Option, allowed: Path) -> Any:
    kinds = (PATHS, HUBS, ADDRESSES, MODULES, TEXTS, NUMBERS, ODD)
    if rng.random() < 0.3:
        return _near(rng, option)
    value = rng.choice(rng.choice(kinds))
    return value.replace("{allowed}", str(allowed)) if isinstance(value, str) else value


def _near(rng: Random, option: Option) -> Any:
    """What fits, or nearly."""
    ends = [end for end in (option.minimum, option.maximum) if end is not None]
    near = [option.default, *option.choices, *ends, *(end + 1 for end in ends)]
    if option.longest:
        near.append("a" * rng.choice((1, option.longest, option.longest + 1)))
    return rng.choice(near)
