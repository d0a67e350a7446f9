"""All wheels in empty environments, with no clone near: `python -m tests.jurybox.trial` (`make
wheel-trial`). Asks the package index for what the wheels need. Prints sizes and seconds."""

from __future__ import annotations

import http.cookiejar
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

from tests.audit.series import tables
from tests.jurybox import wheels
from tests.jurybox.wheels import PACKAGES, ROOT

UV = Path(sys.executable).with_name("uv")
PATIENCE = 600
# Of the app's own tests: those that look at no file of a clone and ask for no engine.
OF_THE_APP = ("formats/sources/test_two_tables.py", "audit/words", "annotations/forms")
OF_THE_APP += ("packages/judging/jurybox_judging/methods", "formats/sources", "test_commands.py")
TESTERS = ("pytest", "pytest-django", "hypothesis", "scikit-learn", "krippendorff")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="jurybox-trial-") as name:
        folder = Path(name)
        app = wheels.build(ROOT, folder / "app")
        built = {name: wheels.build(at, folder / name) for name, at in PACKAGES.items()}
        for wheel in (app, *built.values()):
            print(f"{wheel.name}: {wheel.stat().st_size / 1024:,.0f} KiB")
        _formats(built["formats"], folder)
        _judging(built["judging"], built["formats"], folder)
        return max(_app(app, folder), _stats(built["stats"], folder))


def _app(wheel: Path, folder: Path) -> int:
    python = _environment(folder / "of-app", str(wheel))
    home = folder / "home"
    home.mkdir()
    _demo(python, home)
    _audit(python, home, folder)
    _tutorial(python, home, folder)
    _add(python, *_pinned(TESTERS))
    suite = folder / "suite"
    shutil.copytree(ROOT / "tests", suite / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    (suite / "pytest.ini").write_text(
        "[pytest]\nDJANGO_SETTINGS_MODULE = tests.settings\nfilterwarnings = error\n"
        "markers =\n    browser: a browser\n    neural: torch\n    simulation: many data sets\n"
    )
    where = "import audit; print(audit.__file__)"
    said = _run(python, home, "-c", where, cwd=suite)
    assert "site-packages" in said.stdout, said.stdout
    files = [f"tests/{name}" for name in OF_THE_APP if (suite / "tests" / name).exists()]
    return _tests(python, home, suite, files)


def _demo(python: Path, home: Path) -> None:
    """From the command to a page with a drift chart, as somebody who is logged in sees it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    began = time.monotonic()
    log = (home / "demo.log").open("w+")
    demo = subprocess.Popen(
        [str(python.with_name("jurybox")), "demo"],
        cwd=home,
        env=_variables(home, PORT=str(port)),
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        password = ""
        while not password:
            assert demo.poll() is None and time.monotonic() - began < PATIENCE, _text(log)
            time.sleep(0.2)
            password = "".join(re.findall(r"log in as owner +password (\S+)", _text(log)))
        print(f"jurybox demo serves after {time.monotonic() - began:.1f} s")
        address = f"http://127.0.0.1:{port}"
        browser = build_opener(HTTPCookieProcessor(http.cookiejar.CookieJar()))
        page = browser.open(f"{address}/login/").read().decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        given = {"csrfmiddlewaretoken": token[1], "username": "owner", "password": password}
        browser.open(f"{address}/login/", urlencode(given).encode())
        while 'class="plot-box"' not in page:
            assert time.monotonic() - began < PATIENCE, page
            time.sleep(0.5)
            page = browser.open(f"{address}/studies/demo/audit/judge/").read().decode()
        print(f"a page with a drift chart after {time.monotonic() - began:.1f} s")
        demo.terminate()
        assert demo.wait(timeout=60) == 0, _text(log)
    finally:
        if demo.poll() is None:
            os.killpg(demo.pid, signal.SIGKILL)
            demo.wait()
        log.close()


def _audit(python: Path, home: Path, folder: Path) -> None:
    """The digits of `jurybox audit` beside those of an import and a report."""
    given = tables.write(folder / "tables", images=1000, judges=5)
    out = folder / "report.json"
    beside = [f"--{part}={given / part}.csv" for part in ("images", "generators")]
    for target in (folder / "report.html", out):
        began = time.monotonic()
        command = ["-m", "jurybox", "audit", f"{given}/labels.csv", f"{given}/scores.csv", *beside]
        made = _run(python, home, *command, "--title=tables", f"--out={target}")
        assert made.returncode == 0, made.stderr
        seconds = time.monotonic() - began
        print(f"jurybox audit, 1,000 images by 5 judges, {target.name}: {seconds:.1f} s")
    imported = _run(python, home, "-m", "jurybox", "import", "tables", str(given), "--format=tidy")
    assert imported.returncode == 0, imported.stderr
    shown = _run(python, home, "-m", "jurybox", "report", "tables", "--json")
    assert json.loads(shown.stdout) == json.loads(out.read_text())
    print("jurybox audit and the app: the same digits")


def _tutorial(python: Path, home: Path, folder: Path) -> None:
    """Its lines one after the other, as a stranger types them into an empty folder."""
    stranger = folder / "stranger"
    stranger.mkdir()
    for line in re.findall(
        r"^jurybox (.+)$", (ROOT / "docs/tutorial.md").read_text(), re.MULTILINE
    ):
        ran = _run(python, home, "-m", "jurybox", *shlex.split(line), cwd=stranger)
        assert ran.returncode == 0, f"jurybox {line}: {ran.stderr}"
    print("the tutorial: every line works")


def _stats(wheel: Path, folder: Path) -> int:
    python = _environment(folder / "of-stats", str(wheel))
    home = folder / "stats-home"
    home.mkdir()
    for page in (PACKAGES["stats"] / "README.md", ROOT / "docs" / "jurybox-stats.md"):
        _examples(python, home, page)
    _add(python, "mypy")
    typed = folder / "typed.py"
    typed.write_text(
        "from jurybox_stats.roc import auroc\nfrom jurybox_stats.estimate import Estimate, Undefined\n"
        "found: Estimate | Undefined = auroc([0, 1], [0.2, 0.4])\n"
    )
    checked = _run(python, home, "-m", "mypy", "--strict", str(typed))
    print(f"jurybox-stats, mypy --strict on a user's file: {checked.stdout.strip()}")
    return checked.returncode


def _formats(wheel: Path, folder: Path) -> None:
    home = folder / "formats-home"
    home.mkdir()
    _examples(
        _environment(folder / "of-formats", str(wheel)), home, PACKAGES["formats"] / "README.md"
    )


def _judging(wheel: Path, formats: Path, folder: Path) -> None:
    home = folder / "judging-home"
    home.mkdir()
    python = _environment(folder / "of-judging", str(formats), f"{wheel}[text]")
    _examples(python, home, PACKAGES["judging"] / "README.md")


def _examples(python: Path, home: Path, page: Path) -> None:
    example = "import doctest, sys; print(doctest.testfile(sys.argv[1], module_relative=False))"
    said = _run(python, home, "-c", example, str(page))
    assert "failed=0" in said.stdout, said.stdout + said.stderr
    print(f"the examples of {page.relative_to(ROOT)}: {said.stdout.strip()}")


def _environment(folder: Path, *packages: str) -> Path:
    began = time.monotonic()
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, folder], check=True)
    python = folder / "bin" / "python"
    _add(python, *packages)
    print(f"installed in {time.monotonic() - began:.1f} s: {packages[0].rpartition('/')[2]}")
    return python


def _add(python: Path, *packages: str) -> None:
    subprocess.run([UV, "pip", "install", "--quiet", "--python", python, *packages], check=True)


def _pinned(names) -> list[str]:
    names = set(names)
    lines = (ROOT / "requirements-dev.txt").read_text().splitlines()
    return [line for line in lines if line.partition("==")[0] in names]


def _variables(home: Path, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONWARNINGS": "ignore", **more}


def _run(python: Path, home: Path, *arguments: str, cwd: Path | None = None):
    return subprocess.run(
        [str(python), *arguments],
        cwd=cwd or home,
        env=_variables(home),
        capture_output=True,
        text=True,
        check=False,
    )


def _tests(python: Path, home: Path, folder: Path, files: list[str]) -> int:
    began = time.monotonic()
    ended = _run(python, home, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, cwd=folder)
    if ended.returncode:
        print(ended.stdout[-6000:], ended.stderr[-2000:])
    last = (ended.stdout.strip() or "nothing").splitlines()[-1]
    print(f"tests from site-packages, {' '.join(files)}: {last} ({time.monotonic() - began:.0f} s)")
    return ended.returncode


def _text(log) -> str:
    log.flush()
    return Path(log.name).read_text()


if __name__ == "__main__":
    sys.exit(main())
