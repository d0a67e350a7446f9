"""A start with anything misspelt, missing or unsafe ends with a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.starts import run_program

ROOT = Path(__file__).resolve().parent.parent.parent
KEY = "k" * 64


def start(tmp_path: Path, code: str = "", **environment: str) -> subprocess.CompletedProcess:
    """Django's own start with this environment and nothing else."""
    return run_program(
        f"import django; django.setup(); from django.conf import settings; {code}",
        {
            "PATH": os.environ["PATH"],
            "JURYBOX_VAR": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "audit.settings",
            **environment,
        },
    )


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"DEBUG": "Ture"}, "DEBUG is 'Ture'; write True or False"),
        ({"PORT": "eighty"}, "PORT is 'eighty'; write a whole number"),
        ({"WORKER_MEMORY": "2GB"}, "WORKER_MEMORY is '2GB'; write a whole number"),
        ({"ALLOWED_HOSTS": "jury.example"}, "SECRET_KEY is missing"),
        ({"ALLOWED_HOSTS": "jury.example", "SECRET_KEY": "short"}, "fewer than 50 characters"),
        ({"ALLOWED_HOSTS": "*", "SECRET_KEY": KEY}, "name the hosts"),
        (
            {"ALLOWED_HOSTS": "jury.example", "SECRET_KEY": KEY, "DEBUG": "True"},
            "DEBUG is True while ALLOWED_HOSTS names a host that others can reach",
        ),
        ({"DATABASE_URL": "mango://x"}, "DATABASE_URL cannot be read"),
        ({"CELERY_BROKER_URL": "pigeon://x"}, "CELERY_BROKER_URL must begin with"),
        ({"LOG_FORMAT": "xml"}, "LOG_FORMAT is 'xml'; write line or json"),
        ({"LOG_LEVEL": "LOUD"}, "LOG_LEVEL is 'LOUD'; write DEBUG"),
        ({"METRICS_TOKEN": "short"}, "METRICS_TOKEN has fewer than 20 characters"),
        ({"JUDGE_SERVERS": "api.openai.com"}, "JUDGE_SERVERS holds 'api.openai.com'"),
        ({"JUDGE_SERVERS": "https://key@api.openai.com"}, "JUDGE_SERVERS holds"),
        (
            {"JUDGE_SERVERS": "loopback", "ALLOWED_HOSTS": "jury.example", "SECRET_KEY": KEY},
            "In production name the ports that judges may ask, like loopback:8001",
        ),
        ({"JUDGE_SERVERS": "loopback:http"}, "JUDGE_SERVERS holds 'loopback:http'"),
        ({"JUDGE_WEIGHTS": "weights/../x"}, "JUDGE_WEIGHTS holds 'weights/../x'; write folders"),
        ({"JUDGE_WEIGHTS": "*"}, "JUDGE_WEIGHTS holds '*'"),
        ({"JUDGE_PLUGINS": "os:system"}, "JUDGE_PLUGINS holds 'os:system'; write name=module:fun"),
        ({"JUDGE_BUDGET": "-3"}, "JUDGE_BUDGET is '-3'; write an amount"),
        ({"EMAIL_URL": "smtp://mail.example"}, "EMAIL_URL cannot be read; write smtp+tls://user"),
        ({"EMAIL_URL": "http://mail.example?from=a@b.example"}, "EMAIL_URL cannot be read"),
        ({"EMAIL_URL": "smtp://m.example:x?from=a@b.example"}, "EMAIL_URL cannot be read"),
        ({"JUDGE_PRICES": "gpt-4o=2.5"}, "JUDGE_PRICES holds 'gpt-4o=2.5'; write model=in/out"),
    ],
)
def test_an_unsafe_or_misspelt_setting_stops_the_start_with_a_sentence(
    tmp_path, environment, words
):
    ended = start(tmp_path, **environment)
    assert ended.returncode != 0
    assert words in ended.stderr


def test_without_any_variable_jurybox_is_embedded_and_local(tmp_path):
    code = (
        "print(settings.DATABASES['default']['ENGINE'], settings.CELERY_BROKER_URL,"
        " settings.DEBUG, settings.ALLOWED_HOSTS)"
    )
    ended = start(tmp_path, code)
    assert ended.stdout.strip() == (
        "audit.installation.sqlite filesystem:// False ['127.0.0.1', 'localhost', '[::1]']"
    )


@pytest.mark.parametrize(
    ("address", "seen"),
    [
        ("", "False"),
        (
            "smtp+tls://jury:s%2Fcret@mail.example?from=jury@lab.example",
            "True mail.example 587 jury s/cret True False jury@lab.example",
        ),
        (
            "smtps://mail.example:4650?from=jury@lab.example",
            "True mail.example 4650   False True jury@lab.example",
        ),
    ],
)
def test_one_variable_says_how_mail_goes_out(tmp_path, address, seen):
    code = (
        "mail = (settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_HOST_USER,"
        " settings.EMAIL_HOST_PASSWORD, settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL,"
        " settings.DEFAULT_FROM_EMAIL) if settings.SENDS_MAIL else ();"
        "print(settings.SENDS_MAIL, *mail)"
    )
    assert start(tmp_path, code, EMAIL_URL=address).stdout.strip() == seen


def test_judges_may_ask_this_machine_alone_until_somebody_says_otherwise(tmp_path):
    code = "print(settings.JUDGE_SERVERS, settings.JUDGE_BUDGET, settings.JUDGE_PRICES)"
    assert start(tmp_path, code).stdout.strip() == "['loopback'] None {}"
    given = {"JUDGE_BUDGET": "20.5", "JUDGE_PRICES": "gpt-4o=2.5/10, own=0/0"}
    ended = start(tmp_path, code, JUDGE_SERVERS="https://api.openai.com", **given)
    prices = "{'gpt-4o': (2.5, 10.0), 'own': (0.0, 0.0)}"
    assert ended.stdout.strip() == f"['https://api.openai.com'] 20.5 {prices}"


def test_in_production_no_port_of_this_machine_is_open_to_judges_until_it_is_named(tmp_path):
    code = "print(settings.JUDGE_SERVERS)"
    production = {"ALLOWED_HOSTS": "jury.example", "SECRET_KEY": KEY}
    assert start(tmp_path, code, **production).stdout.strip() == "[]"
    named = start(tmp_path, code, JUDGE_SERVERS="loopback:8001", **production)
    assert named.stdout.strip() == "['loopback:8001']"


def test_judges_read_weights_from_one_folder_until_somebody_says_otherwise(tmp_path):
    code = "print(settings.JUDGE_WEIGHTS, settings.JUDGE_PLUGINS)"
    assert start(tmp_path, code).stdout.strip() == f"['{tmp_path.resolve()}/weights'] {{}}"
    given = {"JUDGE_WEIGHTS": "/srv/weights, owner/*", "JUDGE_PLUGINS": "sbert=mine.near:score"}
    ended = start(tmp_path, code, **given)
    assert ended.stdout.strip() == "['/srv/weights', 'owner/*'] {'sbert': 'mine.near:score'}"


def test_a_worker_that_holds_too_much_memory_is_replaced(tmp_path):
    code = "from audit.celery import app; print(app.conf.worker_max_memory_per_child)"
    assert start(tmp_path, code).stdout.strip() == "None"
    # Celery counts kilobytes.
    assert start(tmp_path, code, WORKER_MEMORY="2000").stdout.strip() == "2048000"


def test_each_installation_makes_a_secret_of_its_own_and_keeps_it(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    show = "print(settings.SECRET_KEY)"
    first, again = start(tmp_path / "a", show).stdout, start(tmp_path / "a", show).stdout
    assert len(first.strip()) > 50
    assert first == again
    assert start(tmp_path / "b", show).stdout != first
    assert (tmp_path / "a" / "secret_key").stat().st_mode & 0o077 == 0


def test_an_acknowledged_answer_is_on_the_disk(tmp_path):
    code = (
        "from django.db import connection as c; cursor = c.cursor();"
        "print(cursor.execute('PRAGMA synchronous').fetchone(),"
        " cursor.execute('PRAGMA journal_mode').fetchone(),"
        " c.transaction_mode)"
    )
    # 2 is FULL
    assert start(tmp_path, code).stdout.strip() == "(2,) ('wal',) IMMEDIATE"


def test_in_production_cookies_and_pages_travel_encrypted(tmp_path):
    code = "print(settings.SESSION_COOKIE_SECURE, settings.SECURE_SSL_REDIRECT)"
    ended = start(tmp_path, code, ALLOWED_HOSTS="jury.example", SECRET_KEY=KEY)
    assert ended.stdout.strip() == "True True"


def test_statistics_rules_and_engines_need_no_django(tmp_path):
    program = (
        "import sys, jurybox_stats.resamples, jurybox_judging.methods.geneval, jurybox_judging.engines.builtin,"
        "jurybox_formats.sets.builtin.study; print('django' in sys.modules, 'torch' in sys.modules)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "False False"


def test_a_start_loads_neither_statistics_nor_engines(tmp_path):
    code = "import sys; print(sys.modules.keys() & {'scipy', 'pandas', 'torch', 'transformers'})"
    assert start(tmp_path, code).stdout.strip() == "set()"
