"""The verdict and the three facts about each judge, out of a whole report."""

from __future__ import annotations

from typing import Any

from jurybox_stats.instrument.verdict import read_verdict, verdict_of

NUMBER = ("value", "low", "high", "n", "undefined", "what")


def three_facts(body: dict[str, Any]) -> dict[str, Any]:
    """The verdict, whether a judge follows people, whether it drifts and since when, and how far it is off by
    now."""
    return {
        "study": body["study"],
        "question": body["question"],
        "simulated": body["simulated"],
        "judges": {name: _facts_of(name, judge) for name, judge in body["judges"].items()},
        "signature": {
            name: body["signature"].get(name) for name in ("version", "data", "judges", "interval")
        },
    }


def _facts_of(name: str, judge: dict[str, Any]) -> dict[str, Any]:
    follows, drift = judge.get("follows", {}), judge["drift"]
    return {
        "images": judge["overall"].get("n"),
        "verdict": verdict_of(judge),
        "words": read_verdict(name, judge),
        "follows": {"state": follows.get("state"), **_number(follows)},
        "drift": {
            name: drift[name]
            for name in ("state", "since", "since_between", "alarm", "needs")
            if name in drift
        },
        "gap": drift.get("gap"),
        "net_deviation": _number(judge["overall"].get("net_deviation", {})),
        "auroc": _number(judge["overall"].get("auroc", {})),
    }


def _number(held: dict[str, Any]) -> dict[str, Any]:
    return {name: held[name] for name in NUMBER if name in held}
