"""A database without tables, for one report: in a start of its own, since the tests' has them."""

from tests.audit.test_settings import start

PROGRAM = """
from audit.from_files.tables import make_tables
make_tables()
make_tables()
from annotations.models import Study
from django.db import connection
print(Study.objects.count(), "django_session" in connection.introspection.table_names())
"""


def test_all_tables_are_made_at_once_and_without_a_word(tmp_path):
    url = f"sqlite:///{tmp_path}/one.sqlite3"
    ended = start(tmp_path, PROGRAM, DATABASE_URL=url)
    assert (ended.stdout, ended.stderr) == ("0 True\n", "")
