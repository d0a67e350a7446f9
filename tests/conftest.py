import os

# Small models and tables on one thread each: several test processes share the cores already, and threads that
# wait for each other take longer than the work. Read when numpy and torch are first imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import gc
import secrets
import shutil
import string
from contextlib import suppress
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.db import transaction
from django.middleware import csrf
from django.test import TransactionTestCase, override_settings
from django.utils import timezone
from hypothesis import settings as hypothesis_settings

from annotations import random_keys
from tests import making, ready_database
from tests.starts import ROOT

# Hypothesis without a clock and without dice: the same examples everywhere, however slow.
hypothesis_settings.register_profile("steady", deadline=None, derandomize=True, database=None)
hypothesis_settings.load_profile("steady")

TransactionTestCase._fixture_teardown = lambda _: ready_database.empty_tables()

# What is loaded for the tests stays to the end: the collector need not walk over it again and again.
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    # As in web and worker processes: every kind of job is known.
    for name in ("audit.celery", "audit.tasks"):
        import_module(name)
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session) -> None:
    """Of several processes each begins to load at another place, and finds the rest compiled by the
    others: where nothing compiled is kept, all of them would compile everything at the same time."""
    given = getattr(session.config, "workerinput", None)
    if given is None or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    files = sorted(Path(__file__).parent.rglob("test_*.py"))
    number = int(given["workerid"].removeprefix("gw"))
    for file in files[number * len(files) // given["workercount"] :] if number else ():
        # What cannot be loaded is told when it is collected.
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def pytest_collection_modifyitems(items) -> None:
    for item in items:
        for mark in item.iter_markers("nightly"):
            if not mark.args:
                raise pytest.UsageError(f"{item.nodeid} is nightly: say what the quick set has.")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings, django_db_blocker):
    with django_db_blocker.unblock():
        ready_database.begin_with_copy()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    from tests.events_may_go import take_the_trigger_out

    with django_db_blocker.unblock():
        take_the_trigger_out()


@pytest.fixture(autouse=True)
def chance_writes_no_words(monkeypatch):
    """Tokens of digits, public ids of digits and a to f: a test that looks for "NaN" or "bob" on a
    page does not find it in one of them, once in some thousand pages."""
    write_no_words(monkeypatch)


def write_no_words(monkeypatch) -> None:
    monkeypatch.setattr(csrf, "CSRF_ALLOWED_CHARS", string.digits)
    hexadecimal = SimpleNamespace(
        token_urlsafe=lambda size: secrets.token_hex(size * 2 // 3), token_hex=secrets.token_hex
    )
    monkeypatch.setattr(random_keys, "secrets", hexadecimal)


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    """Pictures of one test never meet those of another."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT


@pytest.fixture
def clock(monkeypatch):
    """It stands still; `clock(seconds)` moves it."""
    now = [timezone.now()]
    monkeypatch.setattr(timezone, "now", lambda: now[0])

    def move(seconds: float) -> None:
        now[0] += timedelta(seconds=seconds)

    return move


@pytest.fixture
def no_engines(settings):
    """No engine of another test, and no key for a server."""
    from jurybox_judging import registry

    settings.OPENAI_API_KEY = ""
    registry.forget_engines()
    yield
    registry.forget_engines()


@pytest.fixture(scope="module")
def make_once(django_db_setup, django_db_blocker, tmp_path_factory):
    """`make_once(build)`: rows that the tests of a file share, made in a transaction around them.

    What a test changes is rolled back to them. A test asks for its own objects of them, since nothing
    rolls those back, and for `pictures_of_the_file` where it looks at pictures.
    """
    folder = tmp_path_factory.mktemp("media")

    def make(build, *given):
        with (
            django_db_blocker.unblock(),
            override_settings(MEDIA_ROOT=folder),
            pytest.MonkeyPatch.context() as patch,
        ):
            write_no_words(patch)
            return build(*given)

    make.media = folder
    around = transaction.atomic()
    with django_db_blocker.unblock():
        around.__enter__()
    yield make
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)


@pytest.fixture
def pictures_of_the_file(make_once, media):
    """A copy of all that `make_once` has stored."""
    shutil.copytree(make_once.media, media, dirs_exist_ok=True)


@pytest.fixture
def study(db):
    """Four prompts by two generators: eight labelled-by-nobody images."""
    return making.study()


@pytest.fixture
def alice(study):
    """Owns the study."""
    return making.person(study, "alice", role="owner")


@pytest.fixture
def bob(study):
    """Labels in it."""
    return making.person(study, "bob")


@pytest.fixture
def charlie(study):
    """Labels in it too."""
    return making.person(study, "charlie")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice.user)
    return client


@pytest.fixture
def as_bob(client, bob):
    client.force_login(bob.user)
    return client
