"""What an import did: the counts, refusals and warnings that `import_* --json` prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext, ngettext

from annotations.imports.turn import Turn
from annotations.language.counts import count_things, list_words
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.records import Missing, Rejected, Remark

# So many refused rows are named one by one; a file of a million bad ones must not fill the memory.
NAMED = 10_000
COUNTS = (
    *("prompts", "atoms", "prompt_pictures", "images", "generators"),
    *("annotations", "answers", "scores"),
)
# What the next turn of an import that was put off goes on with.
KEPT = (
    *(*COUNTS, "unchanged", "read", "rejected", "missing", "warnings"),
    *("rejected_in_all", "missing_in_all"),
)


@dataclass(slots=True)
class Outcome:
    prompts: int = 0
    atoms: int = 0
    prompt_pictures: int = 0
    images: int = 0
    generators: int = 0
    annotations: int = 0
    answers: int = 0
    scores: int = 0
    unchanged: int = 0
    rejected: list[dict[str, Any]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    rejected_in_all: int = 0
    missing_in_all: int = 0
    dry_run: bool = False
    progress: Callable[[int], None] | None = None
    read: int = 0
    turn: Turn | None = None

    def __post_init__(self) -> None:
        """What earlier turns did is among it."""
        if self.turn is not None:
            for name, value in self.turn.outcome.items():
                setattr(self, name, value)

    def put_off(self, records: int) -> None:
        """So many records of the source are written, and others come first."""
        assert self.turn is not None
        self.turn.stop(records, {name: getattr(self, name) for name in KEPT})

    def reject(
        self, *, line: int, field: str, value: object, reason: str, source: str = ""
    ) -> None:
        self.rejected_in_all += 1
        if len(self.rejected) < NAMED:
            shown = value if isinstance(value, int | float | str | None) else str(value)
            shown = shown[:200] if isinstance(shown, str) else shown
            row = {"line": line, "field": field, "value": shown, "reason": reason}
            self.rejected.append(row | ({"file": source} if source else {}))

    def note(self, record: Rejected | Missing | Remark) -> None:
        """What a reader says about its source."""
        if isinstance(record, Rejected):
            self.reject(**record._asdict())
        elif isinstance(record, Missing):
            self.lack([record.what])
        else:
            self.warn(record.words)

    def warn(self, words: str) -> None:
        """Once, however often the source or the next turn says it."""
        if words not in self.warnings:
            self.warnings.append(words)

    def lack(self, names: Iterable[str]) -> None:
        """Counts all that is missing, and names the first."""
        for what in names:
            self.missing_in_all += 1
            if len(self.missing) < NAMED:
                self.missing.append(what)

    def step(self, count: int) -> None:
        """So many more rows of the source are read and written."""
        self.read += count
        if self.progress is not None:
            self.progress(self.read)

    def show_pictures(self, count: int) -> None:
        """So many pictures of the batch in hand are done; `step` counts them once it is written."""
        if self.progress is not None:
            self.progress(self.read + count)

    @property
    def changes(self) -> int:
        return sum(getattr(self, name) for name in COUNTS)

    def as_json(self) -> dict[str, Any]:
        counts = {name: getattr(self, name) for name in COUNTS}
        # Only studies of edits have them.
        result = {name: n for name, n in counts.items() if n or name != "prompt_pictures"}
        result |= {"unchanged": self.unchanged, "rejected": self.rejected}
        if self.rejected_in_all > len(self.rejected):
            result["rejected_in_all"] = self.rejected_in_all
        result |= {"missing": self.missing, "warnings": self.warnings}
        if self.missing_in_all > len(self.missing):
            result["missing_in_all"] = self.missing_in_all
        return result | ({"dry_run": True} if self.dry_run else {})

    def as_text(self) -> str:
        """The same for people."""
        lines = [*sentences(self.as_json()), *self.warnings]
        if self.missing:
            lines.append(f"Missing ({self.missing_in_all}):")
            lines += [f"  {what}" for what in self.missing[:20]]
            if self.missing_in_all > 20:
                lines.append(f"  … and {self.missing_in_all - 20} more (--json names them).")
        if self.rejected_in_all:
            lines.append(f"Refused ({self.rejected_in_all}):")
            for row in self.rejected[:50]:
                place = f"{row.get('file', '')} line {row['line']}".strip()
                lines.append(f"  {place}, {row['field']} = {row['value']!r}: {row['reason']}")
            if self.rejected_in_all > 50:
                lines.append(f"  … and {self.rejected_in_all - 50} more (--json names them).")
        return "\n".join(lines)


def sentences(outcome: dict[str, Any]) -> list[str]:
    """What was imported, and what the study had already."""
    done = [count_things(outcome[name], name) for name in COUNTS if outcome.get(name)]
    imported = gettext("Imported %(what)s.")
    if outcome.get("dry_run"):
        imported = gettext("Would import %(what)s.")
    lines = [imported % {"what": list_words(done)} if done else gettext("Nothing is new.")]
    if number := outcome["unchanged"]:
        words = ngettext(
            "%(number)s row was there already and is unchanged.",
            "%(number)s rows were there already and are unchanged.",
            number,
        )
        lines.append(words % {"number": number})
    return lines


def reject(outcome: Outcome, record: Any, unfit: Unfit) -> None:
    outcome.reject(
        line=record.line,
        field=unfit.field,
        value=unfit.value,
        reason=unfit.reason,
        source=record.source,
    )
