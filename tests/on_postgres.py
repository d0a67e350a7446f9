"""Run on PostgreSQL what may differ there: `python -m tests.on_postgres`.

The same tests run on SQLite with all others. Chosen are those of statements written by hand, locks,
many rows at once, JSON, ordered lists, refused writes inside a transaction, text and numbers that
one of the two databases does not take. `test_on_postgres.py` holds the list complete. With `ALL=1`
every test that touches the database runs: `make test-all` does that.
"""

import os
import sys

from tests.needs import POSTGRES_URL, answers
from tests.run import run_pytest

CHOSEN = (
    # Statements and locks of the database's own, and all that stands on them.
    *("annotations/copies", "annotations/database", "annotations/anchors/test_again.py"),
    *("annotations/api/test_once.py", "annotations/test_jobs.py", "annotations/stored_answers"),
    *("annotations/test_versions.py", "annotations/test_votes_version.py"),
    *("annotations/labelling/test_assign.py", "annotations/labelling/test_at_once.py"),
    *("annotations/labelling/test_own_work.py", "annotations/labelling/test_record.py"),
    *("annotations/labelling/test_reserve.py", "annotations/pairs"),
    *("annotations/studies/test_deletion.py", "annotations/studies/test_generators.py"),
    *("annotations/studies/test_invitations.py", "annotations/studies/test_known_answers.py"),
    *("annotations/studies/test_personal_data.py", "annotations/studies/test_retention.py"),
    *("annotations/studies/test_settings.py", "audit/accounts/test_addresses.py"),
    *("audit/accounts/test_lockout.py", "audit/accounts/test_second_factor.py"),
    *("audit/installation/test_backup_drill.py", "audit/installation/test_health.py"),
    *("audit/installation/test_migrate.py", "judges/cards/test_measure.py"),
    *("judges/parts/test_freeze.py", "judges/runs/test_local_weights.py"),
    *("test_lock_is_short.py", "test_workers.py"),
    # Many rows at once, and what is refused in the middle of a transaction.
    *("annotations/imports", "judges/intake/test_deliveries.py", "judges/runs/test_lifecycle.py"),
    *("judges/runs/test_release_dates.py", "judges/runs/test_run_contract.py", "judges/looks"),
    "judges/preferences",
    # Lists: what comes first, what is counted, what is grouped.
    *("annotations/test_access.py", "annotations/exports"),
    *("annotations/forms/test_translations.py", "annotations/studies/test_adjudication.py"),
    *("annotations/studies/test_annotator_quality.py", "annotations/studies/test_crowd.py"),
    *("audit/anchors/test_draw.py", "audit/contests/test_rankings.py"),
    *("audit/contests/test_useful_pairs.py", "audit/images", "audit/series"),
    *("audit/next_labels/test_draw.py", "audit/pages/test_data.py"),
    *("audit/questions/test_jury.py", "audit/repairs/test_repairs.py", "test_api.py"),
    # Reports are read from rows as arrays.
    "audit/reports/test_digits.py",
    # JSON, text and numbers that SQLite takes.
    "annotations/test_errors.py",
    "hostile/test_odd_json.py",
    "hostile/test_read_only.py",
    "judges/test_erased.py",
    "judges/test_own_recipes.py",
)


def main() -> int:
    if not answers(POSTGRES_URL):
        words = f"SKIPPED: no PostgreSQL answers at {POSTGRES_URL}; set TEST_POSTGRES_URL."
        print(words, flush=True)
        return 1 if "postgres" in os.environ.get("JURYBOX_REQUIRE", "").split() else 0
    if os.environ.get("ALL"):
        chosen = ["-m", "django_db and not browser"]
    else:
        chosen = ["-m", "django_db and not nightly", *(f"tests/{path}" for path in CHOSEN)]
    return run_pytest([*chosen, *sys.argv[1:]], {**os.environ, "DATABASE_URL": POSTGRES_URL})


if __name__ == "__main__":
    raise SystemExit(main())
