"""What can go wrong with a judge, in words; `Refused` is the root (see annotations.errors).

JudgeRefused        the request cannot be met: no such judge, no such option, nothing to score
└── JudgeMissing    the judge exists, but not on this machine
"""

from annotations.errors import Refused


class JudgeRefused(Refused):
    status = 422


class JudgeMissing(JudgeRefused):
    pass
