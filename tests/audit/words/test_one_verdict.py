"""All that is said of a judge says one thing: its verdict, and one gap in the same digits."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse

from audit.handed_in.tables import overall
from audit.reports import make as reports
from audit.reports import states
from audit.reports.summary import summarize_body
from audit.words import decisions, drift_state, verdicts
from audit.words.numbers import cell
from audit.words.report import tally
from jurybox.check import judge_verdicts
from jurybox.facts import three_facts
from jurybox_stats.instrument.verdict import (
    DO_NOT_USE,
    NOT_YET,
    OTHER_QUESTION,
    TRUST,
    TRUST_UNTIL,
)
from tests import making
from tests.audit.pages.test_dashboards import judge_all
from tests.audit.words.made_up import MadeUp

WORLDS = 200
# What a sentence about a judge lets a reader do with it.
ALLOWED = {
    "has drifted": {TRUST_UNTIL, DO_NOT_USE},
    ", and holds": {TRUST, NOT_YET},
    "does not follow people": {DO_NOT_USE},
    "is upside down": {DO_NOT_USE},
    "not enough data yet": {NOT_YET, DO_NOT_USE},
}


def world(seed: int) -> dict[str, Any]:
    """A report as it is stored, with all that its doors read."""
    made = MadeUp(seed)
    body = made.report()
    signed = {"version": "1", "data": "0", "judges": {}, "interval": "", "judge_facts": {}}
    judges = {name: made.judge() for name in body["judges"]}
    others = {name: "quality" for name in judges if made.chance(0.1)}
    states.set_aside_others(judges, others, body["question"], {"quality"})
    for judge in judges.values():
        likely = {"passes": made.chance(0.7), "epsilon": 0.15, "beaten": 2, "raters": 3}
        judge["overall"]["alt_test"] = likely
        if made.chance(0.5) and "steps" in judge["drift"]:
            dates = ["2024-10-01", "2025-01-01"]
            judge["drift"]["dates"] = {"offset": dates, "gain": dates}
    states.settle(judges)
    body["judges"] = judges
    signed["judge_facts"] = {name: {} for name in judges}
    body |= {"signature": signed, "simulated": False, "generators": []}
    body["missing"] = {"scores": {name: {"absent": 0, "failed": 0} for name in body["judges"]}}
    return body


@pytest.mark.parametrize("seed", range(WORLDS))
def test_no_two_doors_contradict_each_other_about_a_judge(seed):
    body = world(seed)
    kinds = {name: judge["verdict"]["kind"] for name, judge in body["judges"].items()}
    chips = {name: verdicts.chip_of(judge)["words"] for name, judge in body["judges"].items()}
    facts = three_facts(body)["judges"]
    listed = summarize_body(body)["judges"]
    if not kinds:
        return
    in_document = {row.label: row.numbers[0]["text"] for row in overall(body).rows}
    for name, judge in body["judges"].items():
        kind = kinds[name]
        assert facts[name]["verdict"] == listed[name]["verdict"] == judge["verdict"]
        assert facts[name]["words"] == verdicts.read_verdict(name, judge).replace(
            verdicts.title(name), name
        )
        assert in_document[verdicts.title(name)] == chips[name]
        (checked,) = judge_verdicts(facts, [name], strict=True)
        assert checked.passes == (kind == TRUST)
        assert checked.known == (kind not in (NOT_YET, OTHER_QUESTION))
        said = drift_state.sentence("X", judge)
        assert [
            words for words, allowed in ALLOWED.items() if words in said and kind not in allowed
        ] == []
    stand_in = decisions._stand_in(body["judges"])
    yes = re.match(r"Yes, for half of the people or more: (.*?)\. This", stand_in)
    trusted = [verdicts.title(name) for name, kind in kinds.items() if kind == TRUST]
    named = yes[1].split(", ") if yes and len(kinds) <= decisions.NAMED else []
    assert set(named) <= set(trusted)
    if len(kinds) > 1:
        assert tally(body["judges"]).startswith(
            f"{len(trusted)} of {len(kinds)} judges can be trusted"
        )


def test_every_kind_of_verdict_is_among_the_worlds():
    kinds = {j["verdict"]["kind"] for seed in range(WORLDS) for j in world(seed)["judges"].values()}
    assert kinds == {TRUST, TRUST_UNTIL, NOT_YET, DO_NOT_USE, OTHER_QUESTION}


@pytest.mark.django_db
def test_every_page_and_file_prints_the_verdict_and_the_gap_in_the_same_digits(client):
    study = making.study("large", prompts=40, files=False)
    client.force_login(making.person(study, "alice", role="owner").user)
    judge_all(study)
    judge_all(study, name="other-judge", verdicts=False)
    report = reports.make_report(study=study)
    judge = report.body["judges"]["some-judge"]
    chip, gap = verdicts.chip_of(judge)["words"], cell("off", judge["drift"]["gap"]["off_by"])
    pages = [
        reverse(name, args=["large"], query={"judge": "some-judge"})
        for name in ("summary", "judge", "side-by-side")
    ]
    pages.append(reverse("report-file", args=["large", report.pk, "html"]))
    for address in pages:
        page = client.get(address).content.decode()
        assert chip in page, address
        assert gap.value in page, address
    told = client.get(reverse("api-report", args=["large"])).json()["judges"]["some-judge"]
    assert told["verdict"] == judge["verdict"]
    assert told["drift"]["gap"]["off_by"] == judge["drift"]["gap"]["off_by"]
