"""How far an import is, in words: rows, of how many, how fast, and how much longer."""

from __future__ import annotations


def in_words(*, read: int, expected: int | None, seconds: float) -> str:
    """The speed only from one row a second on, the time left only where it is known."""
    there_is_more = expected is not None and expected > read
    of = f" of about {_round(expected):,}" if expected is not None and there_is_more else ""
    last = expected if expected is not None and there_is_more else read
    words = f"{read:,}{of} row{'' if last == 1 else 's'} so far"
    speed = read / seconds if seconds >= 1 else 0.0
    if speed >= 1:
        words += f", {_round(round(speed)):,} per second"
        if expected is not None and there_is_more:
            words += f", about {_time((expected - read) / speed)} left"
    return f"{words}."


def _round(number: int) -> int:
    """To three digits: more of them would say that nothing is guessed."""
    return round(number, min(0, 3 - len(str(number))))


def _time(seconds: float) -> str:
    for length, name in ((3600, "hour"), (60, "minute")):
        if seconds >= 1.5 * length:
            return _many(round(seconds / length), name)
    return _many(max(1, round(seconds)), "second")


def _many(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"
