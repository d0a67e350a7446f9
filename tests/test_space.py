"""What the image of a Space starts, without a container: another user, a root that nobody can write, the few
places that stay writable."""

from __future__ import annotations

import contextlib
import http.cookiejar
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

from audit.installation import lasting_disk
from tests.jurybox import wheels
from tests.needs import needed
from tests.waiting import reserve_port, wait_for_port

ROOT = Path(__file__).resolve().parent.parent
SPACE = ROOT / "deploy" / "space"
HOST = "owner-name.hf.space"
PERSON = 1000
# The machine's programs and libraries stand in for those of the base image.
MACHINE = ("/usr", "/etc", sys.base_prefix, str(Path(sys.prefix).resolve()))
# As `docker run --read-only --tmpfs /tmp -v …:/data` mounts it: $1 the root, $2 the disk, the rest the command.
ENTER = """
set -eu
root=$1 disk=$2; shift 2
mount --make-rprivate /
mount -t tmpfs -o mode=755 root "$root"
for place in bin sbin lib lib64; do cp -a "/$place" "$root/$place"; done
for place in $MACHINE; do
    mkdir -p "$root$place"; mount --bind "$place" "$root$place"; mount -o remount,bind,ro "$root$place"
done
mkdir -p "$root/jurybox" "$root/home/person" "$root/data" "$root/tmp" "$root/dev" "$root/proc"
cp -a "$root/../image/." "$root/jurybox/"
chmod -R a+rX "$root/jurybox"
for device in null zero random urandom; do
    touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm"; mount -t tmpfs shm "$root/dev/shm"
mount --rbind /proc "$root/proc"
mount --bind "$disk" "$root/data"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount -o remount,ro root "$root"
exec /usr/sbin/chroot "$root" setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs --bounding-set=-all \\
    sh -c 'cd /jurybox && exec "$@"' sh "$@"
"""
LINES = re.findall(r"^ENV (.+)$", (SPACE / "Dockerfile").read_text(), re.MULTILINE)
COMMAND = json.loads(re.findall(r"^CMD (.+)$", (SPACE / "Dockerfile").read_text(), re.MULTILINE)[0])


def may_mount() -> bool:
    if os.geteuid() != 0 or shutil.which("unshare") is None or shutil.which("setpriv") is None:
        return False
    trial = ["unshare", "-m", "sh", "-c", "mount --make-rprivate / && mount -t tmpfs x /mnt"]
    return subprocess.run(trial, capture_output=True).returncode == 0


class Space:
    def __init__(self, folder: Path) -> None:
        self.folder, self.disk = folder, folder / "data"
        folder.chmod(0o755)
        (folder / "root").mkdir()
        self.disk.mkdir()
        os.chown(self.disk, PERSON, PERSON)
        image = folder / "image"
        wheels.unpacked(wheels.build(ROOT, folder / "wheel"), image / "site")
        shutil.copy(SPACE / "start.sh", image)
        (image / "bin").mkdir()
        (image / "bin" / "jurybox").write_text('#!/bin/sh\nexec python -m jurybox "$@"\n')
        (image / "bin" / "jurybox").chmod(0o755)
        self.port = reserve_port()
        self.environment = {
            "MACHINE": " ".join(MACHINE),
            "PATH": f"/jurybox/bin:{Path(sys.prefix).resolve()}/bin:/usr/bin:/bin",
            "PYTHONPATH": "/jurybox/site",
            "HOME": "/home/person",
            **dict(word.split("=", 1) for line in LINES for word in line.split()),
            "SPACE_HOST": HOST,
            "PORT": str(self.port),
            "TRUSTED_PROXIES": "127.0.0.1",
        }

    def enter(self, *command: str, **more: str) -> subprocess.Popen:
        places = [str(self.folder / "root"), str(self.disk)]
        with (self.folder / "log.txt").open("ab") as log:
            return subprocess.Popen(
                ["unshare", "-m", "sh", "-c", ENTER, "sh", *places, *command],
                env=self.environment | more,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def run(self, *command: str, **more: str) -> str:
        process = self.enter(*command, **more)
        assert process.wait() == 0, self.log
        return self.log

    @property
    def log(self) -> str:
        return (self.folder / "log.txt").read_text(errors="replace")

    @contextlib.contextmanager
    def started(self, **more: str):
        process = self.enter(*COMMAND, **more)
        try:
            wait_for_port(self.port, process)
            yield self
        finally:
            end_all(process)


def end_all(process: subprocess.Popen) -> None:
    """With the worker that the image's script has started beside it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    process.wait()


class Visitor:
    """A browser behind the platform's proxy, which ends TLS."""

    def __init__(self, space: Space) -> None:
        self.address = f"http://127.0.0.1:{space.port}"
        # The proxy's own connection is plain.
        policy = http.cookiejar.DefaultCookiePolicy(secure_protocols=("http", "https"))
        self.cookies = http.cookiejar.CookieJar(policy)
        self.opener = build_opener(HTTPCookieProcessor(self.cookies))

    def ask(self, path: str, form: dict[str, str] | None = None) -> str:
        headers = {"Host": HOST, "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}
        headers["Referer"] = f"https://{HOST}{path}"
        for cookie in self.cookies:
            if "csrf" in cookie.name:
                headers["X-CSRFToken"] = cookie.value or ""
        body = None if form is None else urlencode(form).encode()
        with self.opener.open(Request(self.address + path, body, headers)) as answer:
            return answer.read().decode()


def hidden(page: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))


@pytest.fixture(scope="module")
def space():
    kind = lasting_disk.kind_of_disk(Path("/var/tmp"), lasting_disk.MOUNTS.read_text())
    lasts = kind not in lasting_disk.IN_MEMORY | lasting_disk.OF_CONTAINERS
    needed("mounts", lasts and may_mount(), "Nobody may mount here: unshare -m is not permitted.")
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="jurybox-space-") as folder:
        yield Space(Path(folder))


@pytest.mark.nightly("a whole installation; the settings that it rests on have tests of their own")
def test_a_space_labels_as_an_unprivileged_user_who_can_write_its_disk_alone(space):
    secret = {"SECRET_KEY": "a quiet river of fifty characters or more, seventy"}
    drawn = (
        *("jurybox", "demo", "--no-serve", "--prompts", "2", "--generators", "1", "--signs", "0"),
        *("--edits", "0"),
    )
    space.run(*drawn, "--size", "128", ALLOWED_HOSTS=HOST, **secret)
    logins = json.loads((space.disk / "demo_logins.json").read_text())
    with space.started(**secret):
        visitor = Visitor(space)
        log_in = visitor.ask("/login/")
        assert "Jurybox" in log_in
        given = {"username": "annotator", "password": logins["annotator"]}
        visitor.ask("/login/", hidden(log_in) | given)
        page = visitor.ask("/studies/demo/label/")
        form = hidden(page)
        form |= dict.fromkeys(re.findall(r'type="radio" name="(answer-[^"]+)"', page), "1")
        visitor.ask("/studies/demo/label/", form)
        who = space.run("sh", "-c", "id -u; touch /jurybox/x /usr/x /etc/x /home/person/x || true")
    assert "\n1000\n" in who
    for place in ("/jurybox/x", "/usr/x", "/etc/x", "/home/person/x"):
        assert re.search(f"{place}.*Read-only file system", who), who
    stored = space.run(
        *("python", "-m", "jurybox", "shell", "-v", "0", "-c"),
        "from annotations.models import Annotation as A; print('stored', A.objects.filter("
        f"submission='{form['submission']}').count())",
        ALLOWED_HOSTS=HOST,
        **secret,
    )
    assert "stored 1" in stored
    assert "Read-only file system: '" not in stored
    assert "Traceback" not in stored
    # All of it is that user's.
    owners = {path.stat().st_uid for path in space.disk.rglob("*")}
    assert owners == {PERSON}


@pytest.mark.nightly("a whole installation; the settings that it rests on have tests of their own")
def test_a_space_without_a_disk_that_lasts_says_so_and_ends(space):
    process = space.enter(*COMMAND, JURYBOX_VAR="/tmp/var", SECRET_KEY="x" * 50)
    try:
        assert process.wait() != 0
        assert "would lie in memory (/tmp/var" in space.log
    finally:
        end_all(process)
