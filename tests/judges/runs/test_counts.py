"""What is kept of a run's scores is what counting them gives."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judges import tasks
from judges.intake import bring_in
from judges.models import Run, Score
from judges.runs import counts, lifecycle, queries
from jurybox_formats.registry import Source
from tests import making

pytestmark = pytest.mark.django_db


def kept(run: Run) -> tuple[int, int, int]:
    """After a count that finds nothing wrong."""
    assert not counts.recount(run.pk)
    run.refresh_from_db()
    return run.scored, run.failed, run.assumed


def test_a_worker_keeps_them_batch_by_batch(study):
    run = lifecycle.start_run(study=study, name="geneval-builtin")
    assert kept(run) == (0, 0, 0)
    for chunk in lifecycle.chunks_to_wake():
        tasks.score_chunk_task(chunk)
    assert kept(run) == (8, 0, 0)
    row = queries.run_row(run)
    assert (row.done, row.failed, row.percent) == (8, 0, 100)


def test_what_failed_is_counted_until_it_is_tried_again(study):
    run = making.scores(study, {"early-0": 0.5, "late-0": "the file is broken"})
    assert kept(run) == (2, 1, 0)
    # The same again, which is written by nobody.
    making.scores(study, {"early-0": 0.5})
    assert kept(run) == (2, 1, 0)
    lifecycle.take_up(run)
    assert kept(run) == (1, 0, 0)


def test_imports_keep_them_whole_scores_and_those_of_atoms(study, tmp_path):
    file = tmp_path / "scores.csv"

    def bring(*lines: str) -> Run:
        file.write_text("\n".join(("image_id,judge,score,atom", *lines)))
        bring_in.import_scores(study=study, source=Source(file))
        return Run.objects.get()

    # An image of which atoms alone have scores has none itself, until that is imported, too.
    assert kept(bring("early-0,vqa,0.5,0", "early-1,vqa,0.5,")) == (2, 1, 0)
    assert kept(bring("early-0,vqa,0.7,", "late-0,vqa,0.1,")) == (3, 0, 0)
    assert kept(bring("early-0,vqa,0.7,")) == (3, 0, 0)


def test_the_doctor_puts_right_what_is_kept(study):
    run = making.scores(study, {"early-0": 0.5})
    Run.objects.update(scored=7, failed=3)
    err = StringIO()
    call_command("doctor", "--recount", stdout=StringIO(), stderr=err)
    assert err.getvalue().startswith("Counted again: 1 run, 0 generators, ")
    assert kept(run) == (1, 0, 0)


def test_no_look_at_the_runs_counts_scores(study):
    making.scores(study, {"early-0": 0.5})
    making.scores(study, {"early-0": 0.5}, name="other")
    with CaptureQueriesContext(connection) as seen:
        queries.run_rows(study)
    assert not [one["sql"] for one in seen if Score._meta.db_table in one["sql"]]
