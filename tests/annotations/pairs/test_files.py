import csv
import uuid
from collections import Counter

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.models import Image, Membership, Pair, PairVote
from annotations.pairs import assign, draws, files, record
from tests import making
from tests.annotations.pairs.votes import votes_of

pytestmark = pytest.mark.django_db


def said_in(study):
    """Who beat whom, as often."""
    return Counter(
        {"first": vote.first, "second": vote.second}.get(vote.value, vote.value)
        for vote in votes_of(study)
    )


def test_votes_go_out_and_come_into_another_study_as_the_same_counts(study, bob, charlie, tmp_path):
    draws.draw(study=study, per_prompt=1)
    for person in (bob, charlie):
        for said in ("left", "right", "both", "cannot_tell"):
            record.record_vote(
                pair=assign.next_pair(annotator=person).pair,
                annotator=person,
                said={"match": said},
                submission=uuid.uuid4(),
            )
    out = tmp_path / "pairs.csv"
    call_command("export_pairs", study.slug, "--out", str(out))
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert list(rows[0]) == [
        *("pair_id", "prompt_id", "first", "second", "rater", "question", "value", "left"),
        "language",
    ]
    assert Counter(row["value"] for row in rows)["tie"] == 2
    assert "bob" not in out.read_text()

    other = making.study("other")
    call_command("import_pairs", other.slug, str(out))
    assert said_in(other) == said_in(study)
    assert PairVote.objects.filter(study=other).count() == len(rows) == 8
    assert Counter(v.left for v in votes_of(other)) == Counter(v.left for v in votes_of(study))
    assert set(Pair.objects.filter(study=other).values_list("taken", flat=True)) == {2}
    # Twice is as once, also where the people answered themselves.
    call_command("import_pairs", other.slug, str(out))
    call_command("import_pairs", study.slug, str(out))
    assert PairVote.objects.filter(study=study).count() == 8
    assert PairVote.objects.filter(study=other).count() == 8


def write(path, *rows):
    head = "pair_id,prompt_id,first,second,rater,question,value,left"
    path.write_text("\n".join([head, *rows]) + "\n")
    return str(path)


@pytest.mark.parametrize("name", ["=1+1", "'=1+1", "'plain", "plain"])
def test_a_name_that_a_spreadsheet_could_run_comes_back_as_it_was(name):
    row = dict.fromkeys(files.COLUMNS, "x") | {
        "rater": name,
        "value": "first",
        "left": "",
        "language": "",
    }
    lines = "".join(files.csv_lines([row])).splitlines()
    assert ",=" not in lines[1]
    assert files.vote_of(next(files.read(lines)), 2).rater == name


def test_a_pair_in_the_other_order_is_the_same_pair_turned_round(study, tmp_path):
    file = write(tmp_path / "p.csv", "a,p0,late-0,early-0,ann,match,first,second")
    call_command("import_pairs", study.slug, file)
    (vote,) = votes_of(study)
    assert {"first": vote.first, "second": vote.second}[vote.value] == "late"
    assert {"first": vote.first, "second": vote.second}[vote.left] == "early"


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("a,p0,early-0,late-0,ann,match,left,", "no vote"),
        ("a,p0,early-0,early-0,ann,match,first,", "two images"),
        ("a,p0,early-0,late-1,ann,match,first,", "not of prompt"),
        ("a,p0,early-0,gone,ann,match,first,", "no image “gone”"),
        ("a,p0,early-0,late-0,,match,first,", "rater is empty"),
        ("a,p0,early-0,late-0,Bob,match,first,", "answers here themselves"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_taken(study, bob, tmp_path, row, why):
    file = write(tmp_path / "p.csv", "b,p1,early-1,late-1,ann,match,first,", row)
    with pytest.raises(CommandError, match=f"Line 3: .*{why}"):
        call_command("import_pairs", study.slug, file)
    assert not PairVote.objects.exists()
    assert not Pair.objects.exists()
    assert not Membership.objects.filter(name="ann").exists()
    assert Image.objects.filter(study=study).count() == 8


def test_sixty_votes_take_the_queries_of_six(db, tmp_path):
    made = making.study("many", prompts=20, files=False)
    counts = []
    for start, stop in ((0, 2), (2, 20)):
        rows = [
            f"{n},p{n},early-{n},late-{n},{who}-{start},match,first,"
            for n in range(start, stop)
            for who in ("ann", "ben", "cat")
        ]
        file = write(tmp_path / "p.csv", *rows)
        with CaptureQueriesContext(connection) as asked:
            call_command("import_pairs", made.slug, file)
        # The first file also makes the plan and the draw; the savepoints of both count.
        counts.append(len([q for q in asked if "SAVEPOINT" not in q["sql"]]))
    assert PairVote.objects.filter(study=made).count() == 60
    assert counts[1] <= counts[0]
