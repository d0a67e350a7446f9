"""What a picture is called says its prompt and which of its pictures it is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from jurybox_formats.sets.prompt_sets.items import Item

# Longer ones are no number of a prompt, and Python would not read them.
LONGEST_NUMBER = 100
# `12_3`, `C-MI-001-0`: the prompt, then which of its pictures.
_SAMPLE = re.compile(r"(.+)[-_](\d{1,4})")


class Names:
    def __init__(self, items: Mapping[str, Item]) -> None:
        self._by_name: dict[str, list[Item]] = defaultdict(list)
        self._by_key: dict[str, Item] = {}
        for item in items.values():
            self.add(item)

    def add(self, item: Item) -> None:
        self._by_name[item.name.lower()].append(item)
        self._by_key[item.key] = item

    def find_by_key(self, key: str) -> Item | None:
        return self._by_key.get(key)

    def find_all(self, stem: str) -> list[tuple[Item, int | None]]:
        """Each prompt that a picture of this name may belong to, whatever its folder."""
        found: dict[str, tuple[Item, int | None]] = {}
        for name, sample in _readings(stem):
            for item in self._by_name.get(name.lower(), []):
                found.setdefault(item.key, (item, sample))
        return list(found.values())

    def find(self, stem: str, folders: Sequence[str]) -> tuple[Item, int | None] | str:
        """The prompt and the sample, or why there is none. Numbers begin anew in each folder of some sets:
        then the folder must say which."""
        known = {folder.lower() for folder in folders}
        for name, sample in _readings(stem):
            fitting = self._by_name.get(name.lower(), [])
            exact = [item for item in fitting if {f.lower() for f in item.folders} <= known]
            # The one whose folders the path names most of.
            shared = [len({f.lower() for f in item.folders} & known) for item in exact or fitting]
            best = [
                item
                for item, there in zip(exact or fitting, shared, strict=True)
                if there == max(shared)
            ]
            if len(best) == 1:
                return best[0], sample
            if fitting:
                places = sorted({"/".join(item.folders) for item in best})[:6]
                return (
                    "Several prompts have this number; its folder must say which: "
                    f"{' or '.join(places)}."
                )
        return "No prompt has pictures of this name."


def picture_key(generator: str, item: Item, sample: int | None) -> str:
    """Of its image: one picture of a prompt needs no number."""
    return f"{generator}/{item.key}" + ("" if sample is None else f"/{sample}")


def _readings(stem: str) -> Iterator[tuple[str, int | None]]:
    match = _SAMPLE.fullmatch(stem)
    for name, sample in ((stem, None), (match[1], int(match[2])) if match else ("", None)):
        if name:
            yield name, sample
        if name.isdecimal() and len(name) < LONGEST_NUMBER:
            # `7` and `0007` are one number.
            yield str(int(name)), sample
            yield f"{int(name):04d}", sample
