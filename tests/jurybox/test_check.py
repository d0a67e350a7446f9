"""`jurybox check` fails when a judge no longer holds; the GitHub Action calls it with what it was given."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import product

import pytest
import yaml

from audit.reports import make as reports
from jurybox import JuryboxError, check
from jurybox_stats.instrument.verdict import decide, read_verdict
from tests import making
from tests.jurybox.wheels import ROOT

TUTORIAL = ROOT / "docs" / "tutorial"


def facts(follows: str = "follows", drift: str = "holds", since: str | None = None):
    judge = {
        "overall": {"n": 600},
        "follows": {"state": follows},
        "drift": {"state": drift, "since": since},
    }
    judge["verdict"] = decide(judge["follows"], judge["drift"])
    return {"verdict": judge["verdict"], "words": read_verdict("j", judge)}


@pytest.mark.parametrize(
    ("given", "strict", "passes", "words"),
    [
        (facts(), True, True, "j can be trusted on today’s generators."),
        (
            facts(drift="drifts", since="2024-05-01"),
            False,
            False,
            "j can be trusted on generators before 2024-05, not on newer ones.",
        ),
        (
            facts(drift="drifts"),
            False,
            False,
            "Do not use j: it changed more than once, or gradually.",
        ),
        (facts("does not follow"), False, False, "Do not use j: it does not follow people."),
        (facts("upside down"), False, False, "Do not use j: it orders images against people."),
        (facts(drift="cannot be told"), False, True, "j cannot be judged yet."),
        (facts(drift="cannot be told"), True, False, "j cannot be judged yet."),
        (facts("cannot be told", "cannot be told"), True, False, "j cannot be judged yet."),
    ],
)
def test_what_is_not_known_fails_only_where_one_is_strict(given, strict, passes, words):
    (verdict,) = check.judge_verdicts({"j": given}, [], strict=strict)
    assert (verdict.passes, verdict.words) == (passes, words)


@pytest.mark.parametrize(
    ("judges", "strict", "status"),
    [
        ([facts()], True, 0),
        ([facts(), facts("cannot be told")], False, 0),
        ([facts(), facts("cannot be told")], True, 3),
        ([facts(drift="cannot be told")], True, 3),
        ([facts("cannot be told"), facts("does not follow")], True, 1),
        ([facts("cannot be told"), facts(drift="drifts")], False, 1),
    ],
)
def test_what_is_not_known_yet_ends_otherwise_than_what_has_failed(judges, strict, status):
    given = {str(number): one for number, one in enumerate(judges)}
    assert check.status_of(check.judge_verdicts(given, [], strict=strict)) == status


def test_a_judge_that_the_report_does_not_have_is_named():
    with pytest.raises(JuryboxError, match="no judge other. It has: j"):
        check.judge_verdicts({"j": facts()}, ["other"])


@pytest.mark.django_db(transaction=True)
def test_a_study_is_checked_by_its_newest_report(live_server, study, alice, capsys, monkeypatch):
    making.labels(study, {f"early-{n}": {"ann": n % 2} for n in range(4)})
    making.scores(study, {f"early-{n}": n / 4 for n in range(4)})
    reports.make_report(study=study)
    monkeypatch.setenv("JURYBOX_TOKEN", making.token(alice.user))
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    given = ["--study", "shapes", "--address", live_server.url]
    for strict, status in (([], 0), (["--strict"], 3)):
        with pytest.raises(SystemExit) as ended:
            check.main([*given, *strict])
        assert ended.value.code == status
    assert capsys.readouterr().out == "some-judge cannot be judged yet.\n" * 2


def test_the_action_checks_two_tables_with_all_that_it_was_given(tmp_path):
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    step = action["runs"]["steps"][-1]
    used = {value.split(".")[1].split(" ")[0] for value in step["env"].values()}
    assert used == set(action["inputs"])
    assert "${{" not in step["run"]
    (tmp_path / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / "python").chmod(0o755)
    summary = tmp_path / "summary.md"
    given = dict.fromkeys(step["env"], "") | {
        **{
            f"{part.upper()}": str(TUTORIAL / f"{part}.csv")
            for part in action["inputs"]
            if (TUTORIAL / f"{part}.csv").exists()
        },
        "STRICT": "false",
    }
    environment = (
        os.environ
        | given
        | {
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": str(summary),
        }
    )
    ran = subprocess.run(
        ["bash", "-c", step["run"]], env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 1, ran.stderr
    assert "::error::" in ran.stdout and "can be trusted on generators before" in ran.stdout
    assert "| judge | |" in summary.read_text()


def test_the_action_installs_nothing_that_is_not_locked_and_names_others_by_their_commit():
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    for step in steps:
        if "uses" in step:
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])
        for line in step.get("run", "").splitlines():
            assert "pip install" not in line or "--require-hashes" in line
    assert (ROOT / "requirements-core.lock").read_text().count("--hash=sha256:") > 50


COMMANDS = ("::stop-commands::x", "a\n::error::b", "a\r::add-mask::b", "##[group]x", "a\u2028::b")


@pytest.mark.parametrize("name", COMMANDS)
def test_no_name_of_a_judge_is_a_command_of_github(name, monkeypatch, capsys):
    """Its runner takes each line, without the spaces around it."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    for passes, known in product((True, False), repeat=2):
        print(check._line(check.Verdict(name, passes, known, f"{name} can be trusted.")))
    monkeypatch.setattr(check, "_report", lambda given: {})
    monkeypatch.setattr(check, "three_facts", lambda body: {"judges": {name: {}}})
    with pytest.raises(SystemExit):
        check.main(["--study", "s", "--judge", f"{name}, another"])
    told = capsys.readouterr()
    lines = (told.out + told.err).splitlines()
    assert len(lines) == 5
    assert all("##[" not in line for line in lines)
    ours = [line for line in lines if line.strip().startswith("::")]
    assert [line.split("::")[1] for line in ours] == ["warning", "error", "error"]


def test_tables_that_cannot_be_read_end_with_their_sentence(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        check.main([str(tmp_path / "no.csv"), str(tmp_path / "none.csv")])
    assert ended.value.code == 2
    assert "no.csv" in capsys.readouterr().err
