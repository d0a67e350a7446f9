"""The project's own settings, on data of the tests' own: nothing of a real installation is touched."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from tests.in_memory import use_memory

use_memory()


def _folder_of_its_own() -> str:
    """Processes that this one starts find it in the environment; this one takes it away."""
    folder, made_by = tempfile.mkdtemp(prefix="jurybox-tests-"), os.getpid()

    @atexit.register
    def take_away() -> None:
        if os.getpid() == made_by:
            shutil.rmtree(folder, ignore_errors=True)

    return folder


_folder = os.environ.get("JURYBOX_VAR") or _folder_of_its_own()
os.environ["JURYBOX_VAR"] = _folder
# Messages go nowhere unless a test starts a worker and a broker of its own.
os.environ["CELERY_BROKER_URL"] = "memory://"
# So that the numbers are shared by processes; each test says itself who may read them.
os.environ["METRICS_TOKEN"] = "the-token-of-the-tests"

from audit.settings import *  # noqa: E402

MEDIA_ROOT = Path(_folder) / "media"
# Looked for when asked for: else every test's client lists all of them again.
WHITENOISE_AUTOREFRESH = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if DATABASES["default"]["ENGINE"] == "audit.installation.sqlite":
    # A file like the real one: threads of a test meet as processes do, not in a shared cache.
    DATABASES["default"]["TEST"] = {"NAME": f"{_folder}/test.sqlite3"}
    # A power cut in the middle of a test may lose it.
    DATABASES["default"]["OPTIONS"]["init_command"] = (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
    )
else:
    # Nor does any test rest on what the server has written to its disk.
    DATABASES["default"].setdefault("OPTIONS", {})
    DATABASES["default"]["OPTIONS"]["options"] = (
        DATABASES["default"]["OPTIONS"].get("options", "") + " -c synchronous_commit=off"
    ).strip()
