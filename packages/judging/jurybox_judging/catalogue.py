"""The judges that can be started by name: those of the files in packages/judging/jurybox_judging/recipes/shipped/, and the
recipes that people of this installation have added.

Nothing is imported until it is used, so a missing library is a sentence, not a crash.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from jurybox_judging import host
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.options import shown_name
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.names import ENGINES, NOTHING
from jurybox_judging.recipes.read import read_all, read_one

BUILTIN = (ENGINES["builtin"].path, NOTHING)
# Each a family of judges; judges are listed in the order of these names.
SHIPPED = Path(__file__).parent / "recipes" / "shipped"


def _shipped() -> dict[str, Entry]:
    files = sorted(SHIPPED.glob("*.toml"))
    texts = {file.name: file.read_text(encoding="utf-8") for file in files}
    return {n: entry for name, text in texts.items() for n, entry in read_all(text, name)}


JUDGES: dict[str, Entry] = _shipped()
_lent: dict[str, str] = {}


def entry(name: str) -> Entry:
    found = find(name)
    if found is None:
        known = ", ".join(sorted(JUDGES))
        raise JudgeRefused(
            f"There is no judge named “{shown_name(name)}”. Known judges: {known}; and the recipes "
            "of this installation."
        )
    return found


def find(name: str) -> Entry | None:
    if name in JUDGES:
        return JUDGES[name]
    text = _lent.get(name) or host.current().recipe(name)
    return None if text is None else read_own(text)


def lend(name: str, text: str) -> None:
    """A recipe for a process that has no database to find it in."""
    _lent[name] = text


@lru_cache(maxsize=512)
def read_own(text: str) -> Entry:
    return replace(read_one(text)[1], is_own=True)
