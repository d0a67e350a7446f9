"""A judge's self-checks, one beside another: it may have become another judge before anybody labels."""

from __future__ import annotations

from collections import Counter
from typing import Any

import scipy
from django.db.models import QuerySet

from audit.self_checks.counting import ALLOWED, violations
from judges.models import SelfCheck
from judges.self_checks.make import DRAWN
from jurybox_stats.multiplicity import holm


def first_before(check: SelfCheck) -> SelfCheck | None:
    """The oldest check of this judge with the same draw of images; of whichever fingerprint."""
    return earlier(check).order_by("pk").first()


def earlier(check: SelfCheck) -> QuerySet[SelfCheck]:
    return SelfCheck.objects.filter(
        study=check.study_id,
        payload=check.payload,
        state=SelfCheck.State.DONE,
        pk__lt=check.pk,
    )


def compare_checks(then: SelfCheck, now: SelfCheck) -> dict[str, Any]:
    """On the images of both: contradictions then and now, and scores that stayed.

    A sign test over prompts (those that contradict more often now against those that do less),
    Holm over the checks in which a prompt has changed.
    """
    before, after = violations(then.pairs), violations(now.pairs)
    checks: dict[str, Any] = {}
    for name in ALLOWED:
        old, new = before.get(name, {}), after.get(name, {})
        both = sorted(old.keys() & new.keys())
        moved: Counter[str] = Counter()
        for image in both:
            moved[new[image][0]] += new[image][1] - old[image][1]
        more, less = (sum(sign * step > 0 for step in moved.values()) for sign in (1, -1))
        checks[name] = {
            "both": len(both),
            "then": sum(old[image][1] for image in both),
            "now": sum(new[image][1] for image in both),
            "more": more,
            "less": less,
        }
    # Where no prompt has changed there is nothing to test, and so nothing to correct for (Tarone 1990,
    # Biometrics 46:515): the test is conditional on how many have.
    tested = [row for row in checks.values() if row["more"] + row["less"]]
    chances = holm(
        [scipy.stats.binomtest(row["more"], row["more"] + row["less"]).pvalue for row in tested]
    )
    for row, p in zip(tested, chances, strict=True):
        row["p_holm"] = float(p)
    return {
        "since": then.created_at.date().isoformat(),
        "fingerprint": then.fingerprint,
        "checks": checks,
        "scores": _scores(then, now),
    }


def _scores(then: SelfCheck, now: SelfCheck) -> dict[str, int]:
    """How many of the same images, unchanged, have the same score as then."""
    old, new = _of_images(then), _of_images(now)
    both = old.keys() & new.keys()
    span = max(old.values(), default=0.0) - min(old.values(), default=0.0)
    close = float(ALLOWED["again"]) * span
    return {"of": len(both), "same": sum(abs(new[key] - old[key]) <= close for key in both)}


def _of_images(check: SelfCheck) -> dict[str, float]:
    return {pair["image"]: pair["before"] for pair in check.pairs if pair["check"] != DRAWN}
