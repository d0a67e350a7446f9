"""What can go wrong with a judge, in words; `Refused` is the root (see jurybox_formats.sources.errors).

JudgeRefused        the request cannot be met: no such judge, no such option, nothing to score
├── JudgeMissing    the judge exists, but not on this machine
└── EngineRefused   the engine cannot be trusted: weights that do not fit, a failed self-test
    ├── KeysDoNotFit    with the names of the weights
    └── ServerRefuses   a server refuses one request after the other

What an engine raises while it works; the run handles it:
MemoryFull          too many pictures at once: half of them may fit
Passing             it may work later: network down, server busy; says nothing about the image
"""

from collections.abc import Mapping

from jurybox_formats.sources.errors import Refused


class JudgeRefused(Refused):
    status = 422
    code = "judge"


class JudgeMissing(JudgeRefused):
    pass


class EngineRefused(JudgeRefused):
    pass


class KeysDoNotFit(EngineRefused):
    def __init__(self, message: str, keys: Mapping[str, list[str]]) -> None:
        super().__init__(message)
        self.keys = keys  # "missing", "unexpected", "mismatched"


class ServerRefuses(EngineRefused):
    pass


class MemoryFull(Exception):
    pass


class Passing(Exception):
    """`reason` is part of a sentence, without its full stop. `retry_after`: seconds to wait, where the
    server names them. `progress`: some of the questions have been answered since the last time, and will
    not be repeated."""

    def __init__(
        self, reason: str, retry_after: float | None = None, progress: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason, self.retry_after, self.progress = reason.rstrip(" ."), retry_after, progress


def clause_of(error: BaseException) -> str:
    """The first line of the message as part of a sentence: without its full stop."""
    return first_line(error).rstrip(" .")


def first_line(error: BaseException) -> str:
    """The first line of the message, or the error's name where it has none."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def is_time_limit(error: BaseException) -> bool:
    """The worker's own: it says nothing about the engine or the picture."""
    return type(error).__name__ == "SoftTimeLimitExceeded"
