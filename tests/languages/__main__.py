"""python -m tests.languages: see `tests/languages/messages.py`."""

from __future__ import annotations

import os
from pathlib import Path

import django
import polib

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.languages.messages import (  # noqa: E402
    Message,
    all_messages,
    file_of,
    file_of_forms,
    languages,
    texts_of_forms,
)

PLURALS = {"de": "nplurals=2; plural=(n != 1);", "zh-hans": "nplurals=1; plural=0;"}


def write(path: Path, language: str, messages: dict[Message, list[str]]) -> int:
    """How many messages have no translation."""
    known = {
        (e.msgid, e.msgid_plural): e for e in (polib.pofile(str(path)) if path.exists() else ())
    }
    fresh = polib.POFile(wrapwidth=110)
    fresh.metadata = {
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Language": language,
        "Plural-Forms": PLURALS[language],
    }
    for message, places in sorted(messages.items()):
        entry = known.get(tuple(message)) or polib.POEntry(
            msgid=message.text,
            msgid_plural=message.plural,
            msgstr_plural={number: "" for number in range(1 + (language == "de"))}
            if message.plural
            else {},
        )
        entry.occurrences = [(place, "") for place in places]
        if "%" in message.text and "%(" in message.text and "python-format" not in entry.flags:
            entry.flags.append("python-format")
        fresh.append(entry)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh.save(str(path))
    fresh.save_as_mofile(str(path.with_suffix(".mo")))
    return len(fresh.untranslated_entries())


if __name__ == "__main__":
    for find_file, found in ((file_of, all_messages()), (file_of_forms, texts_of_forms())):
        for one in languages():
            path = find_file(one)
            print(f"{path.name}, {one}: {write(path, one, found)} without a translation")
