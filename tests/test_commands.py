import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command

from annotations.models import Annotation, Study
from audit import demo
from audit.models import Report
from tests import making

pytestmark = pytest.mark.django_db


def run(*arguments, **options):
    out = io.StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def small_demo(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    return demo.build_demo(prompts=10, generators=3, size=128, seed=7)


def test_the_demo_study_is_whole_and_marked_as_simulated(small_demo):
    assert small_demo.simulated
    assert small_demo.images.count() == 30
    assert small_demo.generators.count() == 3
    assert small_demo.annotations.count() == 90
    assert all(m.simulated for m in small_demo.memberships.all())
    assert small_demo.prompts.first().atoms.count() >= 3


def test_the_demo_built_twice_is_the_same_demo(small_demo):
    before = set(small_demo.images.values_list("key", "sha256"))
    demo.build_demo(prompts=10, generators=3, size=128, seed=7)
    assert set(small_demo.images.values_list("key", "sha256")) == before
    assert small_demo.annotations.count() == 90


def test_the_demo_keeps_its_three_log_ins(small_demo):
    logins = demo.demo_logins(small_demo)
    assert set(logins) == {"owner", "researcher", "annotator"}
    assert demo.demo_logins(small_demo) == logins
    roles = dict(small_demo.memberships.filter(user__isnull=False).values_list("name", "role"))
    assert roles == {"owner": "owner", "researcher": "researcher", "annotator": "annotator"}


def test_a_judge_runs_to_its_end_and_the_report_is_one_json_object(small_demo):
    words = run("run_judge", "demo", "geneval-builtin", "--wait")
    assert words == "geneval-builtin: 30 of 30 images, finished\n"
    printed = json.loads(run("report", "demo", "--json", "--resamples", "200"))
    assert printed["study"] == "demo"
    assert printed["simulated"] is True
    overall = printed["judges"]["geneval-builtin"]["overall"]
    assert overall["n"] == 30
    assert overall["human_score"]["low"] <= overall["human_score"]["value"]
    assert printed == Report.objects.get().body


def test_without_waiting_a_run_is_left_to_the_workers(small_demo):
    assert "0 of 30 images, running" in run("run_judge", "demo", "geneval-builtin")


def test_options_of_a_judge_are_read_as_values(small_demo):
    run("run_judge", "demo", "geneval-builtin", "--option", "position_threshold=0.2")
    assert small_demo.runs.get().judge.options["position_threshold"] == 0.2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run_judge", "nowhere", "geneval-builtin"], "no study “nowhere”"),
        (["run_judge", "demo", "nobody"], "no judge named “nobody”"),
        (["run_judge", "demo", "geneval-builtin", "--option", "speed"], "takes k=v"),
        (["run_judge", "demo", "geneval-builtin", "--option", "speed=1"], "these options"),
        (["report", "nowhere"], "no study “nowhere”"),
        (["report", "demo", "--question", "mood"], "Nobody answered a question “mood”"),
        (["report", "demo", "--judge", "nobody"], "“nobody” has no scores"),
        (["report", "demo", "--resamples", "3"], "at least 100 resamples"),
        (["export_labels", "nowhere"], "no study “nowhere”"),
        (["demo", "--size", "5", "--no-serve"], "128 to 1024 pixels"),
    ],
)
def test_a_command_that_cannot_be_done_ends_with_a_sentence(small_demo, arguments, words):
    with pytest.raises(CommandError, match=words):
        run(*arguments)


def test_the_report_for_people_begins_with_what_is_the_case(small_demo):
    run("run_judge", "demo", "geneval-builtin", "--wait")
    text = run("report", "demo", "--resamples", "200")
    assert text.startswith("demo, question “aligned” (simulated)\n\nGenEval (built-in)")
    assert "Method" in text
    assert "Inkling" in text


def test_exported_labels_are_the_rows_of_the_database(small_demo, tmp_path):
    file = tmp_path / "labels.csv"
    call_command("export_labels", "demo", out=file, pseudonyms="nobody", stderr=io.StringIO())
    with file.open(newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    # 30 images × 3 people × 2 questions
    assert len(rows) == 180
    for row in rows[:20]:
        annotation = Annotation.objects.get(
            study=small_demo, image__key=row["image_id"], annotator__name=row["rater"]
        )
        assert annotation.answers.get(question=row["question"]).value == float(row["value"])
        assert row["form"] == "geneval-audit v1"


def test_labels_go_to_standard_output_without_a_file(small_demo, capsys):
    call_command("export_labels", "demo", format="jsonl")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 180
    assert set(json.loads(lines[0])) >= {"image_id", "rater", "question", "value"}


def test_a_cell_that_a_spreadsheet_would_run_is_defused(db, tmp_path):
    study = making.study()
    making.labels(study, {"early-0": {"=cmd()": 1}})
    file = tmp_path / "labels.csv"
    call_command("export_labels", "shapes", out=file, pseudonyms="nobody", stderr=io.StringIO())
    with file.open(newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["rater"] for row in rows] == ["'=cmd()"]


def test_a_file_that_cannot_be_written_is_said_and_leaves_nothing(small_demo, tmp_path):
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export_labels", "demo", out=tmp_path / "no" / "labels.csv")
    assert list(tmp_path.glob("*.csv*")) == []


def test_the_whole_demo_without_serving_ends_with_a_report(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    settings.STATIC_ROOT = tmp_path / "static"
    run(
        *("demo", "--prompts", "10", "--generators", "2", "--size", "128", "--signs", "1"),
        *("--edits", "1", "--no-serve"),
    )
    study = Study.objects.get(slug="demo")
    assert set(study.runs.values_list("state", flat=True)) == {"finished"}
    assert study.reports.count() >= 1
    again = run(
        *("demo", "--prompts", "10", "--generators", "2", "--size", "128", "--signs", "1"),
        *("--edits", "1", "--no-serve"),
    )
    assert "is kept as it is" in again


def test_an_import_that_cannot_write_on_says_what_is_kept_and_how_to_go_on(
    study, tmp_path, monkeypatch
):
    import errno

    from annotations.imports import write_study

    def full(**_):
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "labels.csv").write_text("image_id,rater,question,value\nearly-0,ann,aligned,1\n")
    monkeypatch.setattr(write_study, "import_records", full)
    with pytest.raises(CommandError, match="No space left on device.*import the same file again"):
        call_command("import_labels", study.slug, str(tmp_path / "labels.csv"))


def bring(tmp_path, name, *flags):
    """The study that the command makes of what lies in the folder."""
    run("import_study", name, str(tmp_path), *flags)
    return Study.objects.get(slug=name)


def test_a_column_is_what_the_flag_says_where_the_guess_is_wrong(db, tmp_path):
    (tmp_path / "rows.csv").write_text("caption,words,model\na red cup,two dogs,SDXL\n")
    guessed = bring(tmp_path, "guessed", "--format", "table")
    assert guessed.prompts.get().text == "a red cup"
    said = bring(
        tmp_path,
        *("said", "--format", "table", "--column", "words=prompt", "--column", "caption=ignore"),
    )
    assert said.prompts.get().text == "two dogs"
    with pytest.raises(CommandError, match="--column words: write NAME=WHAT"):
        bring(tmp_path, "wrong", "--format", "table", "--column", "words")


def test_a_questions_labels_are_what_the_flag_says(db, tmp_path):
    (tmp_path / "images.csv").write_text(
        "image_id,prompt_id,prompt,generator\na,p,a red cup,SDXL\nb,p,a red cup,FLUX\n"
    )
    (tmp_path / "labels.csv").write_text(
        "image_id,rater,question,value\na,ann,nice,1\nb,ann,nice,0\n"
    )
    words = run("import_study", "guessed", str(tmp_path), "--format", "tidy")
    assert "“nice”: its scale was inferred as yes/no" in words
    words = run(
        "import_study", "said", str(tmp_path), "--format", "tidy", "--question", "nice=number"
    )
    assert "“nice”: its scale was inferred as a number" in words
    with pytest.raises(CommandError, match="--question nice: write NAME=WHAT"):
        bring(tmp_path, "wrong", "--format", "tidy", "--question", "nice")


def test_folders_and_names_are_what_the_flags_say(db, tmp_path):
    pictures = tmp_path / "pictures"
    for number, prompt in enumerate(("two dogs", "a red cup")):
        (pictures / prompt).mkdir(parents=True)
        (pictures / prompt / "flux.png").write_bytes(making.png((number, 0, 0)))
    said = bring(
        pictures, "said", "--format", "pictures", "--folder", "prompt", "--name", "generator"
    )
    assert {prompt.text for prompt in said.prompts.all()} == {"two dogs", "a red cup"}
    assert said.generators.get().name == "flux"
    other = bring(
        pictures, "other", "--format", "pictures", "--folder", "generator", "--name", "prompt"
    )
    assert [prompt.text for prompt in other.prompts.all()] == ["flux"]
    assert {g.name for g in other.generators.all()} == {"two dogs", "a red cup"}
