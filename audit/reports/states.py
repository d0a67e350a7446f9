"""Which judges hold, which drift, and of which it cannot be told: decided over all of them together, so
that with many judges none is called drifted by chance."""

from __future__ import annotations

from typing import Any

from audit.stats.multiplicity import LEVEL, holm
from audit.stats.over_time.claims import ORDER, POINTS
from audit.words import drift_state
from audit.words.drift_state import CANNOT_BE_TOLD, DRIFTS, HOLDS

RULE = (
    "called on evidence of a change against older generators, beyond the band, that holds at every "
    f"look (a level of {100 * LEVEL:g} %, Holm over judges); a judge holds where a drift of "
    f"{POINTS:g} points or {ORDER:g} of AUROC would have shown in 4 of 5 studies like this"
)
WORTH = {"net_deviation": POINTS, "agreement": ORDER}


def settle(judged: dict[str, Any]) -> None:
    """Writes the state of each judge, and the reason for it, into its part of a report."""
    told = {name: body["drift"] for name, body in judged.items() if body["drift"].get("claims")}
    p = [_p(part["claims"]) for part in told.values()]
    if p:
        for part, adjusted in zip(told.values(), holm(p).tolist(), strict=True):
            part["p_holm"] = adjusted
    for body in judged.values():
        _settle(body["drift"])


def _p(claims: dict[str, Any]) -> float:
    """The mean of evidence is evidence, and its inverse a p-value that holds at every look."""
    mean = sum(claim["evidence"] for claim in claims.values()) / len(claims)
    return min(1.0, 1 / mean) if mean > 0 else 1.0


def _settle(drift: dict[str, Any]) -> None:
    drift["state"], drift["needs"] = _state(drift)
    drift["alarm"] = drift["state"] == DRIFTS
    drift["by"] = _strongest(drift["claims"]) if drift["alarm"] else None
    if drift["by"]:
        claim = drift["claims"][drift["by"]]
        drift["since"] = claim["since"]
        if drift["by"] == "net_deviation":
            drift["net_deviation_since"] = claim["size"]
    drift["reason"] = drift_state.reason(drift)


def _state(drift: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """The state, and what it would take to tell one."""
    if "untold" in drift:
        return CANNOT_BE_TOLD, {"reason": drift["untold"]}
    claims = drift["claims"]
    needed = ["net_deviation"] if drift["kind"] == "verdicts" else ["agreement", "net_deviation"]
    if claims and drift["p_holm"] <= LEVEL and _strongest(claims):
        return DRIFTS, None
    for name in needed:
        if name not in claims:
            return CANNOT_BE_TOLD, {"reason": drift_state.NOTHING_NEWER[name]}
    short = {
        name: claims[name] for name in needed if claims[name]["would_show"] > WORTH[name] + 1e-9
    }
    if not short:
        return HOLDS, None
    more = max(claim["images_for_that"] - claim["later"]["n"] for claim in short.values())
    return CANNOT_BE_TOLD, {"images": max(more, 1)}


def _strongest(claims: dict[str, Any]) -> str | None:
    """The claim with the most evidence among those that go beyond the band and have enough of their
    own: that of the other claim says nothing about this one."""
    beyond = [
        name for name, claim in claims.items() if claim["beyond"] and claim["evidence"] * LEVEL >= 1
    ]
    return max(beyond, key=lambda name: claims[name]["evidence"], default=None)
