"""One quick question to the hub before a library asks it: without a network, libraries try for minutes and
fill the log with warnings, and say at the end that some file is missing.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jurybox_judging.engines.shared import weight_files
from jurybox_judging.errors import EngineRefused, first_line

SECONDS = 8.0  # for the one attempt
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
# What was answered once; a library fetches several files of one repository, one after the other.
_answered: set[tuple[str, str]] = set()


def from_hub(load: Callable[..., Any], checkpoint: str, revision: str = "") -> Any:
    """What `load` makes of a checkpoint: from the cache without a word to the hub where that holds it, else
    after the hub has answered."""
    if not is_repository(checkpoint):
        return load()
    if weight_files.in_cache(checkpoint, revision) is not None:
        try:
            return load(local_files_only=True)
        except OSError:
            pass  # The cache has some files of it only.
    expect_reachable(checkpoint, revision)
    return load()


def is_repository(checkpoint: str) -> bool:
    """“owner/name”, and nothing that lies on this machine."""
    there = Path(checkpoint).expanduser().exists()
    return _REPOSITORY.fullmatch(checkpoint) is not None and not there


def expect_reachable(repository: str, revision: str = "") -> None:
    """Refuses in a sentence, after one attempt of a few seconds, what could not be fetched."""
    if (repository, revision) in _answered:
        return
    if importlib.util.find_spec("huggingface_hub") is None:
        raise EngineRefused(
            f"“{repository}” is fetched by the library huggingface_hub: install it, or give a folder."
        )
    from huggingface_hub import HfApi

    try:
        HfApi().model_info(repository, revision=revision or None, timeout=SECONDS)
    except Exception as error:
        raise EngineRefused(_why_not(repository, revision, error)) from error
    _answered.add((repository, revision))


def _why_not(repository: str, revision: str, error: Exception) -> str:
    # By their names, since the library has moved and rebuilt its errors more than once.
    names = {kind.__name__ for kind in type(error).__mro__}
    if "GatedRepoError" in names:
        return (
            f"“{repository}” is given only to who has agreed to its terms: agree on its page, then log in "
            "with `hf auth login`."
        )
    if "RevisionNotFoundError" in names:
        return f"“{repository}” has no version “{revision}”."
    if "RepositoryNotFoundError" in names:
        return (
            f"The hub has no “{repository}”, or not for this account; and there is no folder of that name "
            "on this machine."
        )
    if "OfflineModeIsEnabled" in names:
        return (
            f"“{repository}” is not on this machine, which is set to ask no hub (HF_HUB_OFFLINE). "
            f"{_elsewhere(repository)}"
        )
    words = first_line(error).rstrip(".")
    return (
        f"“{repository}” is not on this machine, and the hub does not answer: {words}. "
        f"{_elsewhere(repository)}"
    )


def _elsewhere(repository: str) -> str:
    return (
        f"Fetch it where there is a network (`hf download {repository}`), and copy the folder here or give "
        "its path."
    )
