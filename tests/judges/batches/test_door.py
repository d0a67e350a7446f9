"""The batch door: a judge's requests go out as files and its answers come in as files, and the scores are
those of the live run."""

from __future__ import annotations

import json
import random

import pytest
from django.core.management import CommandError, call_command

from judges.batches import door, files
from judges.models import Look, Run, Score
from judges.runs import lifecycle, score_chunk
from jurybox_judging import registry
from jurybox_judging.errors import JudgeRefused
from tests import making
from tests.judging.engines.openai_stand_in import Asked, Reply, standing_in, told

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_engines")]
JUDGE = "soft-tifa-gm-server"


@pytest.fixture
def study(db):
    """Twelve prompts, two questions for each; both generators drew the same pictures."""
    return making.study(prompts=12)


@pytest.fixture
def batch(tmp_path):
    return tmp_path / "batch"


def reply(asked, before=0):
    """As a model would: another number for each question and picture, and no answer to some."""
    seed = random.Random(asked.text + asked.picture)
    if seed.random() < 0.1:
        return Reply({"error": {"message": "too wet"}}, status=400)
    yes = round(seed.uniform(0.05, 0.9), 6)
    return told(("Yes", yes), ("No", round(0.95 - yes, 6)))


def options(url="http://127.0.0.1:9/v1", **more):
    pace = {"pause": 0.001, "longest_pause": 0.05, "attempts": 2, "timeout": 300}
    given = {"checkpoint": "judge-1", "base_url": url, **pace}
    return {"self_test": False, **{f"answers.{k}": v for k, v in given.items()}, **more}


def live(study):
    """What a server answers, asked picture by picture; then nothing of it is left."""
    with standing_in(reply) as state:
        run = lifecycle.start_run(study=study, name=JUDGE, options=options(state.url))
        score_chunk.work_off(run=run)
        asked = len(state.asked)
    scores = scores_of(run)
    run.delete()
    Look.objects.all().delete()
    registry.forget_engines()
    return scores, asked


def scores_of(run):
    rows = Score.objects.filter(run=run).order_by("image__key")
    return [
        (key, value, correct, error.replace("127.0.0.1", "").split(" answered with ")[-1])
        for key, value, correct, error in rows.values_list(
            "image__key", "value", "correct", "error"
        )
    ]


def requests(folder):
    return [
        json.loads(line)
        for file in sorted(folder.glob("requests-*.jsonl"))
        for line in file.read_text().splitlines()
    ]


def answered(request):
    """A line as batch machines write it."""
    got = reply(Asked("", {}, request["body"]))
    response = {"status_code": got.status, "request_id": "x", "body": got.body}
    return json.dumps({"id": "b", "custom_id": request["custom_id"], "response": response})


def out(study, folder, **more):
    return door.write_out(study=study, name=JUDGE, options=options(), folder=folder, **more)


def back(study, folder):
    return door.take_in(study=study, name=JUDGE, options=options(), folder=folder)


def test_a_batch_gives_the_scores_of_the_live_run(study, batch):
    scores, asked = live(study)
    assert len({value for _, value, *_ in scores}) > 5 and any(error for *_, error in scores)
    shards = out(study, batch, per_file=5)
    assert shards.count == asked == 24
    assert [file["requests"] for file in shards.files] == [5, 5, 5, 5, 4]
    written = requests(batch)
    assert len({one["custom_id"] for one in written}) == 24
    assert {one["url"] for one in written} == {"/v1/chat/completions"}
    # All questions about a picture stand side by side.
    pictures = [Asked("", {}, one["body"]).picture for one in written]
    changes = sum(a != b for a, b in zip(pictures, pictures[1:], strict=False))
    assert changes == len(set(pictures)) - 1
    (batch / "results.jsonl").write_text("\n".join(map(answered, written)))
    taken = back(study, batch)
    assert taken.missing == 0 and taken.run.state == Run.State.FINISHED
    assert scores_of(taken.run) == scores
    # Everything is known now, but what was refused is asked again.
    again = out(study, batch / "again").count
    assert 0 < again == sum('"status_code": 400' in answered(one) for one in written)


def test_shuffled_doubled_cut_off_and_foreign_lines_leave_the_scores(study, batch):
    scores, _ = live(study)
    out(study, batch)
    lines = [answered(one) for one in requests(batch)]
    random.Random(3).shuffle(lines)
    foreign = json.dumps({"custom_id": "0" * 40, "response": {"status_code": 200, "body": {}}})
    wrong = json.dumps({"custom_id": json.loads(lines[0])["custom_id"], "response": None})
    (batch / "a.jsonl").write_text("\n".join([*lines[:10], foreign, "", '["no object"]']))
    (batch / "b.jsonl").write_text("\n".join([wrong, *lines[10:], lines[11], lines[3][:40]]))
    taken = back(study, batch)
    assert scores_of(taken.run) == scores
    assert (taken.results.doubled, taken.results.foreign, taken.results.bad) == (2, 1, 2)
    assert taken.results.wrong == [
        "a.jsonl, line 13: no answer with a custom_id, perhaps cut off.",
        f"b.jsonl, line {len(lines) - 10 + 3}: no answer with a custom_id, perhaps cut off.",
    ]


def test_what_came_is_kept_and_only_the_rest_is_asked_again(study, batch):
    scores, _ = live(study)
    out(study, batch)
    lines = [answered(one) for one in requests(batch)]
    (batch / "first.jsonl").write_text("\n".join(lines[:15]))
    taken = back(study, batch)
    assert taken.run is None and taken.missing > 0
    assert not Run.objects.exists() and Look.objects.count() == taken.stored > 0
    rest = out(study, batch / "rest").count
    assert rest == 24 - 15 + sum('"status_code": 400' in line for line in lines[:15])
    (batch / "second.jsonl").write_text("\n".join(lines[15:]))
    assert scores_of(back(study, batch).run) == scores


def test_an_engine_whose_self_test_has_no_answer_yet_lacks_one(study, batch):
    out(study, batch)
    (batch / "results.jsonl").write_text("\n".join(map(answered, requests(batch))))
    taken = door.take_in(study=study, name=JUDGE, options=options(self_test=True), folder=batch)
    assert (taken.missing, taken.run) == (1, None)


def test_a_server_that_was_too_busy_is_asked_again(study, batch):
    out(study, batch)
    lines = [json.loads(answered(one)) for one in requests(batch)]
    lines[0]["response"]["status_code"] = 429
    lines[1] |= {"response": None, "error": {"code": "batch_expired"}}
    (batch / "results.jsonl").write_text("\n".join(map(json.dumps, lines)))
    taken = back(study, batch)
    assert taken.run is None
    # Two images are of the same picture and words; each lacks its answer.
    assert taken.missing == 2 * 2


def test_a_kill_between_shards_costs_none(study, batch, monkeypatch):
    whole = [
        one["custom_id"] for one in (out(study, batch / "whole"), requests(batch / "whole"))[1]
    ]
    written = []
    real = files.Shards._write

    def killed(self):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(1)
        real(self)

    monkeypatch.setattr(files.Shards, "_write", killed)
    with pytest.raises(KeyboardInterrupt):
        out(study, batch / "cut", per_file=5)
    assert len(requests(batch / "cut")) == 10
    assert not (batch / "cut" / "batch.json").exists()
    monkeypatch.setattr(files.Shards, "_write", real)
    out(study, batch / "cut", per_file=5)
    assert [one["custom_id"] for one in requests(batch / "cut")] == whole


def test_a_judge_that_asks_no_server_has_no_batch(study, batch):
    with pytest.raises(JudgeRefused, match="A batch is for judges that ask a server"):
        door.write_out(study=study, name="geneval-builtin", options={}, folder=batch)


def test_the_commands_say_what_to_do_next(study, batch, capsys):
    given = [
        f"--option={name}={str(value).lower() if value is False else value}"
        for name, value in options().items()
    ]
    call_command("run_judge", study.slug, JUDGE, *given, batch_out=batch)
    said = capsys.readouterr().out
    assert said.startswith("24 requests in 1 files in") and "--batch-in" in said
    with pytest.raises(CommandError, match="holds no answers"):
        call_command("run_judge", study.slug, JUDGE, *given, batch_in=batch)
    lines = [answered(one) for one in requests(batch)]
    (batch / "some.jsonl").write_text("\n".join(lines[:-1]))
    with pytest.raises(CommandError, match="questions have no answer yet. What came is stored"):
        call_command("run_judge", study.slug, JUDGE, *given, batch_in=batch)
    (batch / "rest.jsonl").write_text(lines[-1])
    call_command("run_judge", study.slug, JUDGE, *given, batch_in=batch)
    said = capsys.readouterr().out
    assert "24 of 24 images, finished" in said
    with pytest.raises(CommandError, match="one at a time"):
        call_command("run_judge", study.slug, JUDGE, batch_in=batch, batch_out=batch)
