"""A report to hand in as plain values: what stands in it, not how PDF, HTML or LaTeX write it."""

from __future__ import annotations

from dataclasses import dataclass, field

from audit.exhibits import Table


@dataclass(frozen=True, slots=True)
class Figure:
    caption: str
    alt: str  # for who cannot see it
    svg: str
    width: float  # of the drawing, in pixels
    over_time: bool = True
    number: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    heading: str
    paragraphs: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    blocks: tuple[Table | Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    study: str
    simulated: bool
    made: str  # the day of the report, as 2026-11-22
    asked: str
    findings: str
    sections: tuple[Section, ...]
    signature: tuple[tuple[str, str], ...]  # the appendix: term and value
    signed: str  # the signature in one line
    terms: tuple[tuple[str, str], ...] = field(default=())  # what each statistic says

    @property
    def short_signature(self) -> str:
        """Without the judges' fingerprints, which stand in the appendix."""
        return self.signed.partition("; judges ")[0].rstrip(".") + "."

    @property
    def tables(self) -> list[Table]:
        return [
            block for part in self.sections for block in part.blocks if isinstance(block, Table)
        ]

    @property
    def figures(self) -> list[Figure]:
        return [
            block for part in self.sections for block in part.blocks if isinstance(block, Figure)
        ]


SIMULATED = "Simulated: images or answers were made by a program."
DIGITS = (
    "The same labels, scores and options give the same digits. Intervals, tests and the rule for "
    "drift stand below, with the fingerprint of each judge: its method, engine and options."
)


def line(document: Document) -> str:
    """Below the title."""
    made = f", report of {document.made}" if document.made else ""
    return f"{document.signed.partition(';')[0]}{made}"
