"""A lake is judged with the digits of a run; what was judged stays, whatever happens after."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotations.storage import written_files
from judges.lake import cluster, work
from judges.lake.score_files import ScoreFolder
from judges.lake.sources import LakeRefused
from judges.lake.work import fingerprint_of
from judges.models import AtomScore, Run, Score
from judges.runs import lifecycle, score_chunk
from jurybox_judging import registry
from tests import making
from tests.judges.lake.making_lake import JUDGE, judged, parquet, rows, samples_of, some, tar
from tests.judging.engines import tiny_clip

pytestmark = pytest.mark.django_db
SCORE = ("image__key", "value", "correct", "reason", "error", "evidence", "assumed")
ATOM = ("score__image__key", "atom__index", "value", "error")


def scored(name, options):
    """By workers, as rows; then the run is gone."""
    study = making.study(prompts=6)
    run = lifecycle.start_run(study=study, name=name, options=options)
    score_chunk.work_off(run=run)
    told = rows_of(run)
    fingerprint = run.judge.fingerprint
    run.delete()
    return study, told, fingerprint


def rows_of(run):
    scores = Score.objects.filter(run=run).order_by("image__key").values_list(*SCORE)
    return (
        [tuple(map(timeless, row)) for row in scores],
        list(AtomScore.objects.filter(score__run=run).order_by(*ATOM[:2]).values_list(*ATOM)),
    )


def timeless(value):
    """Evidence says how long an engine took."""
    if isinstance(value, dict):
        return {name: timeless(one) for name, one in value.items() if name != "seconds"}
    return [timeless(one) for one in value] if isinstance(value, list) else value


def brought(out, **more):
    call_command("import_scores", "shapes", str(out), format="lake_scores", **more)
    return Run.objects.select_related("judge").get()


@pytest.mark.parametrize("name", [JUDGE, "geneval-builtin", "dsg-builtin"])
def test_a_lake_has_the_scores_that_workers_give(name, tmp_path):
    study, told, fingerprint = scored(name, {})
    assert any(row[1] is not None for row in told[0])
    tar(tmp_path / "lake" / "a.tar", samples_of(study)[:5])
    parquet(tmp_path / "lake" / "b.parquet", samples_of(study)[5:])
    done = judged(tmp_path / "lake", tmp_path / "out", name=name)
    assert (done.pictures, done.skipped, done.fingerprint) == (12, [], fingerprint)
    run = brought(tmp_path / "out")
    assert rows_of(run) == told
    assert run.judge.fingerprint == fingerprint
    assert (run.state, run.expected, run.scored) == ("finished", 12, 12)


@pytest.mark.neural
def test_a_neural_judge_gives_the_same_digits(tmp_path, settings):
    settings.JUDGE_WEIGHTS = [str(tmp_path)]
    (tmp_path / "clip").mkdir()
    weights = f"local-dir:{tiny_clip.save_open_clip(tmp_path / 'clip')}"
    options = {
        "similarity.checkpoint": weights,
        "similarity.device": "cpu",
        "similarity.batch": 4,
        "self_test": False,
    }
    study, told, fingerprint = scored(NEURAL, options)
    tar(tmp_path / "lake" / "a.tar", samples_of(study))
    done = judged(tmp_path / "lake", tmp_path / "out", name=NEURAL, options=options, per_part=500)
    assert done.fingerprint == fingerprint
    digits = [row[:2] for row in rows_of(brought(tmp_path / "out"))[0]]
    assert digits == [row[:2] for row in told[0]]
    assert len({value for _, value in digits}) > 1


NEURAL = "clip-score"


@pytest.fixture
def lake(tmp_path):
    tar(tmp_path / "lake" / "a.tar", some(7))
    tar(tmp_path / "lake" / "b.tar", some(2))
    return tmp_path / "lake"


def test_a_picture_that_cannot_be_read_has_a_reason_and_no_score(tmp_path):
    samples = some(3)
    samples[1] = (samples[1][0], samples[1][1][:-20], samples[1][2])
    tar(tmp_path / "lake" / "a.tar", samples)
    done = judged(tmp_path / "lake", tmp_path / "out")
    assert (done.pictures, done.unscored) == (3, 1)
    first, second, _ = rows(tmp_path / "out")
    assert first["value"] is not None
    assert second["value"] is None
    assert second["error"].startswith("The file is damaged")


def test_after_a_kill_only_what_is_missing_is_judged(lake, tmp_path):
    out = tmp_path / "out"

    def killed(*asked):
        for number, result in enumerate(work.here(*asked)):
            if number == 2:
                raise KeyboardInterrupt
            yield result

    with pytest.raises(KeyboardInterrupt):
        judged(lake, out, results=killed)
    (out / "my.part").write_bytes(b"somebody's")
    draft = out / f".{'0' * 32}.part"
    draft.write_bytes(b"half")
    with (out / ".jurybox-scores").open("a") as listing:
        listing.write(f"{draft.name}\n")
    before = {path.name: path.stat().st_mtime_ns for path in out.glob("*.parquet")}
    assert len(before) == 2
    done = judged(lake, out)
    assert (done.parts, done.before, done.pictures) == (4, 2, 9)
    assert {name: (out / name).stat().st_mtime_ns for name in before} == before
    assert [path.name for path in out.glob("*.part")] == ["my.part"]
    assert len(rows(out)) == 9

    def nobody(*asked):
        raise AssertionError("There was nothing to do.")

    assert judged(lake, out, results=nobody).before == 4


def test_a_full_disk_is_a_sentence_and_keeps_what_is_there(lake, tmp_path, monkeypatch):
    out, written = tmp_path / "out", []
    fsync = written_files.os.fsync

    def full(handle):
        written.append(handle)
        # Two for each part: the list of what is ours, and the part.
        if len(written) == 6:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(written_files.os, "fsync", full)
    with pytest.raises(LakeRefused, match="cannot be written: No space left on device.*are kept"):
        judged(lake, out)
    assert sorted(path.suffix for path in out.iterdir()) == ["", ".parquet", ".parquet"]
    monkeypatch.undo()
    assert judged(lake, out).pictures == 9


def test_a_folder_of_scores_is_of_one_judge_and_one_source(lake, tmp_path):
    out = tmp_path / "out"
    judged(lake, out)
    with pytest.raises(LakeRefused, match=f"is of the judge “{JUDGE}”"):
        judged(lake, out, name="geneval-builtin")
    with pytest.raises(LakeRefused, match="was made with other options"):
        judged(lake, out, options={"mean": "geometric"})
    with pytest.raises(LakeRefused, match="was cut at 3 pictures"):
        judged(lake, out, per_part=4)
    tar(lake / "b.tar", some(30))
    with pytest.raises(LakeRefused, match="b.tar has changed since"):
        judged(lake, out)
    (lake / "b.tar").unlink()
    with pytest.raises(LakeRefused, match="which this source does not have"):
        judged(lake, out)


def test_another_version_of_a_judge_does_not_go_on(lake, tmp_path, monkeypatch):
    out = tmp_path / "out"
    judged(lake, out)
    next(iter(out.glob("b-*"))).unlink()
    monkeypatch.setattr("jurybox_judging.engines.builtin.BuiltinEngine.version", "99")
    registry.forget_engines()
    with pytest.raises(LakeRefused, match="are of another judge: engine version was"):
        judged(lake, out)
    registry.forget_engines()


def test_a_damaged_part_is_named(lake, tmp_path):
    out = tmp_path / "out"
    judged(lake, out)
    part = min(out.glob("*.parquet"))
    part.write_bytes(part.read_bytes()[:-9])
    with pytest.raises(LakeRefused, match=f"{part.name} is damaged.*Remove it"):
        judged(lake, out)
    part.unlink()
    parquet(out / "own.parquet", some(1))
    with pytest.raises(LakeRefused, match="own.parquet is no part of a judged lake"):
        judged(lake, out)


def test_the_command_says_what_was_judged_and_what_comes_next(lake, tmp_path, capsys):
    tar(lake / "c.tar", [("1", making.png(), {"prompt": ""})])
    given = ["judge_lake", str(lake), "--judge", JUDGE, "--out", str(tmp_path / "out")]
    call_command(*given, "--here")
    told = capsys.readouterr().out
    assert "9 pictures in 3 parts; 0 without a score; 1 skipped." in told
    assert "c.tar, 1: The prompt is empty." in told
    assert "--format lake_scores" in told
    (line,) = (tmp_path / "out" / "skipped.jsonl").read_text().splitlines()
    assert json.loads(line) == {"where": "c.tar, 1", "why": "The prompt is empty."}
    call_command(*given, "--here", "--json")
    assert json.loads(capsys.readouterr().out)["parts_before"] == 3


def test_without_ray_the_command_says_how_to_go_on(lake, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(CommandError, match="pip install 'jurybox.ray.'.*--here"):
        call_command("judge_lake", str(lake), "--judge", JUDGE, "--out", str(tmp_path / "out"))
    with pytest.raises(CommandError, match="--column size=…: a column is one of prompt"):
        call_command(
            *("judge_lake", str(lake), "--judge", JUDGE, "--out", str(tmp_path / "out")),
            *("--here", "--column", "size=x"),
        )


@pytest.mark.parametrize(
    ("weights", "card", "share"),
    [
        (None, 80.0, 1.0),
        (2.0, None, 1.0),
        # 1.5 · 2 + 1 = 4 of 80, and never more than 8 on a card.
        (2.0, 80.0, 1 / 8),
        # 1.5 · 16 + 1 = 25 of 80: three.
        (16.0, 80.0, 1 / 3),
        (60.0, 80.0, 1.0),
        # 144 on cards of 80.
        (144.0, 80.0, 2.0),
    ],
)
def test_a_judge_takes_the_share_of_a_card_that_its_weights_want(weights, card, share):
    assert cluster.gpu_share(weights, card) == share


# --- into a study -------------------------------------------------------------------------------


@pytest.fixture
def out(tmp_path) -> Path:
    """Scores of the study's own pictures."""
    study = making.study(prompts=3)
    tar(tmp_path / "lake" / "a.tar", samples_of(study))
    judged(tmp_path / "lake", tmp_path / "out")
    return tmp_path / "out"


def test_scores_come_in_once(out, capsys):
    brought(out)
    assert "Imported 6 scores." in capsys.readouterr().out
    brought(out)
    assert Score.objects.count() == 6
    assert "Nothing is new." in capsys.readouterr().out


def test_a_dry_run_writes_nothing(out):
    call_command("import_scores", "shapes", str(out), format="lake_scores", dry_run=True)
    assert not Run.objects.exists()


def test_parts_of_two_judges_are_refused(out, tmp_path):
    judged(tmp_path / "lake", tmp_path / "other", options={"mean": "geometric"})
    part = next((tmp_path / "other").glob("*.parquet"))
    part.rename(out / f"z-{part.name}")
    with pytest.raises(CommandError, match="other weights or options are another judge"):
        brought(out)
    assert not Run.objects.exists()


def test_a_part_that_names_a_fingerprint_which_is_not_its_own_is_refused(out):
    folder = ScoreFolder(out)
    folder.begin([])
    for name, facts in list(folder.parts()):
        facts["identity"]["method_version"] = "99"
        folder.write(name, facts, folder.rows(name))
    with pytest.raises(CommandError, match="does not know its judge"):
        brought(out)


def change_facts(out, judge=JUDGE, *, of_judge=(), **changed):
    """With the fingerprint that its changed judge has."""
    folder = ScoreFolder(out)
    folder.begin([])
    for name, facts in list(folder.parts()):
        identity = facts["identity"] | dict(of_judge)
        mark = fingerprint_of(judge, identity)
        facts |= {"judge": judge, "identity": identity, "fingerprint": mark, **changed}
        folder.write(name, facts, folder.rows(name))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"file": []}, "of a format that this version does not know"),
        ({"is_last": 1}, "of a format that this version does not know"),
        ({"skipped": [["a.png"]]}, "of a format that this version does not know"),
        ({"of_judge": {"options": 3}}, "of a format that this version does not know"),
        ({"of_judge": {"more": "x"}}, "of a format that this version does not know"),
        ({"of_judge": {"method": "x" * 81}}, "says of its judge what cannot be stored: method"),
        ({"judge": "nobody"}, "There is no judge named “nobody”"),
    ],
)
def test_a_part_whose_facts_are_not_what_they_should_be_is_refused(out, changed, words):
    change_facts(out, **changed)
    with pytest.raises(CommandError, match=words):
        brought(out)
    assert not Run.objects.exists()


PART = {"index": 0, "value": 0.5, "reason": ""}


@pytest.mark.parametrize(
    ("atoms", "reason"),
    [
        (None, "“atoms” must be a list."),
        ([PART, PART], "Atom 0 is judged twice."),
        ([PART | {"index": 7}], "This prompt has no atom 7."),
    ],
)
def test_a_row_whose_parts_are_not_those_of_its_prompt_is_refused(out, atoms, reason, capsys):
    folder = ScoreFolder(out)
    folder.begin([])
    for name, facts in list(folder.parts()):
        folder.write(name, facts, [row | {"atoms": atoms} for row in folder.rows(name)])
    brought(out, json=True)
    told = json.loads(capsys.readouterr().out)
    assert [row["reason"] for row in told["rejected"]] == [reason] * 6
    assert not Score.objects.exists()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"prompt": "a blue circle"}, "The prompt of this image is “a red circle, number 0”."),
        ({"atoms": []}, ""),
        ({"metadata": {"tag": "other"}}, "The prompt has another “tag” in this study."),
    ],
)
def test_scores_of_other_prompts_are_refused_row_by_row(tmp_path, change, reason, capsys):
    study = making.study(prompts=2)
    key, picture, about = samples_of(study)[0]
    tar(tmp_path / "lake" / "a.tar", [(key, picture, about | change), *samples_of(study)[1:]])
    judged(tmp_path / "lake", tmp_path / "out")
    brought(tmp_path / "out", json=True)
    told = json.loads(capsys.readouterr().out)
    assert [row["reason"] for row in told["rejected"]] == ([reason] if reason else [])
    assert told["scores"] == (3 if reason else 4)


def test_a_score_of_another_picture_is_refused(tmp_path, capsys):
    study = making.study(prompts=1)
    (key, _, about), second = samples_of(study)
    tar(tmp_path / "lake" / "a.tar", [(key, making.png((1, 2, 3)), about), second])
    judged(tmp_path / "lake", tmp_path / "out")
    with pytest.raises(CommandError, match="1 rows were refused; nothing was imported"):
        brought(tmp_path / "out", strict=True)
    assert "The study has another picture under this name." in capsys.readouterr().out
    assert not Run.objects.exists()


def test_an_empty_folder_and_another_judge_are_refused(out, tmp_path):
    with pytest.raises(CommandError, match="holds no parts"):
        brought(tmp_path)
    with pytest.raises(CommandError, match="These scores are by"):
        brought(out, judge="geneval-builtin")


def test_images_that_the_lake_did_not_have_are_missing(out, capsys):
    next(out.glob("*000001.parquet")).unlink()
    brought(out)
    told = capsys.readouterr().out
    assert "6 images expected, 3 with a judgement; 3 are missing." in told
    assert "1 files of the lake are not judged to their end: a.tar." in told
