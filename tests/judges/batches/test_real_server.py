"""The batch door beside a live run, both on `transformers serve`, a real server, with a small random LLaVA."""

from __future__ import annotations

import json
from urllib.request import Request, urlopen

import pytest

from judges.batches import door
from judges.models import Look, Run, Score
from judges.runs import lifecycle, score_chunk
from jurybox_judging import registry
from tests import making
from tests.judging.engines.test_real_server import server  # noqa: F401

pytestmark = [
    pytest.mark.nightly("a real model server; test_door.py has a stand-in"),
    pytest.mark.neural,
    pytest.mark.django_db,
]


def answer(line: str, address: str) -> str:
    """What a batch machine does with a line: asks, and writes what came under the line's id."""
    request = json.loads(line)
    asked = Request(
        f"{address}/chat/completions",
        json.dumps(request["body"]).encode(),
        {"Content-Type": "application/json"},
    )
    with urlopen(asked, timeout=60) as got:
        response = {"status_code": got.status, "body": json.load(got)}
    return json.dumps({"custom_id": request["custom_id"], "response": response})


def looks() -> list:
    rows = Look.objects.values_list("image__key", "asked", "told")
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def scores(run: Run) -> list:
    return list(
        Score.objects.filter(run=run)
        .order_by("image__key")
        .values_list("image__key", "value", "error")
    )


def test_files_give_the_looks_and_scores_of_the_live_run_and_a_kill_between_them_costs_none(
    server,  # noqa: F811
    tmp_path,
):
    address, checkpoint = server
    study = making.study(prompts=2)
    given = {"base_url": address, "checkpoint": checkpoint, "system": "", "pause": 0.01}
    options = {"self_test": False, **{f"talk.{name}": value for name, value in given.items()}}
    registry.forget_engines()
    live = lifecycle.start_run(study=study, name="dsg-server", options=options)
    score_chunk.work_off(run=live)
    seen, judged = looks(), scores(live)
    assert seen and judged
    live.delete()
    Look.objects.all().delete()
    registry.forget_engines()

    def out(name: str, **more):
        folder = tmp_path / name
        return folder, door.write_out(
            study=study, name="dsg-server", options=options, folder=folder, **more
        )

    def back(folder):
        return door.take_in(study=study, name="dsg-server", options=options, folder=folder)

    folder, shards = out("batch", per_file=1)
    assert shards.count == len(shards.files) > 1
    first, *_ = sorted(folder.glob("requests-*.jsonl"))
    (folder / "answers-1.jsonl").write_text(answer(first.read_text(), address))
    # The machine was killed after its first file: what it has answered is not asked again.
    began = back(folder)
    # Both generators drew the same picture: one request is two looks.
    assert began.stored == 2 and began.missing > 0 and began.run is None
    rest, others = out("rest", per_file=1)
    assert others.count == shards.count - 1
    for file in sorted(rest.glob("requests-*.jsonl")):
        (rest / file.name.replace("requests", "answers")).write_text(
            answer(file.read_text(), address)
        )
    taken = back(rest)
    assert taken.missing == 0 and taken.run.state == Run.State.FINISHED
    assert (looks(), scores(taken.run)) == (seen, judged)
