"""The console script: every command of `manage.py`, from wherever Jurybox is installed."""

from __future__ import annotations

import os
import sys
import tempfile
from importlib import import_module

# What people type first, and the command that does it.
SHORT = {"import": "import_study", "judge": "judge_lake", "test-judge": "test_judge"}
# These ask a running installation, and need neither Django nor a database of their own.
CLIENTS = {"check": "jurybox.check", "mcp": "jurybox.agents.command"}
# What an installation needs, and two tables do not.
OF_INSTALLATIONS = (
    *("ALLOWED_HOSTS", "SECRET_KEY", "DEBUG", "MEDIA_BUCKET", "MEDIA_ROOT", "CELERY_BROKER_URL"),
    *("DATABASE_URL", "OIDC_PROVIDER", "OIDC_ONLY", "METRICS_TOKEN"),
)


def main(arguments: list[str] | None = None, program: str = "jurybox") -> None:
    given = sys.argv[1:] if arguments is None else arguments
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")
    if program == "jurybox" and given and given[0] in CLIENTS:
        import_module(CLIENTS[given[0]]).main(given[1:])
        return
    if given[:1] != ["audit"]:
        _carry_out(program, given)
        return
    # It asks no database, and what its settings write goes away with it, whatever else is installed here.
    with tempfile.TemporaryDirectory(prefix="jurybox-audit-") as folder:
        for name in OF_INSTALLATIONS:
            os.environ.pop(name, None)
        os.environ["JURYBOX_VAR"] = folder
        _carry_out(program, given)


def _carry_out(program: str, given: list[str]) -> None:
    from django.core.management import execute_from_command_line

    name, rest = given[:1], given[1:]
    try:
        execute_from_command_line([program, *(SHORT.get(word, word) for word in name), *rest])
    except Exception as error:
        if words := _why_tables_do_not_fit():
            print(f"{words} ({type(error).__name__}: {error})", file=sys.stderr)
            sys.exit(2)
        raise


def _why_tables_do_not_fit() -> str:
    """Whatever a command stumbled over: of a database that another version migrated, say that alone."""
    try:
        from audit.installation import tables

        return tables.refusal()
    except Exception:
        # The settings cannot be read, or no database answers: what was raised first says so.
        return ""
