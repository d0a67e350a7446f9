"""How far an import is, in words: rows, of how many, how fast, and how much longer."""

from __future__ import annotations

from django.utils.translation import gettext, ngettext


def in_words(*, read: int, expected: int | None, seconds: float) -> str:
    """The speed only from one row a second on, the time left only where it is known."""
    there_is_more = expected is not None and expected > read
    if expected is not None and there_is_more:
        words = ngettext(
            "%(read)s of about %(expected)s row so far",
            "%(read)s of about %(expected)s rows so far",
            expected,
        )
        words %= {"read": f"{read:,}", "expected": f"{_round(expected):,}"}
    else:
        words = ngettext("%(read)s row so far", "%(read)s rows so far", read)
        words %= {"read": f"{read:,}"}
    speed = read / seconds if seconds >= 1 else 0.0
    if speed >= 1:
        words += gettext(", %(speed)s per second") % {"speed": f"{_round(round(speed)):,}"}
        if expected is not None and there_is_more:
            words += gettext(", about %(time)s left") % {"time": _time((expected - read) / speed)}
    return gettext("%(words)s.") % {"words": words}


def _round(number: int) -> int:
    """To three digits: more of them would say that nothing is guessed."""
    return round(number, min(0, 3 - len(str(number))))


def _time(seconds: float) -> str:
    if seconds >= 1.5 * 3600:
        number = round(seconds / 3600)
        words = ngettext("%(number)s hour", "%(number)s hours", number)
    elif seconds >= 1.5 * 60:
        number = round(seconds / 60)
        words = ngettext("%(number)s minute", "%(number)s minutes", number)
    else:
        number = max(1, round(seconds))
        words = ngettext("%(number)s second", "%(number)s seconds", number)
    return words % {"number": number}
