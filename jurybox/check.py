"""`jurybox check`: fails when a judge no longer holds. For a continuous integration that uses judges."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jurybox.client import Client
from jurybox.connection import JuryboxError
from jurybox.facts import three_facts
from jurybox_stats.instrument.verdict import NOT_YET, OTHER_QUESTION, TRUST

FAILED, BAD_CALL, NOT_ENOUGH = 1, 2, 3
# Tables that may come beside labels and scores.
BESIDE = ("images", "generators")


@dataclass(frozen=True, slots=True)
class Verdict:
    judge: str
    passes: bool
    known: bool
    words: str


def main(arguments: list[str]) -> None:
    given = parser().parse_args(arguments)
    try:
        facts = three_facts(_report(given))
        verdicts = judge_verdicts(facts["judges"], given.judge, strict=given.strict)
    except JuryboxError as refusal:
        print(_without_commands(str(refusal)), file=sys.stderr)
        sys.exit(BAD_CALL)
    for verdict in verdicts:
        print(_line(verdict))
    _write_summary(verdicts)
    sys.exit(status_of(verdicts))


def status_of(verdicts: list[Verdict]) -> int:
    """Of a judge that is known to fail, else of one that is not known and may not pass for that."""
    failed = [verdict for verdict in verdicts if not verdict.passes]
    if not failed:
        return 0
    return FAILED if any(verdict.known for verdict in failed) else NOT_ENOUGH


def judge_verdicts(
    judges: Mapping[str, Any], wanted: list[str], *, strict: bool = False
) -> list[Verdict]:
    """`strict`: “not enough data yet” fails, too."""
    if missing := [name for name in wanted if name not in judges]:
        raise JuryboxError(
            f"The report has no judge {', '.join(missing)}. It has: {', '.join(judges) or 'none'}."
        )
    chosen = {name: judges[name] for name in wanted} if wanted else judges
    if not chosen:
        raise JuryboxError("The report has no judge to check.")
    return [_verdict(name, facts, strict) for name, facts in chosen.items()]


def _verdict(name: str, facts: Mapping[str, Any], strict: bool) -> Verdict:
    kind, words = facts["verdict"]["kind"], facts["words"]
    known = kind not in (NOT_YET, OTHER_QUESTION)
    return Verdict(name, kind == TRUST or not (known or strict), known, words)


def _report(given: argparse.Namespace) -> dict[str, Any]:
    if given.tables:
        return _report_of_tables(given)
    if not given.study:
        raise JuryboxError("Name a study (--study), or give two tables: labels.csv scores.csv.")
    return Client(address=given.address).get_newest_report(
        given.study, question=given.question or None
    )


def _report_of_tables(given: argparse.Namespace) -> dict[str, Any]:
    """In a process of its own: its database goes away with it."""
    if len(given.tables) != 2:
        raise JuryboxError("Two tables are compared: labels.csv scores.csv.")
    with tempfile.TemporaryDirectory(prefix="jurybox-check-") as folder:
        out = Path(folder) / "report.json"
        beside = [f"--{part}={path}" for part in BESIDE if (path := getattr(given, part))]
        if given.question:
            beside.append(f"--question={given.question}")
        program = "from jurybox.command import main; import sys; main(sys.argv[1:])"
        command = [sys.executable, "-c", program, "audit", *given.tables, *beside, f"--out={out}"]
        ran = subprocess.run(command, capture_output=True, text=True)  # noqa: S603 (our own program)
        if not out.exists():
            raise JuryboxError(ran.stderr.strip() or "The tables could not be audited.")
        body: dict[str, Any] = json.loads(out.read_text())
        return body


def _line(verdict: Verdict) -> str:
    """On GitHub a failure stands at the run, too."""
    words = _without_commands(verdict.words)
    if not _on_github() or (verdict.passes and verdict.known):
        return words
    return f"::{'warning' if verdict.passes else 'error'}::{words.replace('%', '%25')}"


def _without_commands(words: str) -> str:
    """GitHub obeys a line that begins with `::`, and `##[` anywhere; names come from whoever made the study."""
    if not _on_github():
        return words
    line = " ".join(words.split()).replace("##[", "## [")
    return f"- {line}" if line.startswith("::") else line


def _on_github() -> bool:
    return "GITHUB_ACTIONS" in os.environ


def _write_summary(verdicts: list[Verdict]) -> None:
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if place:
        rows = [f"| {_cell(one.judge)} | {_cell(one.words)} |" for one in verdicts]
        with Path(place).open("a") as summary:
            summary.write("\n".join(["| judge | |", "|---|---|", *rows, ""]))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="jurybox check",
        description="Exit with 1 if a judge has drifted or does not follow people; with --strict with 3 "
        "if none has and there is not enough data yet to tell; with 2 if the call is wrong.",
    )
    made.add_argument("tables", nargs="*", help="labels.csv scores.csv, instead of a study")
    for part in BESIDE:
        made.add_argument(f"--{part}", default="", help="a table beside the two")
    made.add_argument("--study", default="", help="of a running Jurybox; its newest report")
    made.add_argument("--address", default="", help="or JURYBOX_ADDRESS; the token: JURYBOX_TOKEN")
    made.add_argument("--question", default="")
    made.add_argument("--judge", action="append", default=[], help="only this one; again for more")
    made.add_argument("--strict", action="store_true", help="fail on “not enough data yet”, too")
    return made
