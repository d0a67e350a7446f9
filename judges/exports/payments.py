"""What crowd workers have done, and what is owed to them at the rate that the study's owner gives.

No rate, no amount: money is never guessed. Where a worker's time is not known for each image, an hourly
amount is not known either, and the row says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from django.db.models import Count, Max, Min, Q, Sum

from annotations.exports.files import ExportRefused
from annotations.exports.pseudonyms import naming
from annotations.models import Annotation, Membership, Study
from annotations.studies import crowd

COLUMNS = (
    *("worker", "state", "images", "excluded", "minutes", "first_at", "last_at"),
    *("completion_code", "rate", "per", "amount", "no_amount_because"),
)
LARGEST_RATE = 100_000
CENT = Decimal("0.01")
MINUTE = Decimal(60)
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rate:
    """`amount` in the study's own currency. `per`: one of PER."""

    amount: Decimal
    per: str


def read_rate(text: str, per: str) -> Rate | None:
    """None where none was given."""
    if not text.strip():
        return None
    try:
        amount = Decimal(text.strip())
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or not 0 < amount <= LARGEST_RATE:
        raise ExportRefused(f"A rate is a number above 0 and up to {LARGEST_RATE:,}, like 12.50.")
    if per not in PER:
        raise ExportRefused(f"A rate is paid per {', '.join(PER)}.")
    return Rate(amount, per)


def payment_rows(study: Study, rate: Rate | None, *, people: str = "everybody") -> Iterator[Row]:
    """One row for each crowd worker; `people`: whether under the platform's id or a pseudonym."""
    name = naming(study, people)
    for member in workers(study).select_related("invitation", "study").iterator(chunk_size=500):
        yield _row(member, name(member.pk) if people != "nobody" else member.worker, rate)


def workers(study: Study) -> Any:
    members = Membership.objects.filter(study=study).exclude(worker="")
    return members.order_by("worker")


def prolific_lines(study: Study, rate: Rate | None, *, people: str) -> Iterator[str]:
    """`id,amount` a line, as Prolific's bulk payments take them: those to whom something is owed."""
    if people != "nobody":
        raise ExportRefused(
            "Prolific pays by its own ids: choose names as they are (only the study’s owner can)."
        )
    if rate is None:
        raise ExportRefused("Say the rate first: amounts are never guessed.")
    for row in payment_rows(study, rate, people=people):
        if row["amount"] and Decimal(row["amount"]) > 0:
            yield f"{row['worker']},{row['amount']}\n"


def _row(member: Membership, worker: str, rate: Rate | None) -> Row:
    done = _work_of(member)
    finished = crowd.completion_of(member)
    row: Row = {
        "worker": worker,
        "state": "finished" if finished else _state(member, done["images"]),
        "images": done["images"],
        "excluded": done["excluded"],
        "minutes": _minutes(done),
        "first_at": done["first"].isoformat() if done["first"] else "",
        "last_at": done["last"].isoformat() if done["last"] else "",
        "completion_code": finished.completion_code if finished else "",
        "rate": "" if rate is None else str(rate.amount),
        "per": "" if rate is None else rate.per,
        "amount": "",
        "no_amount_because": "no rate was given" if rate is None else "",
    }
    if rate is not None:
        owed = PER[rate.per](rate.amount, done, finished is not None)
        if isinstance(owed, Decimal):
            row["amount"] = str(owed.quantize(CENT, ROUND_HALF_UP))
        else:
            row["no_amount_because"] = owed
    return row


def _work_of(member: Membership) -> Row:
    """Of the images that they answered: also those that the owner has excluded, which were work too."""
    there = member.annotations.exclude(state=Annotation.State.WITHDRAWN)
    return there.aggregate(
        images=Count("pk"),
        excluded=Count("pk", filter=Q(state=Annotation.State.SET_ASIDE)),
        timed=Count("seconds"),
        seconds=Sum("seconds"),
        first=Min("submitted_at"),
        last=Max("submitted_at"),
    )


def _state(member: Membership, images: int) -> str:
    if member.removed_at is not None:
        return "removed"
    if member.must_practise:
        return "not qualified"
    return "not finished" if images else "not begun"


def _minutes(done: Row) -> str:
    """Empty where an answer has no time."""
    if not done["images"] or done["timed"] < done["images"]:
        return "" if done["images"] else "0"
    return f"{Decimal(str(done['seconds'])) / MINUTE:.2f}"


def _by_hour(rate: Decimal, done: Row, finished: bool) -> Decimal | str:
    if not done["images"]:
        return Decimal(0)
    absent = done["images"] - done["timed"]
    if absent:
        return f"the time of {absent} of {done['images']} images is not known"
    return rate * Decimal(str(done["seconds"])) / MINUTE / MINUTE


def _by_image(rate: Decimal, done: Row, finished: bool) -> Decimal | str:
    return rate * done["images"]


def _by_worker(rate: Decimal, done: Row, finished: bool) -> Decimal | str:
    return rate if finished else "not finished"


# What a rate is paid for.
PER: dict[str, Callable[[Decimal, Row, bool], Decimal | str]] = {
    "hour": _by_hour,
    "image": _by_image,
    "worker": _by_worker,
}
