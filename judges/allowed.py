"""What an option may name of the machine and the network. Only the operator decides.

A researcher is trusted with the data, not with the machine: a folder, a file, a repository on a hub
or an address is used only as far as JUDGE_WEIGHTS and JUDGE_SERVERS allow it. The names of the
catalogue itself are always allowed. Nothing is opened to find out.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from django.conf import settings

from judges import servers
from jurybox_judging import catalogue
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.options import FILE, SERVER, WEIGHTS, Option, declared, shorten_value
from jurybox_judging.recipes.names import load

# What open_clip writes before a folder and before a repository.
_PREFIXES = ("local-dir:", "hf-hub:")


def check(name: str, option: Option, value: str) -> None:
    """Refuses what this option may not name; `name` is the option's own, for the sentence."""
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
