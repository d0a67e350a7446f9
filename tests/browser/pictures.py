"""Make the README's pictures of the demo anew: `python -m tests.browser.pictures`.

`atoms.png` is the screenshot that the browser test of that form keeps with `TEST_SCREENSHOTS=1`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.needs import CHROMIUM
from tests.waiting import reserve_port, wait_for_port

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


def main() -> None:
    DOCS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        port = reserve_port()
        environment = {**os.environ, "JURYBOX_VAR": folder, "PORT": str(port)}
        environment["DJANGO_SETTINGS_MODULE"] = "audit.settings"
        python = [sys.executable, "-W", "ignore"]
        subprocess.run(
            [*python, "manage.py", "demo", "--no-serve"], cwd=ROOT, env=environment, check=True
        )
        web = subprocess.Popen(
            [*python, "manage.py", "serve", "--port", str(port)],
            cwd=ROOT,
            env=environment,
        )
        try:
            passwords = json.loads((Path(folder) / "demo_logins.json").read_text())
            wait_for_port(port, web)
            _take(f"http://127.0.0.1:{port}", passwords)
        finally:
            web.terminate()
            web.wait()


def _take(address: str, passwords: dict[str, str]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        for who, path, ready, name in (
            ("researcher", "/studies/demo/audit/", ".plot svg", "drift.png"),
            ("annotator", "/studies/demo/label/", "fieldset", "label.png"),
        ):
            page = browser.new_page(viewport={"width": 1280, "height": 640}, color_scheme="light")
            _log_in(page, address, who, passwords[who])
            page.goto(f"{address}{path}")
            page.wait_for_selector(ready)
            page.wait_for_function(
                "() => [...document.images].every(one => one.complete && one.naturalWidth > 0)"
            )
            page.screenshot(path=DOCS / name)
            page.close()
        browser.close()


def _log_in(page: Page, address: str, name: str, password: str) -> None:
    page.goto(f"{address}/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{address}/")


if __name__ == "__main__":
    main()
