"""The example notebooks run from the first cell to the last, in a kernel of their own."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys

import pytest
from django.core.management import call_command

from annotations.models import Study
from audit.reports import make as reports
from tests import making
from tests.jurybox.wheels import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
RUN = (
    "import asyncio, sys, nbformat; from nbclient import NotebookClient;"
    "book = nbformat.read(sys.argv[1], 4); NotebookClient(book, timeout=120).execute();"
    "nbformat.write(book, sys.argv[1])"
)


def run(name: str, folder, **environment: str) -> list[dict]:
    """The cells with their outputs."""
    for part in ("notebooks", "tutorial"):
        shutil.copytree(ROOT / "docs" / part, folder / part)
    ended = subprocess.run(
        [sys.executable, "-c", RUN, name],
        cwd=folder / "notebooks",
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": str(ROOT),
            "IPYTHONDIR": str(folder / "ipython"),
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads((folder / "notebooks" / name).read_text())["cells"]


def shown(cells: list[dict], kind: str) -> str:
    """All that the cells show of this kind."""
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return "".join("".join(output.get("data", {}).get(kind, "")) for output in outputs)


def test_there_are_three_and_none_is_kept_with_its_outputs():
    assert len(NOTEBOOKS) == 3
    for book in NOTEBOOKS:
        cells = json.loads(book.read_text())["cells"]
        assert [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.nightly("a notebook from end to end; test_study.py has the same calls")
def test_a_study_over_the_api(live_server, tmp_path):
    call_command(
        "import_study", "tutorial", ROOT / "docs" / "tutorial", format="tidy", stdout=io.StringIO()
    )
    study = Study.objects.get()
    owner = making.person(study, "olga", role="owner")
    reports.make_report(study=study)
    cells = run(
        "1-a-study.ipynb",
        tmp_path,
        JURYBOX_ADDRESS=live_server.url,
        JURYBOX_TOKEN=making.token(owner.user, scope="read"),
    )
    assert "vega" in shown(cells, "text/html")
    assert "<td>drifts</td>" in shown(cells, "text/html")


@pytest.mark.parametrize("name", ["2-two-tables.ipynb", "3-statistics.ipynb"])
@pytest.mark.nightly("a notebook from end to end; from_files has the same calls")
def test_without_a_server(name, tmp_path):
    assert shown(run(name, tmp_path), "text/plain")
