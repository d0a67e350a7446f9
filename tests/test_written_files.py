"""Whatever we write into a folder that somebody names, what they keep there stays byte for byte."""

import ast
import itertools
import json
import shutil
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from annotations.errors import Refused
from annotations.storage.written_files import WriteRefused, WrittenFolder, new_folder
from audit.handed_in import formats
from audit.installation.backups.make import back_up
from audit.trackers import log
from audit.training.candidates import TrainingOptions
from audit.training.freeze import freeze
from audit.training.write import write_set
from judges.batches.files import Shards
from tests import making
from tests.judges.lake import making_lake
from tests.test_layering import ROOT, files

pytestmark = pytest.mark.django_db
LIST, STALE = ".jurybox-test", "answers/2020-01.parquet"


def write_lake(study, folder):
    call_command("export_lake", str(folder.parent), study.slug)


def write_batch(study, folder):
    shards = Shards(folder)
    shards.add(b"{}")
    shards.close({"study": study.slug, "judge": "some", "fingerprint": "abc"})


def judge_lake(study, folder):
    lake = folder.parent / "pictures"
    making_lake.tar(lake / "a.tar", making_lake.samples_of(study)[:2])
    try:
        making_lake.judged(lake, folder)
    finally:
        shutil.rmtree(lake)


def write_records(study, folder):
    call_command("eval_records", study.slug, str(folder))


def write_site(study, folder):
    call_command("site", str(folder), "--from=a.json")


def write_training_set(study, folder):
    made = freeze(study=study, asked=TrainingOptions("some-judge", "paper", category="color"))
    write_set(made, folder, "imagefolder")


def write_latex(study, folder):
    formats.write_beside(None, "latex", folder / "report.tex")


def write_tensorboard(study, folder):
    report = folder.parent / "shapes-report-1.json"
    report.write_text("{}")
    try:
        about = {"study": folder.name}
        given = log.ToLog("shapes", about, {}, 1, report)
        log.TRACKERS["tensorboard"][1](given, folder.parent.name, folder.parent.parent)
    finally:
        report.unlink()


def write_labels(study, folder):
    folder.mkdir(exist_ok=True)
    call_command("export_labels", study.slug, out=folder / "labels.csv")


# Each that fills a folder, and those that lay files beside one that was named.
WRITERS = {
    "export_lake": write_lake,
    "run_judge --batch-out": write_batch,
    "judge_lake": judge_lake,
    "export_study": lambda study, folder: call_command("export_study", study.slug, str(folder)),
    "export_dataset": lambda study, folder: call_command("export_dataset", study.slug, str(folder)),
    "select_training": write_training_set,
    "eval_records": write_records,
    "site": write_site,
    "report --format latex": write_latex,
    "log_report": write_tensorboard,
    "export_labels": write_labels,
    "backup": lambda study, folder: back_up(folder),
}
# They may be called again, for the same folder.
AGAIN = {"export_lake", "run_judge --batch-out", "judge_lake"}
BESIDE = {"report --format latex", "log_report", "export_labels"}
NAMES = (
    "train-0000.parquet", "mydata/train-0000.parquet", "manifest.json", "images.parquet", "batch.json",
    "requests-00001.jsonl", "requests-00001.part", "requests-mine.jsonl", "skipped.jsonl", "my.part",
    "state.pt", "index.html", "figure-1.pdf", "shapes-report-1.json", "labels.csv.README.json",
    "README.json", "data/train-00000-of-00001.parquet",
)  # fmt: skip

# A folder of scores takes none of these, and says so.
NOT_IN_SCORES = {name for name in NAMES if name.endswith(".parquet")} | {"skipped.jsonl"}


@pytest.fixture
def study(monkeypatch):
    made = making.study("shapes", prompts=40, overlap=1)
    keys = [f"{name}-{n}" for name in ("early", "late") for n in range(40)]
    making.scores(made, {key: int(key.partition("-")[2]) / 40 for key in keys})
    making.labels(made, {keys[0]: {"ann": 1}})
    record = {"data/shapes/a.json": b"{}"}
    monkeypatch.setattr("audit.cards.report_records.record_files", lambda study, **how: record)
    page = {"index.html": b"<p>", "cards/a.html": b"<p>"}
    monkeypatch.setattr("audit.management.commands.site.read_cards", lambda *cards: [])
    monkeypatch.setattr("audit.management.commands.site.build_site", lambda cards, **how: page)
    monkeypatch.setattr(formats, "figure_files", lambda document: {"figure-1.pdf": b"%PDF"})
    writer = SimpleNamespace(add_scalar=print, add_text=print, close=print)
    library = SimpleNamespace(SummaryWriter=lambda place: writer)
    monkeypatch.setattr(log, "_library", lambda name, package: library)
    return made


@pytest.fixture
def place(tmp_path):
    """A folder of somebody, in which the folder that is written to lies or will lie."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    for name in ("shapes.part", "shapes.1.part"):
        lay(theirs, f"{name}/thesis.tex")
    lay(theirs, "else/0.parquet")
    lay(theirs, "a file")
    return theirs


def lay(folder, name):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"Mine: {name}")


def lay_links(folder, *names):
    """Links to what lies beside the folder, under names that writers use."""
    for name in names:
        path = folder / name
        if not path.exists() and not path.is_symlink():
            target = "else" if not path.suffix else "a file"
            path.symlink_to(folder.parent / target)


def found_in(folder):
    return {
        path: path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        for path in folder.rglob("*")
    }


def expect_kept(before, folder):
    after = found_in(folder)
    assert {path: after.get(path) for path in before} == before


@pytest.mark.parametrize("name", WRITERS)
def test_what_lies_in_a_folder_stays_when_a_writer_is_sent_there(name, study, place):
    folder = place / "shapes"
    for one in NAMES:
        lay(folder, one)
    lay_links(folder, "scores", "answers", "prompts.parquet", "labels.csv.link")
    before = found_in(place)
    with pytest.raises((Refused, CommandError)) as refused:
        WRITERS[name](study, folder)
    words = (
        "is there, and Jurybox did not write it"
        if name in BESIDE
        else "empty|already exists|is damaged"
    )
    assert refused.match(words)
    expect_kept(before, place)


@pytest.mark.parametrize("name", WRITERS)
def test_what_lies_beside_our_files_stays_when_they_are_written_again(name, study, place):
    folder = place / "shapes"
    before = found_in(place)
    if name in BESIDE:
        folder.mkdir()
    WRITERS[name](study, folder)
    ours = set(found_in(place))
    if folder.is_dir():
        for one in NAMES:
            if not (folder / one).exists() and not (name == "judge_lake" and one in NOT_IN_SCORES):
                lay(folder, one)
        lay_links(folder, "index", "cards", "more.txt")
    before |= {path: what for path, what in found_in(place).items() if path not in ours}
    if name in AGAIN | BESIDE:
        WRITERS[name](study, folder)
    else:
        with pytest.raises((Refused, CommandError)):
            WRITERS[name](study, folder)
    expect_kept(before, place)


@pytest.mark.parametrize("name", ["images.parquet", "skipped.jsonl"])
def test_scores_are_not_written_to_where_somebody_elses_files_have_their_names(name, study, place):
    folder = place / "shapes"
    judge_lake(study, folder)
    lay(folder, name)
    with pytest.raises(Refused, match=name):
        judge_lake(study, folder)
    assert (folder / name).read_text() == f"Mine: {name}"


def listed(folder):
    (listing,) = folder.glob(".jurybox-*")
    return set(listing.read_text().splitlines())


def write(folder, *names, **how):
    made = WrittenFolder(folder, "test", **how)
    for name in names:
        with made.file(name) as file:
            file.write(name.encode())
    return made


def test_what_an_earlier_writing_made_and_this_one_does_not_goes_and_nothing_else(tmp_path):
    folder = tmp_path / "ours"
    made = write(folder, "a", "b/c", "b/d")
    made.keep(made.written)
    lay(folder, "b/theirs")
    made = write(folder, "a", "e")
    assert listed(folder) >= {"a", "b/c", "b/d", "e"}
    made.keep(made.written)
    assert {path.name for path in folder.rglob("*")} == {LIST, "a", "b", "e", "theirs"}
    assert listed(folder) == {LIST, "a", "e"}


def test_after_a_kill_the_folder_is_ours_and_its_drafts_go(tmp_path):
    folder = tmp_path / "ours"
    made = WrittenFolder(folder, "test")
    with pytest.raises(KeyboardInterrupt), made.file("b/a"):
        (draft,) = folder.rglob("*.part")
        shutil.copy(draft, tmp_path / "draft")
        raise KeyboardInterrupt
    shutil.copy(tmp_path / "draft", draft)
    lay(folder, "b/.mine.part")
    write(folder, "a")
    assert not draft.exists()
    assert (folder / "b" / ".mine.part").exists()


def test_no_link_is_followed_and_none_is_replaced(tmp_path, place):
    folder = tmp_path / "ours"
    write(folder, "a", "b/0.parquet")
    shutil.rmtree(folder / "b")
    (folder / "b").symlink_to(place / "else")
    (folder / "a").unlink()
    (folder / "a").symlink_to(place / "a file")
    before = found_in(place) | found_in(folder)
    before.pop(folder / LIST)
    made = WrittenFolder(folder, "test")
    for name in ("a", "b/0.parquet", "b/1.parquet"):
        with pytest.raises(WriteRefused, match="Move it away"), made.file(name):
            raise AssertionError("It was opened.")
    made.keep([])
    expect_kept(before, tmp_path)
    (folder / LIST).unlink()
    (folder / LIST).symlink_to(place / "a file")
    with pytest.raises(WriteRefused, match="is not empty"):
        WrittenFolder(folder, "test")
    with pytest.raises(WriteRefused, match="Move it away"):
        write(folder, "c", beside_others=True)
    expect_kept(before, tmp_path)


@pytest.mark.parametrize("name", ["../theirs", "/{}/theirs", "b/../../theirs", "", "\0"])
def test_a_list_that_names_what_lies_outside_removes_nothing(name, tmp_path):
    lay(tmp_path, "theirs")
    lay(tmp_path, f"ours/{LIST}")
    (tmp_path / "ours" / LIST).write_text(name.format(tmp_path) + "\n")
    WrittenFolder(tmp_path / "ours", "test").keep([])
    assert (tmp_path / "theirs").read_text() == "Mine: theirs"


def test_a_new_folder_is_whole_or_not_there_and_may_be_an_empty_one(tmp_path):
    lay(tmp_path, "a.part/theirs")
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path / "a") as draft:
        lay(draft, "half")
        raise KeyboardInterrupt
    assert {path.name for path in tmp_path.iterdir()} == {"a.part"}
    (tmp_path / "a").mkdir()
    with new_folder(tmp_path / "a") as draft:
        lay(draft, "b/c")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(WriteRefused, match="Name a new one"), new_folder(tmp_path / "link"):
        raise AssertionError("It was opened.")


@pytest.mark.parametrize(("first", "then"), list(itertools.permutations(sorted(AGAIN), 2)))
def test_one_writer_leaves_the_folder_of_another(first, then, study, place):
    folder = place / "shapes"
    WRITERS[first](study, folder)
    before = found_in(folder)
    with pytest.raises((Refused, CommandError)):
        WRITERS[then](study, folder)
    expect_kept(before, folder)


def test_what_an_earlier_version_wrote_is_listed_before_anything_else_is(tmp_path):
    lay(tmp_path, "a")
    WrittenFolder(tmp_path, "test", earlier=["a"])
    assert WrittenFolder(tmp_path, "test").ours == {LIST, "a"}


@pytest.mark.parametrize("name", sorted(AGAIN))
def test_a_folder_of_a_version_that_kept_no_list_is_taken_as_ours(name, study, place):
    folder = place / "shapes"
    WRITERS[name](study, folder)
    (listing,) = folder.glob(".jurybox-*")
    listing.unlink()
    ours = {path for path in folder.rglob("*") if path.is_file()}
    lay(folder, "theirs")
    WRITERS[name](study, folder)
    assert {path.relative_to(folder).as_posix() for path in ours} <= listed(folder)
    assert "theirs" not in listed(folder)


def test_a_lake_loses_the_months_and_judges_that_its_earlier_manifest_named(study, place):
    folder = place / "shapes"
    write_lake(study, folder)
    told = json.loads((folder / "manifest.json").read_text())
    told["files"].append({"file": STALE, "sha256": "0"})
    (folder / "manifest.json").write_text(json.dumps(told))
    (folder / ".jurybox-lake").unlink()
    lay(folder, STALE)
    lay(folder, "answers/mine.parquet")
    write_lake(study, folder)
    assert not (folder / STALE).exists()
    assert (folder / "answers" / "mine.parquet").exists()


# Who else removes, renames, or opens for writing, and why nothing of somebody else can be there.
ELSEWHERE = {
    "a file of the clone that was not there": {"audit/management/commands/start.py"},
    "a temporary folder or file of its own, or a new folder": {
        *("annotations/imports/new_prompts.py", "annotations/pages/form_values.py"),
        "annotations/exports/doccano.py",
        "packages/formats/jurybox_formats/sources/archive_limits.py",
        "packages/formats/jurybox_formats/sources/archives.py",
        "packages/formats/jurybox_formats/sources/parquet_rows.py",
        *("judges/intake/uploads.py", "audit/charts/on_paper.py"),
        *("packages/formats/jurybox_formats/two_tables.py", "audit/handed_in/pdf.py"),
        *("audit/test_judge/sent_files.py", "audit/trackers/log.py", "audit/training/formats.py"),
        *("judges/exports/dataset.py", "judges/exports/study_folder.py"),
    },
    "the installation's own data": {
        *("annotations/database/rehearsal.py", "annotations/storage/folder.py", "audit/demo.py"),
        "audit/installation/backups/restore.py",
        *("audit/installation/backups/sqlite_database.py", "audit/installation/message_files.py"),
        *("audit/installation/page_scripts.py", "audit/installation/server_errors.py"),
        *("audit/installation/vega_script.py", "audit/settings.py"),
        "judges/intake/deliveries.py",
    },
    "one file, which was named to be written or added to": {
        "annotations/management/command.py",
        "annotations/management/commands/export_pairs.py",
        "jurybox/check.py",
    },
    "weights that the hub's cache calls by a hash which is not theirs": {
        "packages/judging/jurybox_judging/engines/shared/weight_files.py"
    },
}
REMOVE = {"unlink", "rmtree", "rmdir", "removedirs", "move", "rename", "renames"}
WRITE = {"write_text", "write_bytes", "touch", "symlink_to", "hardlink_to"}


def changes_files(call):
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    owner = getattr(getattr(call.func, "value", None), "id", "")
    if name in ("replace", "remove"):
        # A text's `replace` has two arguments.
        return owner == "os" or (name == "replace" and len(call.args) == 1 and not call.keywords)
    if name == "open" and owner != "archive":
        texts = [one.value for one in call.args if isinstance(one, ast.Constant)]
        return any(
            text in {f"{how}{kind}" for how in "wxa" for kind in ("", "b")} for text in texts
        )
    return name in REMOVE | WRITE


def test_who_else_changes_files_is_known():
    found = {
        file.relative_to(ROOT).as_posix()
        for file in files()
        if any(
            isinstance(node, ast.Call) and changes_files(node)
            for node in ast.walk(ast.parse(file.read_text()))
        )
    }
    assert found - {"annotations/storage/written_files.py"} == set().union(*ELSEWHERE.values())
