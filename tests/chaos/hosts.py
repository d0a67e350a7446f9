"""An installation on hosts that share no disk: database, broker and bucket on one, web and worker on each
of the others. Here each host is a folder of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.chaos import servers
from tests.chaos.place import Place
from tests.waiting import reserve_port

HOSTS = 2
BUCKET = "pictures"


class Hosts(Place):
    def prepare(self, var: Path) -> None:
        port = reserve_port()
        self.bucket = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        part = servers.Part("bucket", command, os.environ, self.folder / "bucket.log")
        # It stands for a service that keeps what it has; this one keeps it in memory, so it is not killed.
        self._left.enter_context(servers.Supervisor([part]))

    def before_the_study(self) -> None:
        import boto3

        keys = {"AWS_ACCESS_KEY_ID": "chaos", "AWS_SECRET_ACCESS_KEY": "chaos"}
        self.environment |= {
            **keys,
            "MEDIA_BUCKET": f"s3://{BUCKET}?endpoint={self.bucket}",
            "SECRET_KEY": "the hosts of one installation have the same key, of so many characters",
        }
        client = boto3.client(
            "s3",
            endpoint_url=self.bucket,
            region_name="us-east-1",
            aws_access_key_id="chaos",
            aws_secret_access_key="chaos",
        )
        if servers.seconds_until(lambda: _made(client), 60) is None:
            raise SystemExit("The bucket did not start.")

    def parts_of_hosts(self) -> list[servers.Part]:
        self.ports = [self.port, *(reserve_port() for _ in range(HOSTS - 1))]
        parts = []
        for number, port in enumerate(self.ports, 1):
            folder = self.folder / f"host-{number}"
            (folder / "var").mkdir(parents=True)
            environment = {**self.environment, "JURYBOX_VAR": str(folder / "var")}
            web = servers.web(environment, folder, port)
            worker = servers.worker(environment, folder)
            web.name, worker.name = f"web of host {number}", f"worker of host {number}"
            parts += [web, worker]
        return parts


def _made(client) -> bool:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        client.create_bucket(Bucket=BUCKET)
    except (BotoCoreError, ClientError):
        return False
    return True
