"""Run the tests that touch the database on PostgreSQL: `python -m tests.on_postgres`."""

import os
import subprocess
import sys

from tests.needs import POSTGRES_URL, answers


def main() -> int:
    if not answers(POSTGRES_URL):
        words = f"SKIPPED: no PostgreSQL answers at {POSTGRES_URL}; set TEST_POSTGRES_URL."
        print(words, flush=True)
        return 1 if "postgres" in os.environ.get("JURYBOX_REQUIRE", "").split() else 0
    command = [sys.executable, "-m", "pytest", "-m", "django_db and not browser", *sys.argv[1:]]
    environment = {**os.environ, "DATABASE_URL": POSTGRES_URL}
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
