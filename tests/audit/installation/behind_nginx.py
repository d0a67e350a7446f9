"""A whole installation in production: `serve`, and a real nginx with TLS that runs docs/nginx.conf."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import ssl
import subprocess
from pathlib import Path
from urllib.parse import urlencode

from tests import needs
from tests.bench.labelling_server import ROOT, Installation
from tests.waiting import PATIENCE, reserve_port, wait_for_port

NAME = "jury.example"
KEY = "k" * 64
PASSWORD = "a-long-and-quiet-river"
IN_PRODUCTION = {"ALLOWED_HOSTS": NAME, "SECRET_KEY": KEY, "TRUSTED_PROXIES": "127.0.0.1"}
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
_MAIN = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
{user}
events {{ worker_connections 8192; }}
worker_rlimit_nofile 16384;
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


class Nginx:
    """`with Nginx(folder, port) as front:` – TLS at `front.port`, before the server at `port`."""

    def __init__(self, folder: Path, behind: int) -> None:
        self.program = needs.nginx()
        self.folder = folder
        self.behind = behind
        self.port, self.plain = reserve_port(), reserve_port()

    def __enter__(self) -> Nginx:
        self.folder.mkdir()
        self.certificate = make_certificate(self.folder)
        (self.folder / "site.conf").write_text(self._site())
        user = "user root;" if os.getuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(_MAIN.format(folder=self.folder, user=user))
        words = [self.program, "-e", self.folder / "error.log", "-p", self.folder]
        self.process = subprocess.Popen([*words, "-c", self.folder / "nginx.conf"])
        wait_for_port(self.port, self.process)
        return self

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.wait()

    def _site(self) -> str:
        """The very file of the documentation, with names and ports filled in."""
        text = (ROOT / "docs" / "nginx.conf").read_text()
        for sample, ours in {
            "server 127.0.0.1:8000;": f"server 127.0.0.1:{self.behind};",
            "listen 80;": f"listen 127.0.0.1:{self.plain};",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{self.port} ssl http2;",
            "/etc/ssl/jury.example/": f"{self.folder}/",
        }.items():
            assert sample in text, f"docs/nginx.conf says {sample!r} no more"
            text = text.replace(sample, ours)
        return text

    def connect(self) -> http.client.HTTPSConnection:
        context = ssl.create_default_context(cafile=self.certificate)
        return http.client.HTTPSConnection(
            "localhost", self.port, timeout=PATIENCE, context=context
        )


class Browser:
    """Keeps its cookies and its one connection, and never follows a redirect by itself."""

    def __init__(self, front: Nginx) -> None:
        self.connection = front.connect()
        self.cookies: dict[str, str] = {}

    def ask(self, verb: str, path: str, body=None, **headers: str):
        """(the answer, its body read to the end)"""
        known = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        given = {"Host": NAME, "Origin": f"https://{NAME}", "Cookie": known}
        if isinstance(body, dict):
            body = urlencode({"csrfmiddlewaretoken": self.cookies.get("csrftoken", ""), **body})
            given["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(verb, path, body, given | headers)
        answer = self.connection.getresponse()
        for line in answer.headers.get_all("Set-Cookie", []):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer, answer.read()

    def close(self) -> None:
        self.connection.close()

    def log_in(self, name: str) -> int:
        self.ask("GET", "/login/")
        answer, _ = self.ask("POST", "/login/", {"username": name, "password": PASSWORD})
        return answer.status


def give_password(there: Installation, name: str, role: str) -> None:
    """An account that can log in by itself, in the study of the installation."""
    code = (
        "from django.contrib.auth import get_user_model; from annotations.models import *;"
        f"user = get_user_model().objects.create_user({name!r}, password={PASSWORD!r});"
        f"Membership.objects.create(study=Study.objects.get(), user=user, name={name!r}, role={role!r})"
    )
    there.manage("shell", "-c", code)


def make_certificate(folder: Path) -> Path:
    needs.needed("nginx", shutil.which("openssl") is not None, "There is no openssl here.")
    subprocess.run(
        [
            *(
                *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"),
                "ec_paramgen_curve:prime256v1",
            ),
            *("-nodes", "-days", "2", "-subj", f"/CN={NAME}"),
            *("-addext", f"subjectAltName=DNS:{NAME},DNS:localhost"),
            *("-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"),
        ],
        check=True,
        capture_output=True,
    )
    return folder / "fullchain.pem"
