"""Asks for every address in a process of its own, on the database that its environment names: what each
answered, as JSON. `python -m tests.hostile.read_only_walk` reads the cookies and the addresses."""

from __future__ import annotations

import json
import os
import sys


def walk(cookies: dict[str, str], addresses: dict[str, str]) -> dict[str, list]:
    import django

    django.setup()
    from django.conf import settings
    from django.test import Client

    from annotations.database.read_only import SENTENCE

    found = {}
    for role, cookie in cookies.items():
        browser = Client(raise_request_exception=False, headers={"host": "localhost"})
        if cookie:
            browser.cookies[settings.SESSION_COOKIE_NAME] = cookie
        for name, address in addresses.items():
            answer = browser.get(address)
            content = b"".join(answer.streaming_content) if answer.streaming else answer.content
            found[f"{role} {name}"] = [answer.status_code, SENTENCE in content.decode("latin-1")]
    return found


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")
    asked = json.load(sys.stdin)
    print(json.dumps(walk(asked["cookies"], asked["addresses"])))
