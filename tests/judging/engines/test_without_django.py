"""Engines and methods are plain Python: a script imports them without Django's settings."""

import os
import subprocess
import sys

from jurybox_judging import catalogue

MODULES = sorted(
    {path.partition(":")[0] for e in catalogue.JUDGES.values() for path, _ in e.parts.values()}
    | {entry.method.partition(":")[0] for entry in catalogue.JUDGES.values()}
)


def test_engines_and_methods_are_imported_without_settings():
    lines = [f"import {module}" for module in MODULES]
    lines += ["import sys", "assert 'rest_framework' not in sys.modules"]
    lines += ["from django.conf import settings", "assert not settings.configured"]
    bare = {k: v for k, v in os.environ.items() if k != "DJANGO_SETTINGS_MODULE"}
    subprocess.run([sys.executable, "-c", "\n".join(lines)], env=bare, check=True)
