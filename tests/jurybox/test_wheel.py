"""The wheel holds all that the product needs, keeps its data with its user, and asks for no more
than the requirements files name."""

from __future__ import annotations

import email
import sqlite3
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from audit import VERSION
from tests.jurybox import wheels
from tests.jurybox.wheels import PACKAGES, ROOT

# All that may lie at the top of an environment.
APPS = {"annotations", "judges", "audit", "jurybox"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return wheels.build(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory) -> Path:
    return wheels.unpacked(wheel, tmp_path_factory.mktemp("site"))


def files(folder: str, *, under: Path = ROOT) -> set[str]:
    """Not what Python and tests leave behind."""
    return {
        file.relative_to(under).as_posix()
        for file in (under / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


def test_the_wheel_holds_every_file_of_the_apps_and_of_the_pages(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = set().union(*(files(folder) for folder in APPS))
    for name, folder in PACKAGES.items():
        wanted |= files(f"jurybox_{name}", under=folder)
    wanted |= {f"jurybox/{name}" for folder in ("templates", "static") for name in files(folder)}
    wanted |= {f"jurybox/{name}" for name in files("tutorial", under=ROOT / "docs")}
    assert len(wanted) > 700
    assert wanted - names == set()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == APPS | {
        f"jurybox_{name}" for name in PACKAGES
    }


def test_the_wheel_asks_for_what_the_requirements_files_name(wheel, site):
    (folder,) = site.glob("*.dist-info")
    told = email.message_from_string((folder / "METADATA").read_text())
    asked = told.get_all("Requires-Dist")
    plain = {line for line in asked if ";" not in line}
    core = (ROOT / "requirements-core.txt").read_text().lower().replace("_", "-").split("\n")
    of_extras = ("rapidocr", "onnxruntime")
    assert plain == {
        line for line in core if line and line[0] != "#" and not line.startswith(of_extras)
    }
    extras = {name: set() for name in told.get_all("Provides-Extra")}
    for line in asked:
        package, _, marker = line.partition("; extra == ")
        if marker:
            extras[marker.strip("'\"")].add(package.partition("==")[0])
    assert extras["parquet"] == {"pyarrow"}
    assert extras["s3"] == {"django-storages[s3]"}
    assert {"torch", "transformers", "mmdet"} < extras["judges"]
    assert extras["generate"] - extras["judges"] == {"diffusers", "peft"}
    assert told["Version"] == VERSION


@pytest.mark.nightly("an installation of its own; test_settings.py has the folders")
def test_installed_it_keeps_its_data_with_the_user_and_serves_its_own_pages(site, tmp_path):
    made = wheels.run(site, tmp_path, "-m", "jurybox", "upgrade")
    assert made.returncode == 0, made.stderr
    kept = tmp_path / ".local" / "share" / "jurybox"
    with sqlite3.connect(kept / "jurybox.sqlite3") as database:
        applied = database.execute("SELECT app, name FROM django_migrations").fetchall()
    assert {(app, "0001_initial") for app in ("annotations", "judges", "audit")} <= set(applied)
    shown = wheels.run(
        site,
        tmp_path,
        "-c",
        "import django, os; os.environ['DJANGO_SETTINGS_MODULE'] = 'audit.settings'; django.setup();"
        "from django.test import Client; page = Client(headers={'host': 'localhost'}).get('/', follow=True);"
        "style = Client(headers={'host': 'localhost'}).get('/static/base.css');"
        "import audit; print(audit.__file__, page.status_code, 'base.css' in page.text, style.status_code)",
    )
    assert shown.stdout.split()[1:] == ["200", "True", "200"], shown.stderr
    assert shown.stdout.startswith(str(site))


def test_the_folder_of_the_data_can_be_chosen(site, tmp_path):
    say = "from audit import settings; print(settings.VAR_DIR)"
    usual = wheels.run(site, tmp_path, "-c", say, XDG_DATA_HOME=str(tmp_path / "data"))
    assert usual.stdout.strip() == str(tmp_path / "data" / "jurybox"), usual.stderr
    relative = wheels.run(site, tmp_path, "-c", say, XDG_DATA_HOME="data")
    assert relative.stdout.strip() == str(tmp_path / ".local" / "share" / "jurybox")
    named = wheels.run(site, tmp_path, "-c", say, JURYBOX_VAR=str(tmp_path / "own"))
    assert named.stdout.strip() == str(tmp_path / "own")


def test_a_clone_keeps_its_data_in_itself(tmp_path):
    say = "from audit import settings; print(settings.BASE_DIR, settings.IN_CLONE, settings.PAGES_DIR)"
    told = wheels.run(ROOT, tmp_path, "-c", say, JURYBOX_VAR=str(tmp_path))
    assert told.stdout.split() == [str(ROOT), "True", str(ROOT)]


def test_the_console_script_has_every_command(site, tmp_path):
    told = wheels.run(site, tmp_path, "-m", "jurybox", "help", "--commands")
    named = set(told.stdout.split())
    assert {
        *("demo", "serve", "worker", "doctor", "import_study", "report", "migrate", "upgrade"),
    } <= named
    short = wheels.run(site, tmp_path, "-m", "jurybox", "import", "--help")
    assert short.stdout.startswith("usage: jurybox import_study"), short.stderr


def test_a_worker_that_cannot_be_refuses_with_a_sentence():
    with pytest.raises(CommandError, match="at least one process"):
        call_command("worker", concurrency=0)
    with pytest.raises(
        CommandError, match="no queue “judge”; there are jurybox, imports, judges, mail"
    ):
        call_command("worker", queues="jurybox,judge")


def test_workers_hear_every_queue_unless_told_otherwise(monkeypatch):
    given = []

    @contextmanager
    def running(works, **more):
        given.append([",".join(work.queues) for work in works])
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr("audit.installation.processes.workers.running_workers", running)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    call_command("worker")
    call_command("worker", queues="judges", concurrency=2)
    assert given == [["jurybox,mail", "imports", "judges", "mail"], ["judges"]]


def test_a_notebook_imports_a_study_without_the_web_framework(site, tmp_path):
    code = "import sys; from jurybox import Report, Study; print('django' in sys.modules)"
    told = wheels.run(site, tmp_path, "-c", code)
    assert told.stdout.strip() == "False", told.stderr
    assert list(tmp_path.iterdir()) == []
