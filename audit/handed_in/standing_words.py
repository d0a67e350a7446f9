"""The words that stand in every report to hand in, whatever was found."""

from __future__ import annotations

from audit.handed_in.document import Document

SIMULATED = "Simulated: images or answers were made by a program."
DIGITS = (
    "The same labels, scores and options give the same digits. Intervals, tests and the rule for "
    "drift stand below, with the fingerprint of each judge: its method, engine and options."
)


def line(document: Document) -> str:
    """Below the title."""
    made = f", report of {document.made}" if document.made else ""
    return f"{document.signed.partition(';')[0]}{made}"
