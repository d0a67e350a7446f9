"""What the operator of this installation lets judges name, ask and spend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult

from django.conf import settings

from judges import installed, servers
from jurybox_judging import catalogue
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.host import Host
from jurybox_judging.options import FILE, SERVER, WEIGHTS, Option, declared, shorten_value
from jurybox_judging.recipes.names import load

# What open_clip writes before a folder and before a repository.
_PREFIXES = ("local-dir:", "hf-hub:")


class Installation(Host):
    def recipe(self, name: str) -> str | None:
        row = installed.recipe(name)
        return None if row is None else row.text

    def check_option(self, name: str, option: Option, value: str) -> None:
        check(name, option, value)

    def check_server(self, url: str) -> SplitResult:
        return servers.check_server(url)

    def secret_for(self, parts: SplitResult, model: str) -> str:
        return servers.secret_for(parts, model)

    def check_budget(self, model: str, server: str) -> None:
        servers.check_budget(model, server)

    def count_use(self, server: str, model: str, replies: Sequence[Mapping[str, Any]]) -> None:
        servers.count_use(server, model, replies)


def check(name: str, option: Option, value: str) -> None:
    """Refuses what this option may not name of the machine and the network; `name` is the option's own, for the
    sentence. A researcher is trusted with the data, not with the machine; nothing is opened to find out."""
    if option.names == SERVER:
        servers.check_server(value)
    elif (
        option.names == WEIGHTS
        and value
        and not _is_allowed_name(value)
        or option.names == FILE
        and value
    ):
        _check_path(name, value)


def _is_allowed_name(value: str) -> bool:
    name = value.removeprefix("hf-hub:")
    if name.startswith(("/", "~", ".")) or ".." in name:
        return False
    # A repository that is allowed is so with all its files: owner/name:file.
    repository = name.partition(":")[0]
    return name in catalogue_names() or any(
        # “owner/*” is every repository of this owner.
        fnmatchcase(repository, entry) if entry.endswith("/*") else entry in (name, repository)
        for entry in settings.JUDGE_WEIGHTS
        if not entry.startswith("/")
    )


def _check_path(name: str, value: str) -> None:
    """A path is resolved first: through links, “..” and “~”."""
    text = value
    for prefix in _PREFIXES:
        text = text.removeprefix(prefix)
    if text.startswith(("/", "~/")):
        try:
            path = Path(text).expanduser().resolve()
        except (OSError, RuntimeError, ValueError):
            path = None
        folders = [Path(entry).resolve() for entry in settings.JUDGE_WEIGHTS if entry[0] == "/"]
        if path is not None and any(path.is_relative_to(folder) for folder in folders):
            return
    raise JudgeRefused(
        f"“{name}” may not be {shorten_value(value)}. Who runs this installation can allow it: "
        "add the folder that holds it, or its name on a hub, to JUDGE_WEIGHTS."
    )


@cache
def catalogue_names() -> frozenset[str]:
    """The weights that engines and the catalogue name themselves."""
    names = set()
    for entry in catalogue.JUDGES.values():
        for path, given in entry.parts.values():
            options = {n: o for n, o in declared(load(path)).items() if o.names == WEIGHTS}
            names |= {given.get(name, option.default) for name, option in options.items()}
    return frozenset(names - {""})
