"""The three ways that are walked: made anew in a database of their own, as tests do."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import setup_test_environment, teardown_test_environment

from annotations.models import Membership, Study
from annotations.pairs import assign, draws, record
from audit.reports.make import make_report
from tests import making
from tests.audit.series import tables
from tests.house.walks import Walk


@contextmanager
def database() -> Iterator[None]:
    setup_test_environment()
    name = connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)
        teardown_test_environment()


def _labelled() -> tuple[Study, Membership]:
    study = making.study(prompts=8)
    owner = making.person(study, "owner", role="owner")
    keys = study.images.order_by("pk").values_list("key", flat=True)
    for number, name in enumerate(("ann", "ben")):
        making.labels(study, {key: {name: (at + number) % 3 > 0} for at, key in enumerate(keys)})
    making.scores(study, {key: at % 2 for at, key in enumerate(keys)})
    return study, owner


def _browser(person: Membership) -> Client:
    browser = Client()
    browser.force_login(person.user)
    return browser


def from_label_to_claim() -> Walk:
    study, owner = _labelled()
    bob, browser, walk = making.person(study, "bob"), _browser(owner), Walk()

    def work() -> None:
        making.label(bob)
        make_report(study=study)
        assert browser.get(f"/studies/{study.slug}/audit/").status_code == 200

    walk.follow(work)
    return walk


def from_vote_to_leaderboard() -> Walk:
    study, owner = _labelled()
    draws.plan(study)
    draws.draw(study=study, per_prompt=1)
    bob, browser, walk = making.person(study, "bob"), _browser(owner), Walk()

    def work() -> None:
        turn = assign.next_pair(annotator=bob)
        assert turn is not None
        answer = {"match": "left"}
        record.record_and_give_next(
            pair=turn.pair, annotator=bob, said=answer, submission=uuid.uuid4()
        )
        assert browser.get(f"/studies/{study.slug}/leaderboard/").status_code == 200

    walk.follow(work)
    return walk


def from_two_tables_to_report() -> Walk:
    walk = Walk()
    with tempfile.TemporaryDirectory() as name:
        folder = tables.write(Path(name), images=40, judges=1)
        parts = {name: folder / f"{name}.csv" for name in ("images", "generators")}
        given = [str(folder / f"{name}.csv") for name in ("labels", "scores")]
        out, unread = folder / "report.json", StringIO()
        walk.follow(lambda: call_command("audit", *given, **parts, out=out, stderr=unread))
        assert out.stat().st_size
    return walk


WAYS = {
    "returns, label to claim": from_label_to_claim,
    "returns, vote to leaderboard": from_vote_to_leaderboard,
    "returns, two tables to report": from_two_tables_to_report,
}
