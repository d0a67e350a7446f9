"""A database without tables, for one report: in a start of its own, since the tests' has them."""

import os

from tests.starts import Starter

PROGRAM = """
import django; django.setup()
from audit.from_files.tables import make_tables
make_tables()
make_tables()
from annotations.models import Study
from django.db import connection
print(Study.objects.count(), "django_session" in connection.introspection.table_names())
"""


def test_all_tables_are_made_at_once_and_without_a_word(tmp_path):
    starter = Starter(tmp_path)
    environment = {
        "PATH": os.environ["PATH"],
        "JURYBOX_VAR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "audit.settings",
        "DATABASE_URL": f"sqlite:///{tmp_path}/one.sqlite3",
    }
    ended = starter.run(PROGRAM, environment)
    starter.close()
    assert (ended.stdout, ended.stderr) == ("0 True\n", "")
