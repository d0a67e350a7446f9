"""Scripts in every text that people, files, judges and forms bring: a real browser runs none of them, and its
Content-Security-Policy has nothing to refuse, since none gets into a page as anything but text."""

from __future__ import annotations

import json

import pytest
from django.test import Client, override_settings

from annotations.models import FormVersion, Generator, Group, Image, Prompt, Selection
from judges.models import Recipe
from tests.hostile import conftest as hostile
from tests.hostile.conftest import HOSTILE
from tests.hostile.routes import routes

SHORT = "<b onmouseover=alert(3)>x</b><svg/onload=alert(4)>"
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
    window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""
# As text these stand in a page; as elements or addresses they would be somebody's script.
INJECTED = """() => [
    ...document.querySelectorAll("img[src=x], svg[onload], b[onmouseover], [onerror]"),
    ...document.querySelectorAll("script:not([src]):not([type='application/json'])"),
    ...[...document.querySelectorAll("[href], [action], [src]")].filter((one) =>
        /^\\s*(javascript|data:text)/i.test(one.getAttribute("href") || one.getAttribute("action") ||
        one.getAttribute("src") || "")),
].map((one) => one.outerHTML.slice(0, 200))"""
OPEN_ALL = "() => document.querySelectorAll('details').forEach((one) => { one.open = true; })"
# They answer with a file, or log the person out.
NOT_OPENED = {"logout", "account-log-out-everywhere"}
SPOILT = {"title", "text", "label", "help", "instructions", "hint", "why", "caption", "words"}


def _spoil(value, key=""):
    if isinstance(value, dict):
        return {name: _spoil(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_spoil(inner, key) for inner in value]
    return f"{value} {HOSTILE}" if isinstance(value, str) and key in SPOILT else value


@pytest.fixture
def world(db, tmp_path):
    media = tmp_path / "hostile"
    with override_settings(MEDIA_ROOT=media):
        made = hostile._build(media)
        study = made.study
        Generator.objects.filter(study=study).update(family=SHORT, note=HOSTILE)
        Image.objects.filter(study=study).update(metadata={"caption": HOSTILE, HOSTILE: [HOSTILE]})
        Prompt.objects.filter(study=study).update(tags=[SHORT], metadata={"note": HOSTILE})
        selection = Selection.objects.filter(study=study).first()
        Group.objects.create(study=study, name=SHORT, selection=selection)
        Recipe.objects.create(name="hostile", title=HOSTILE, text=f"# {HOSTILE}\n")
        form = FormVersion.objects.get(pk=study.form_id)
        FormVersion.objects.filter(pk=form.pk).update(
            title=SHORT, definition=_spoil(form.definition)
        )
        yield made


def fill(world, name: str, address: str) -> str:
    for gap, value in {**world.gaps, **hostile._OWN_GAPS.get(name, {})}.items():
        address = address.replace(gap, str(value))
    return f"/{address}"


@pytest.mark.nightly("every page in a browser; tests/hostile/test_access.py reads each page's HTML")
def test_no_page_runs_a_script_that_came_as_a_text(open_page, world, capsys):
    pages, shown, found, dialogs, violations = 0, 0, [], [], []
    for role in ("owner", "annotator"):
        person = world.people[role]
        client = Client(raise_request_exception=False)
        client.force_login(person.user)
        page = open_page(person, "/account/")
        page.add_init_script(WATCH)
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        for name, route in sorted(routes()):
            address = fill(world, name, route)
            answer = client.get(address)
            answer.close()
            kind = answer.headers.get("Content-Type", "")
            is_page = answer.status_code == 200 and kind.startswith("text/html")
            is_file = answer.headers.get("Content-Disposition", "").startswith("attachment")
            if name in NOT_OPENED or not is_page or is_file:
                continue
            page.goto(address)
            page.evaluate(OPEN_ALL)
            pages += 1
            shown += "alert(" in page.evaluate("() => document.body.textContent")
            found += [(name, html) for html in page.evaluate(INJECTED)]
            violations += [(name, said) for said in page.evaluate("() => window.violations")]
    with capsys.disabled():
        print(
            f"\n{pages} pages: {len(found)} injected, {len(dialogs)} scripts run, "
            f"{len(violations)} reports of the Content-Security-Policy"
        )
    assert pages > 70 and shown > 40, (pages, shown)
    assert (found, dialogs, violations) == ([], [], []), json.dumps([found, violations])[:3000]
