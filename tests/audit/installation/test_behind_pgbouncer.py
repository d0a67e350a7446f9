"""The whole product behind PgBouncer in transaction mode, with fewer connections than people."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import pytest

from tests import needs
from tests.bench import labelling_beside
from tests.bench.bench_labelling import crowd
from tests.bench.labelling_server import Installation
from tests.waiting import reserve_port, wait_until

IMAGES, PEOPLE, EACH = 60, 12, 10
BESIDE = ("an import of images", "an import of scores", "a report", "an export")
POOL = """
[databases]
* = host={host} port={port} user={user} password={password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
auth_type = any
pool_mode = transaction
default_pool_size = 6
max_client_conn = 200
unix_socket_dir =
"""


class Pooled(Installation):
    port_of_pool = 0

    def database_url(self) -> str:
        parts = urlsplit(super().database_url())
        user = f"{parts.username}:{parts.password}" if parts.password else parts.username
        return parts._replace(netloc=f"{user}@127.0.0.1:{self.port_of_pool}").geturl()


@contextmanager
def pgbouncer(folder):
    server = urlsplit(needs.POSTGRES_URL)
    own = reserve_port()
    file = folder / "pgbouncer.ini"
    there = {"host": server.hostname, "port": server.port or 5432, "user": server.username}
    file.write_text(POOL.format(**there, password=server.password or "none", own=own))
    # It does not run as root.
    user = ["-u", "nobody"] if os.getuid() == 0 else []
    folder.chmod(0o755)
    with (folder / "pgbouncer.log").open("w") as log:
        command = [needs.pgbouncer(), *user, str(file)]
        child = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        address = f"postgres://127.0.0.1:{own}"
        wait_until(lambda: needs.answers(address), "a connection to PgBouncer")
        yield own
    finally:
        child.terminate()
        child.wait(timeout=20)


@pytest.mark.nightly("database/test_locks.py holds the locks that a pooler needs")
def test_people_label_and_commands_work_side_by_side():
    needs.pgbouncer()
    needs.needed("postgres", needs.answers(needs.POSTGRES_URL), "No PostgreSQL answers.")
    with TemporaryDirectory() as folder, pgbouncer(Path(folder)) as own:
        Pooled.port_of_pool = own
        settings = {"DATABASE_POOLED": "True", "LOG_LEVEL": "ERROR"}
        with Pooled("postgres", settings, images=IMAGES, overlap=3, people=PEOPLE) as there:
            commands = dict(labelling_beside.commands(there.folder, IMAGES))
            with ThreadPoolExecutor() as pool:
                beside = [pool.submit(there.manage, *commands[what]) for what in BESIDE]
                found = crowd(there, there.cookies, EACH)
                done = [one.result() for one in beside]
            stored = there.run("check")
    assert [one.returncode for one in done] == [0] * len(BESIDE), [one.stderr for one in done]
    assert found["refused"] == []
    assert set(found["acknowledged"]) <= set(stored["submissions"])
    assert len(found["acknowledged"]) == PEOPLE * EACH
    wrong = {name: stored[name] for name in ("doubled", "over", "places_wrong")}
    assert wrong == dict.fromkeys(wrong, 0)
