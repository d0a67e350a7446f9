"""Until when a card holds: a judge was measured on some generators, and shall judge newer ones."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_noop

from annotations.models import Image, Study

if TYPE_CHECKING:
    from audit.questions.card.scores import Scores

GENERATORS, MONTHS = 3, 12


def validity(study: Study, scores: Scores, *, alarm: bool) -> dict[str, Any]:
    """`newest`: the release date of the newest generator that it was measured on; `newer`: the generators
    of the study that came after it."""
    measured = {image for said in scores.made.values() for image in said}
    images = measured or {image for image, _ in scores.rows}
    dates = Image.objects.filter(pk__in=images).values_list("generator__release_date", flat=True)
    known = [day for day in set(dates.order_by()) if day is not None]
    return validity_after(study, max(known, default=None), alarm=alarm)


def validity_after(study: Study, newest: date | None, *, alarm: bool) -> dict[str, Any]:
    """Of a card whose newest generator was released on this day."""
    later = study.generators.filter(release_date__gt=newest) if newest else None
    return {
        "newest": newest.isoformat() if newest else None,
        "until": add_months(newest, MONTHS).isoformat() if newest else None,
        "months": MONTHS,
        "generators": GENERATORS,
        "newer": later.count() if later is not None else 0,
        "alarm": alarm,
    }


def why_expired(valid: dict[str, Any], today: date | None = None) -> str:
    """Empty while it holds. Without `today`, what the clock says does not count."""
    if valid["alarm"]:
        return gettext_noop("an alarm says that this judge drifts")
    if valid["newer"] > valid["generators"]:
        return gettext_noop(f"{valid['newer']} generators are newer than those it was measured on")
    if today is not None and valid["until"] and today.isoformat() > valid["until"]:
        return gettext_noop(f"it was valid until {valid['until']}")
    return ""


def validity_words(valid: dict[str, Any], today: date | None = None) -> str:
    if reason := why_expired(valid, today):
        why = f"{reason[0].upper()}{reason[1:]}"
        return f"Expired: measure again on the newest generators. {why}."
    if valid["until"] is None:
        return "Valid until an alarm: no generator that it was measured on has a release date."
    until, newer = valid["until"], valid["generators"]
    return f"Valid until {until}, for at most {newer} newer generators, and until an alarm."


def add_months(day: date, months: int) -> date:
    """The same day of a later month, or that month's last one."""
    years, month = divmod(day.month - 1 + months, 12)
    for back in range(4):
        try:
            return date(day.year + years, month + 1, day.day - back)
        except ValueError:
            continue
    raise ValueError(f"no such day: {day}")
