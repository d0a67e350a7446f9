"""What a release has written, every later version brings forward and shows."""

from __future__ import annotations

import json
import tarfile

import pytest

from audit.installation import backups
from tests import needs
from tests.released import databases, old_jobs

NOON = "2026-05-01T12:00:00+00:00"
JOBS = [
    {
        "pk": 21,
        "kind": "upload",
        "key": "k",
        "state": "waiting",
        "by": "alice",
        "payload": {
            "brings": "labels",
            "format": "tidy",
            "name": "l.csv",
            "file": "",
            "delivery": 11,
            "choices": {},
            "generator": "g",
            "judge": "",
            "dry_run": False,
            "strict": True,
        },
        "done": 2,
        "total": 40,
        "began_at": NOON,
    },
    {
        "pk": 22,
        "kind": "upload",
        "key": "m",
        "state": "refused",
        "reason": "No images.",
        "payload": {
            "brings": "study",
            "format": "table",
            "name": "s.csv",
            "file": "",
            "delivery": None,
            "choices": {"folder": "x"},
            "generator": "",
            "judge": "",
            "dry_run": True,
            "strict": False,
        },
        "done": 3,
        "outcome": {"images": 3},
        "finished_at": NOON,
    },
    {
        "kind": "weight check",
        "state": "done",
        "by": "alice",
        "payload": {"judge": "clip-score", "options": {"a": 1}, "measure": True},
        "outcome": {"parts": [{"part": "x"}]},
        "finished_at": NOON,
    },
    {
        "kind": "weight check",
        "state": "working",
        "holder": "me",
        "leased_until": NOON,
        "tries": 2,
        "payload": {"judge": "clip-score", "options": {}, "measure": False},
        "outcome": {"parts": []},
    },
    {
        "kind": "self-check",
        "state": "done",
        "by": "alice",
        "payload": {"judge": "j", "options": {}, "count": 60, "seed": 3},
        "done": 7,
        "outcome": {
            "fingerprint": "abc",
            "pairs": [{"before": 0.1}],
            "left_out": {"mirror": {"why": 2}},
        },
        "finished_at": NOON,
    },
    {
        "kind": "anchor scoring",
        "state": "refused",
        "reason": "The engine was asleep.",
        "payload": {"judge": "j", "options": {}, "run": 1, "anchors": 5},
        "done": 1,
        "outcome": {"scores": [], "changed_pictures": ["late-0"]},
        "finished_at": NOON,
    },
    {
        "kind": "deletion",
        "state": "waiting",
        "by": "alice",
        "payload": {"about": 1, "slug": "gone", "title": "Gone"},
    },
    {
        "kind": "webhook message",
        "key": "test x",
        "state": "working",
        "holder": "me",
        "leased_until": NOON,
        "tries": 2,
        "reason": "Busy.",
        "due_at": NOON,
        "payload": {"event": "test", "about": "x", "body": {"id": 6, "event": "test"}},
    },
]
JOBS += [
    {
        "kind": "preview",
        "key": "look12",
        "state": "working",
        "by": "alice",
        "holder": "me",
        "leased_until": NOON,
        "tries": 2,
    }
]
DELIVERIES = [
    ["sent11", "sent", {}, {"kind": "labels"}],
    ["look12", "open", {"name": "Cups"}, {}],
]
FILES = [(kind, file) for kind in databases.KINDS for file in databases.kept(kind)]


def listed(jobs: list[dict]) -> list[str]:
    return sorted(json.dumps(job, sort_keys=True) for job in jobs)


@pytest.mark.parametrize(("kind", "file"), FILES, ids=[file.name for _, file in FILES])
def test_a_released_database_comes_forward_with_all_that_people_and_judges_said(
    kind, file, tmp_path
):
    if kind == "postgresql":
        needs.postgres()
    with databases.database(kind, tmp_path) as url:
        databases.fill(url, file)
        databases.execute(url, old_jobs.ROWS)
        flags = ["--no-backup"] if kind == "postgresql" else []
        upgraded = databases.run(url, tmp_path, "manage.py", "upgrade", *flags)
        assert upgraded.returncode == 0, upgraded.stderr
        looked = databases.run(url, tmp_path, "-m", "tests.released.look")
    assert looked.returncode == 0, looked.stderr
    # The tables are saved before they change.
    assert ("Saved 3 annotations, 8 images" in upgraded.stdout) == (not flags)
    for file in (tmp_path / "backups").glob("before-*.tar"):
        assert str(file) in upgraded.stdout
        with tarfile.open(file) as tar:
            assert backups.NOTE in tar.getnames()
    found = json.loads(looked.stdout)
    assert found["labels"] == [["bob", 1], ["bob", 0], ["bob", 1]]
    assert found["annotations"] == 3
    # A yes and a no by turns, in the order of the images' names.
    names = [f"{generator}-{number}" for generator in ("early", "late") for number in range(4)]
    assert found["scores"] == [[name, (place + 1) % 2] for place, name in enumerate(names)]
    assert found["votes"] == [["bob", "both"]]
    assert found["reports"] == 1
    # What was open stays so. An import keeps its number; others begin above all that there were.
    new = [job for job in found["jobs"] if job["kind"] != "upload"]
    assert sorted(job.pop("pk") for job in new) == list(range(901, 901 + len(new)))
    assert listed(found["jobs"]) == listed(JOBS)
    assert found["deliveries"] == DELIVERIES
    assert len(found["pages"]) > 30
    assert {name: status for name, status in found["pages"].items() if status != 200} == {}


def test_each_kind_of_database_is_kept_of_the_first_release_on():
    assert all(
        any("0.2.0" in file.name for file in databases.kept(kind)) for kind in databases.KINDS
    )


def test_the_files_stay_small():
    assert sum(file.stat().st_size for _, file in FILES) < 100_000 * len(FILES)
