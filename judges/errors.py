"""What can go wrong with a judge, in words; `Refused` is the root (see annotations.errors).

JudgeRefused        the request cannot be met: no such judge, no such option, nothing to score
├── JudgeMissing    the judge exists, but not on this machine
└── EngineRefused   the engine cannot be trusted: weights that do not fit, a failed self-test

What an engine raises in the middle of its work, for the run to act on:
MemoryFull          too many pictures at once: half of them may fit
Passing             it may work later: the network, a busy server; no judgement about the image
"""

from annotations.errors import Refused


class JudgeRefused(Refused):
    status = 422


class JudgeMissing(JudgeRefused):
    pass


class EngineRefused(JudgeRefused):
    pass


class MemoryFull(Exception):
    pass


class Passing(Exception):
    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
