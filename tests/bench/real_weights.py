"""Each judge once on published weights: whether its self-test passes, how long a picture takes, and, where its
authors print numbers for pictures of theirs, how far ours are from them.

Writes docs/real-weights.md. Nothing is fetched: a judge whose weights are not on this machine has a row that
says “not yet”. The authors' pictures are looked for in the folder REAL_WEIGHTS_PICTURES (or pictures=FOLDER),
under the names of `PRINTED`. A judge that needs a file is given one as NAME=FILE:

    python -m tests.bench.real_weights image-reward=/weights/ImageReward.pt pictures=/pictures
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PIL import Image

from tests.bench.sizes import SMALL, sized

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "real-weights.md"
SIGNS = sized(200, 4)
NOT_YET = "not yet"


@dataclass(frozen=True)
class Printed:
    """Pictures and what the authors' own page prints for them with one prompt."""

    source: str
    prompt: str
    pictures: tuple[str, ...]
    numbers: tuple[float, ...]


PRINTED = {
    "image-reward": Printed(
        "README of github.com/THUDM/ImageReward",
        "a painting of an ocean with clouds and birds, day time, low depth field effect",
        tuple(f"imagereward/{number}.webp" for number in (1, 2, 3, 4)),
        (0.5812, 0.2745, -1.4132, -2.0296),
    ),
}


@dataclass(frozen=True)
class Row:
    judge: str
    weights: str
    identified: str = ""  # by which commit or hash
    test: str = NOT_YET
    seconds: str = ""
    printed: str = ""
    found: str = ""
    why: str = ""

    def line(self) -> str:
        cells = (
            f"`{self.judge}`",
            self.weights,
            self.identified,
            self.test,
            self.seconds,
            self.printed,
            self.found,
            self.why,
        )
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main(arguments: Sequence[str] = ()) -> None:
    _set_up()
    given = dict(argument.split("=", 1) for argument in arguments)
    pictures = Path(given.pop("pictures", os.environ.get("REAL_WEIGHTS_PICTURES", ".")))
    rows = list(all_rows(pictures, given))
    # At its smallest it measures nothing that belongs into the docs.
    target = Path(tempfile.mkdtemp()) / PAGE.name if SMALL else PAGE
    target.write_text(page_of(rows), encoding="utf-8")
    done = sum(row.test != NOT_YET for row in rows)
    print(f"{done} of {len(rows)} rows measured; the others say {NOT_YET}. Written: {target}")


def _set_up() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")
    # The hub is never asked: what is not here is not measured.
    os.environ["HF_HUB_OFFLINE"] = "1"
    import django

    django.setup()


def all_rows(pictures: Path, files: Mapping[str, str]) -> Iterable[Row]:
    """One for each set of weights with one engine; the judges that share it would tell the same."""
    from jurybox_judging import catalogue, registry

    seen: set[tuple[Any, ...]] = set()
    for name, entry in catalogue.JUDGES.items():
        parts = sorted((kind, path, str(options)) for kind, (path, options) in entry.parts.items())
        if tuple(parts) in seen or not _has_weights(name):
            continue
        seen.add(tuple(parts))
        if "writing" in entry.parts:
            yield rapid_ocr_row(name)
        else:
            yield row_of(name, pictures, files.get(name, ""))
    registry.forget_engines()


def _has_weights(name: str) -> bool:
    from jurybox_judging import registry

    told = registry.declared_options(name)
    served = any(option.endswith("base_url") for option in told)
    weighed = [o for o in told if o.endswith(".checkpoint")]
    return name.startswith("text-") or (bool(weighed) and not served and "from-file" not in name)


def row_of(name: str, pictures: Path, file: str) -> Row:
    from judges.runs import check_weights
    from judges.runs.readiness import readiness
    from jurybox_judging import catalogue, registry
    from jurybox_judging.errors import JudgeRefused

    entry = catalogue.entry(name)
    told = registry.declared_options(name)
    empty = [o for o, one in told.items() if o.endswith(".checkpoint") and not one.default]
    own = dict.fromkeys(empty[:1], file) if file else {}
    options = {option: one.default for option, one in told.items()} | own
    named = {v for o, v in registry.weights_of(entry).items() if o.endswith(".checkpoint") and v}
    weights = ", ".join(sorted(named)) or "a file of one's own"
    printed = PRINTED.get(name)
    shown = ", ".join(f"{number:.4f}" for number in printed.numbers) if printed else ""
    ready = readiness(entry, options)
    if not ready.is_ready:
        return Row(name, weights, printed=shown, why=ready.title)
    try:
        checks = check_weights.check(name, own, measure=True)
    except JudgeRefused as refusal:
        return Row(name, weights, printed=shown, why=refusal.message)
    wrong = "; ".join(check.wrong for check in checks if check.wrong)
    if any(check.download for check in checks):
        return Row(name, weights, printed=shown, why="its weights are not on this machine")
    seconds = [check.seconds for check in checks if check.seconds is not None]
    found, why = _compared(name, own, printed, pictures) if printed and not wrong else ("", wrong)
    return Row(
        name,
        weights,
        "; ".join(filter(None, (check.commit[:12] for check in checks))),
        "; ".join(check.self_test for check in checks),
        f"{sum(seconds):.2f}" if seconds else "",
        shown,
        found,
        why,
    )


def _compared(
    name: str, own: Mapping[str, str], printed: Printed, pictures: Path
) -> tuple[str, str]:
    """Ours for the authors' pictures, and how far they are from the printed ones at the most."""
    from jurybox_judging import registry

    files = [pictures / one for one in printed.pictures]
    absent = [file.name for file in files if not file.is_file()]
    if absent:
        return "", f"the authors' pictures are not here: {', '.join(absent)} ({printed.source})"
    engine = registry.build(name, own).parts["similarity"]
    ours = engine.similarities(
        [(Image.open(file).convert("RGB"), printed.prompt) for file in files]
    )
    apart = max(abs(a - b) for a, b in zip(ours, printed.numbers, strict=True))
    return ", ".join(f"{number:.4f}" for number in ours), f"largest difference {apart:.4f}"


def rapid_ocr_row(name: str) -> Row:
    """The weights that lie in a package: drawn signs, whose words are known to the letter."""
    from jurybox_formats.sets.prompt_sets.word_counts import count_words
    from jurybox_formats.sets.signs import study
    from jurybox_judging import registry
    from jurybox_judging.self_test import check_engines

    if reason := registry.why_not(name):
        return Row(name, "in the package rapidocr", why=reason)
    parts = registry.build(name, {}).parts
    engine: Any = parts["writing"]
    check_engines(parts, keep_alive=lambda: None)
    prompts = study.make_prompts(-(-SIGNS // len(study.GENERATORS)))
    signs = [study.draw(p, maker) for p in prompts for maker in study.GENERATORS][:SIGNS]
    right = words = 0
    began = time.perf_counter()
    for sign in signs:
        (lines,) = engine.read_text([_opened(sign.png)])
        read = " ".join(line["text"] for line in lines)
        hit, expected = count_words(" ".join(sign.lines), read, "en", as_written=False)
        right, words = right + hit, words + expected
    seconds = (time.perf_counter() - began) / len(signs)
    return Row(
        name,
        f"{engine.facts['checkpoint']} in the package rapidocr {engine.facts['revision']}",
        _package_hash(),
        "passed",
        f"{seconds:.2f}",
        "",
        f"{right / words:.3f} of {words} words",
        f"{len(signs)} drawn signs: plain, small, slanted and faint; nobody prints a number for them",
    )


def _opened(png: bytes) -> Image.Image:
    import io

    return Image.open(io.BytesIO(png)).convert("RGB")


def _package_hash() -> str:
    """SHA-256 of the weights in the package, each by its first digits."""
    import hashlib

    import rapidocr

    folder = Path(rapidocr.__file__).parent
    told = []
    for file in sorted(folder.rglob("*.onnx")):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        told.append(f"{file.name} {digest[:12]}")
    return ", ".join(told)


def page_of(rows: Sequence[Row]) -> str:
    from jurybox_judging.engines.shared.weights import pick_device

    try:
        device = pick_device()
    except ImportError:
        device = "cpu"
    where = f"{device}, {platform.machine()}, {os.cpu_count()} cores"
    measured = sum(row.test != NOT_YET for row in rows)
    lines = [
        "# Judges on published weights",
        "",
        "Made by `make real-weights`, which asks each judge once whose weights are on the machine, and fetches nothing. "
        "Judges that share an engine and its weights have one row. Where authors print numbers for pictures of theirs, "
        "these stand beside ours.",
        "",
        f"Measured {datetime.now(UTC):%Y-%m-%d} on {where}: {measured} of {len(rows)} rows. “{NOT_YET}” means that "
        "nobody has run these weights here; nothing is known of them but what "
        "[random weights of the true architectures](judge-differences.md) show.",
        "",
        "| judge | weights | commit or SHA-256 | self-test | seconds a picture | printed | found | |",
        "|---|---|---|---|---|---|---|---|",
        *(row.line() for row in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
