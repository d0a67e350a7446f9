"""`jurybox audit`: the app's digits, and nothing of it is left."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotations.exports.pseudonyms import name_in_reports
from annotations.models import Image, Study
from audit.models import Report
from tests.audit.series import tables

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def files(tmp_path) -> Path:
    return tables.write(tmp_path / "tables", images=120, judges=2)


def audit(folder: Path, *more: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    given = [str(folder / f"{name}.csv") for name in ("labels", "scores")]
    beside = [f"--{name}={folder / f'{name}.csv'}" for name in ("images", "generators")]
    call_command("audit", *given, *beside, *more, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.mark.django_db
def test_two_tables_give_the_digits_of_the_app_and_leave_no_study(files, tmp_path):
    out = tmp_path / "report.json"
    _, said = audit(files, f"--out={out}", "--title=tables", "--resamples=300")
    assert "labels.csv: labels, 360 rows, columns as they should be." in said
    assert "report.json: 120 images, 2 judges," in said
    assert (Study.objects.count(), Image.objects.count(), Report.objects.count()) == (0, 0, 0)
    call_command("import_study", "tables", str(files), format="tidy", stdout=io.StringIO())
    shown = io.StringIO()
    call_command("report", "tables", json=True, resamples=300, stdout=shown)
    # Whoever reads about their own files finds the names of the files, others find pseudonyms.
    names = {f"rater-{n}": name_in_reports("tables", f"rater-{n}") for n in range(3)}
    expected = out.read_text()
    for name, pseudonym in names.items():
        assert f'"{name}"' in expected
        expected = expected.replace(f'"{name}"', f'"{pseudonym}"')
    assert json.loads(expected) == json.loads(shown.getvalue())


def test_without_a_file_the_report_is_text_and_all_else_goes_beside_it(files):
    shown, said = audit(files, "--resamples=200")
    assert "judge-0" in shown
    assert "columns as they should be" in said and "columns as they should be" not in shown


@pytest.mark.parametrize(
    ("ending", "begins"),
    [("html", b"<!doctype html>"), ("tex", b"\\"), ("pdf", b"%PDF-"), ("txt", b"")],
)
def test_the_ending_of_the_file_says_how_the_report_is_written(files, tmp_path, ending, begins):
    out = tmp_path / f"report.{ending}"
    audit(files, f"--out={out}", "--resamples=200", "--judge=judge-1")
    content = out.read_bytes()
    assert len(content) > 500
    assert content[: len(begins)].lower() == begins.lower()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--out=report.docx"], "a report is written as one of .html, .pdf"),
        (["--resamples=5"], "at least 100 resamples"),
        (["--column=judge"], "write NAME=ROLE"),
        (["--judge=nobody"], "“nobody” has no scores"),
        (["--question=beauty"], "Nobody answered a question “beauty”"),
        (["--images=nowhere.csv"], "nowhere.csv cannot be read"),
        (["--out=/nowhere/report.json", "--resamples=200"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(files, more, words):
    with pytest.raises(CommandError) as refused:
        audit(files, *more)
    assert words in str(refused.value)


@pytest.mark.django_db
def test_a_study_of_the_same_name_is_neither_read_nor_changed(files):
    call_command("import_study", "labels", str(files), format="tidy", stdout=io.StringIO())
    before = Study.objects.get().images.count()
    (files / "scores.csv").write_text("image_id,judge,score\nim-0,other,0.5\nim-1,other,0.1\n")
    shown, _ = audit(files, "--resamples=200")
    assert "other" in shown and "judge-0" not in shown
    assert Study.objects.get().images.count() == before


def test_on_a_terminal_a_bar_shows_the_rows_and_then_the_report(files, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    audit(files, "--resamples=200")
    shown = terminal.getvalue()
    assert "rows: " in shown and "report: " in shown
    assert "%|" in shown and ": :" not in shown


def test_labels_that_name_other_images_than_the_scores_are_refused(tmp_path):
    folder = tables.write(tmp_path, images=10, judges=1)
    (folder / "scores.csv").write_text("image_id,judge,score\nelse-0,clip,0.5\n")
    with pytest.raises(CommandError, match="No image has both a label and a score"):
        audit(folder)


@pytest.mark.nightly("a large file; the tests beside it have small ones")
def test_a_thousand_images_by_five_judges_need_no_installation(tmp_path):
    """From a shell of its own, whatever is installed: the whole of `jurybox audit`, without a database."""
    folder = tables.write(tmp_path / "tables", images=1000, judges=5)
    environment = {
        **{k: v for k, v in os.environ.items() if k != "DJANGO_SETTINGS_MODULE"},
        # Of an installation that this has nothing to do with, and could not even reach.
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
        "ALLOWED_HOSTS": "jury.example",
        "JURYBOX_VAR": str(tmp_path / "installed"),
        "TMPDIR": str(tmp_path),
        "PYTHONWARNINGS": "ignore",
    }
    given = [f"{folder}/labels.csv", f"{folder}/scores.csv", f"--images={folder}/images.csv"]
    ended = subprocess.run(
        [sys.executable, "-m", "jurybox", "audit", *given, f"--out={tmp_path}/report.html"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"tables", "report.html"}


def two_tables(folder, values, scores) -> tuple[str, str]:
    """Labels and scores of as many images as there are scores."""
    labels, judged = folder / "labels.csv", folder / "scores.csv"
    rows = [
        f"i{n},{who},colour,{values[(n + len(who)) % len(values)]}"
        for n in range(len(scores))
        for who in ("a", "bb")
    ]
    labels.write_text("\n".join(["image_id,rater,question,value", *rows, ""]))
    rows = [f"i{n},j,{score}" for n, score in enumerate(scores)]
    judged.write_text("\n".join(["image_id,judge,score", *rows, ""]))
    return str(labels), str(judged)


@pytest.mark.parametrize("values", [["red", "blue"], ["1", "2", "red"]])
def test_answers_in_texts_or_mixed_are_refused_in_a_sentence(tmp_path, values):
    labels, scores = two_tables(tmp_path, values, [0.1, 0.2] * 20)
    with pytest.raises(CommandError, match="No question is answered in numbers alone"):
        call_command("audit", labels, scores, resamples=100, stdout=io.StringIO())


@pytest.mark.parametrize(
    ("bad", "words"),
    [("nan", "is NaN"), ("-inf", "is infinite"), ("1e120", "lies beyond 1e+100")],
)
def test_a_score_that_is_no_number_to_compute_with_is_named_as_what_it_is(tmp_path, bad, words):
    labels, scores = two_tables(tmp_path, ["1", "2"], [0.1, 0.2] * 20 + [bad])
    said = io.StringIO()
    call_command("audit", labels, scores, resamples=100, stdout=io.StringIO(), stderr=said)
    assert f"line 42, score = '{bad}': “score” {words}" in said.getvalue()


def test_an_answer_beyond_all_computing_is_refused_and_the_others_count(tmp_path):
    labels, scores = two_tables(tmp_path, ["1", "2", "1e120"], [0.1, 0.2] * 20)
    said = io.StringIO()
    call_command("audit", labels, scores, resamples=100, stdout=io.StringIO(), stderr=said)
    assert "“value” lies beyond 1e+100" in said.getvalue()
