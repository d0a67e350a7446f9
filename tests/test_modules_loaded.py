"""What a program loads before it does anything: held by its modules, not by a clock."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from audit.apps import later_listeners

LARGE = "PIL altair boto3 celery cryptography httpx numpy pandas polars scipy.stats torch typst vl_convert"
LARGE = {*LARGE.split(), "django.test", "rest_framework.views"}
# One after the other in one program, each with what it may load beyond those before it.
MAY_LOAD = {
    "help": set(),
    "migrate --help": set(),
    "groups --help": set(),
    "audit --help": {"numpy"},  # the statistics' names stand beside their functions
    "import_study --help": {"PIL", "cryptography"},  # formats that draw; servers of judges
}
PROGRAM = """
import sys
from jurybox.command import main
for command in sys.argv[1:]:
    try:
        main(command.split(), "jurybox")
    except SystemExit:
        pass
    print("LOADED", *sys.modules)
"""


def what_it_prints(program: str, folder: Path, *words: str, **more: str) -> str:
    """A start of its own, in an installation of its own."""
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        env={"PATH": os.environ["PATH"], "JURYBOX_VAR": str(folder), **more},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_a_command_that_is_asked_for_help_loads_nothing_large(tmp_path):
    told = what_it_prints(PROGRAM, tmp_path, *MAY_LOAD)
    listed = [line.split() for line in told.splitlines() if line.startswith("LOADED")]
    assert len(listed) == len(MAY_LOAD)
    assert "django.core.management" in listed[0]
    allowed, seen = set[str](), {}
    for (command, more), loaded in zip(MAY_LOAD.items(), listed, strict=True):
        allowed |= more
        seen[command] = LARGE & set(loaded) - allowed
    assert seen == dict.fromkeys(MAY_LOAD, set())


@pytest.mark.parametrize("place", [place for _, place in later_listeners()])
def test_whoever_hears_a_signal_later_is_there(place):
    module, _, name = place.partition(":")
    assert callable(getattr(import_module(module), name))


def test_a_web_process_starts_without_what_only_workers_and_documents_use(tmp_path):
    program = (
        "import django, sys; django.setup(); import audit.urls; print(*sys.modules);"
        "import audit.wsgi; print(*sys.modules)"
    )
    told = what_it_prints(program, tmp_path, DJANGO_SETTINGS_MODULE="audit.settings")
    pages, loaded = (set(line.split()) for line in told.splitlines())
    # Charts are ready for visitors, and cost nothing where pages are only named.
    assert "altair" not in pages
    assert {"altair", "audit.tasks", "django.urls"} <= loaded
    others = {"boto3", "httpx", "pandas", "scipy.special", "scipy.stats", "torch", "typst"}
    assert others & loaded == set()
    assert "vl_convert" not in loaded


def test_a_worker_starts_without_the_pages(tmp_path):
    program = (
        "from audit.celery import app; app.loader.import_default_modules();"
        "import sys; print(*sys.modules)"
    )
    loaded = set(what_it_prints(program, tmp_path).split())
    assert {"audit.tasks", "judges.tasks"} <= loaded
    others = {"altair", "audit.urls", "boto3", "httpx", "pandas", "scipy.stats", "torch"}
    others |= {"drf_spectacular.utils", "rest_framework.fields", "rest_framework.request"}
    assert others & loaded == set()


LOOK_AROUND = """
import sys
from audit.celery import PERIODIC, app
app.loader.import_default_modules()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from jurybox_formats.forms.papers import geneval_audit
from annotations.forms.versions import publish_form
from annotations.models import Study
Study.objects.create(slug="small", title="Small", form=publish_form(geneval_audit.FORM))
before = set(sys.modules)
for name in PERIODIC:
    app.tasks[name]()
print("LOADED", *set(sys.modules) - before)
"""


def test_a_worker_that_looks_around_and_finds_nothing_loads_no_statistics(tmp_path):
    told = what_it_prints(LOOK_AROUND, tmp_path, CELERY_BROKER_URL="memory://")
    _, came_to_the_end, listed = told.partition("LOADED")
    loaded = set(listed.split())
    assert came_to_the_end
    others = {"audit.reports.make", "audit.statistic_names", "rest_framework.request"}
    assert others & loaded == set()
    assert not [name for name in loaded if name.split(".")[0] in {"numpy", "scipy", "altair"}]


REPORT = """
import sys
import django
django.setup()
from tests.audit.reports.test_digits import body_of, study_of
assert "drift" in body_of(study_of(0, "yes/no", prompts=40), None)
# Its two generators leave no date to test.
import numpy as np
from jurybox_stats.instrument.dates import dates_of_one_step
dates_of_one_step(np.random.default_rng(0).normal(size=(40, 4)), np.arange(4))
print(*sys.modules)
"""


def test_a_report_loads_no_distributions_of_scipy(tmp_path):
    # They take a second to load; what is needed of them is in scipy.special.
    more = {"PYTHONPATH": ":".join(sys.path), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    assert "scipy.stats" not in what_it_prints(REPORT, tmp_path, **more).split()
