"""Every route × everybody × every verb: nobody gets in who should not, and nothing breaks."""

from __future__ import annotations

import pytest
from django.db import transaction

from annotations.models import Membership
from tests.hostile.routes import INSIDE, ROLES, ROWS, routes

pytestmark = pytest.mark.django_db
VERBS = ("get", "post", "patch", "put", "delete")
# What a form must say to be more than a miss.
FORMS = {
    "person": {"do": "count"},
    "flag-change": {"do": "put-back"},
    "practice-change": {"do": "again"},
}
ALL = sorted(routes())


def kept_out(answer) -> bool:
    """Sent to the log-in, forbidden, not found, or no such verb."""
    if answer.status_code == 302:
        return answer.headers["Location"].startswith("/login/?next=")
    return answer.status_code in {401, 403, 404, 405}


def content(answer) -> bytes:
    """All of it; a file that is not read to its end stays open."""
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_every_route_says_who_it_is_for():
    assert sorted(ROWS) == sorted(name for name, _ in ALL)


# What may be kept: pictures by the browser of the person who saw them (and a chart whose address names
# its report, for an hour), one script by everybody. No page: whoever comes to the computer next could
# go back to it.
KEPT = {
    "image": "private",
    "thumbnail": "private",
    "example-picture": "private",
    "prompt-picture": "private",
    "vega": "public",
}


def check_armour(answer) -> None:
    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert "Server" not in answer.headers


def check_who_keeps_it(name: str, answer) -> None:
    cache = answer.headers["Cache-Control"]
    if answer.status_code == 200 and name in KEPT:
        assert KEPT[name] in cache
        assert "no-store" not in cache
    else:
        assert "no-store" in cache


def check_nothing_runs(answer, text: bytes) -> None:
    """Prompts, names, notes, file names, reasons: on every page that quotes them."""
    if answer.headers.get("Content-Type", "").startswith(("text/html", "image/svg")):
        assert b"<script>alert" not in text
        assert b"<img src=x" not in text
        assert b"onerror=alert(2)>" not in text
        assert b"49${" not in text


def verbs_of(name: str, role: str) -> tuple[str, ...]:
    """Pages know two verbs: that they know no other is asked by the one who may do most."""
    return VERBS if name.startswith("api-") or role == "owner" else VERBS[:2]


@pytest.mark.parametrize(("name", "address"), ALL, ids=[name for name, _ in ALL])
def test_only_those_get_in_who_should_and_every_answer_is_armoured(clients, filled, name, address):
    """One page, everybody: who gets in, what the head says, what is quoted, who may keep it."""
    check_who_gets_in(clients, name, filled(name, address), verbs_of)


@pytest.mark.nightly("five verbs for everybody on every page; the test above has two on pages")
@pytest.mark.parametrize(("name", "address"), ALL, ids=[name for name, _ in ALL])
def test_every_verb_of_everybody_on_every_page(clients, filled, name, address):
    check_who_gets_in(clients, name, filled(name, address), lambda name, role: VERBS)


def check_who_gets_in(clients, name: str, where: str, verbs) -> None:
    inside = INSIDE[ROWS[name]]
    got_in = set()
    for role in ROLES:
        with transaction.atomic():
            for verb in verbs(name, role):
                if verb == "get" or name in {"logout", "join", "crowd"}:
                    browser = clients(role)  # they change who one is
                form = [FORMS[name]] if verb == "post" and name in FORMS else []
                answer = getattr(browser, verb)(where, *form)
                text = content(answer)
                assert answer.status_code < 500 or answer.status_code == 503, (role, verb)
                check_armour(answer)
                check_nothing_runs(answer, text)
                if verb == "get":
                    check_who_keeps_it(name, answer)
                if not kept_out(answer):
                    assert role in inside, f"{role} gets {answer.status_code} for {verb} {where}"
                    got_in.add(role)
            # The next one finds what this one has deleted.
            transaction.set_rollback(True)
    assert got_in == inside


# Who labels is one of the study's people, superusers too.
LABELLING = {
    *("finished", "practice", "compare", "compare-votes", "api-next", "api-labels"),
    *("api-labels-bulk", "image"),
}


def test_a_superuser_looks_at_everything_without_becoming_one_of_the_people(clients, world, filled):
    root = world.people["superuser"].user
    people = Membership.objects.filter(study=world.study)
    before = people.count()
    browser = clients("superuser")
    for name, address in ALL:
        if name not in LABELLING and not name.startswith("label"):
            content(browser.get(filled(name, address)))
            assert people.count() == before, name
    assert browser.get(f"/studies/{world.study.slug}/label/").status_code == 200
    assert people.count() == before + 1
    assert people.get(user=root).role == "annotator"


@pytest.mark.parametrize(("name", "address"), ALL, ids=[name for name, _ in ALL])
def test_a_form_of_another_site_does_nothing(clients, filled, name, address):
    """With the cookie but without the token of the page."""
    if name == "api-token":
        return  # It takes a password and sets no cookie.
    where = filled(name, address)
    browser = clients("owner", enforce_csrf_checks=True)
    for verb in ("post", "put", "patch", "delete"):
        answer = getattr(browser, verb)(where)
        assert kept_out(answer), (verb, answer.status_code)


LEAKS = (
    *("study__memberships__user__password__startswith", "user__password", "ordering", "order_by"),
    *("sort", "group", "cursor", "page", "judge", "generator", "tag", "since", "by"),
)


ODD = ("md5$", "user__password", "-pk", "__", "\x00", "9" * 400, "'\"><script>", "%")


@pytest.mark.parametrize(("name", "address"), ALL, ids=[name for name, _ in ALL])
def test_no_name_in_the_address_reaches_into_the_tables(clients, world, filled, name, address):
    """Filter, order and group words that are no words of the page: ignored or refused, no crash."""
    where = filled(name, address)
    browser = clients("owner")
    # Each name meets each value on some page; test_every_odd_value_on_every_page: on all of them.
    turn = sum(map(ord, name))
    asked = {leak: ODD[(turn + at) % len(ODD)] for at, leak in enumerate(LEAKS)}
    check_nothing_leaks(browser.get(where, asked), world)


@pytest.mark.nightly("every odd value on every page; the test above has one in each name")
@pytest.mark.parametrize(("name", "address"), ALL, ids=[name for name, _ in ALL])
def test_every_odd_value_on_every_page(clients, world, filled, name, address):
    browser = clients("owner")
    for value in ODD:
        check_nothing_leaks(browser.get(filled(name, address), dict.fromkeys(LEAKS, value)), world)


def check_nothing_leaks(answer, world) -> None:
    assert answer.status_code < 500 or answer.status_code == 503
    text = content(answer)
    assert b"'\"><script>" not in text
    assert world.secret not in text


def test_the_administration_is_closed_to_all_but_its_own_people(clients):
    from django.contrib import admin

    for role in set(ROLES) - {"superuser"}:
        browser = clients(role)
        for pattern in admin.site.get_urls():
            where = str(pattern.pattern).replace("<path:object_id>", "1").lstrip("^")
            if "<" in where or "(" in where or "login" in where or "?P" in where:
                continue
            answer = browser.get(f"/admin/{where}")
            assert answer.status_code in {302, 403, 404}, (role, where)


def test_the_log_in_page_sends_nobody_to_another_site(clients, world):
    user = world.people["owner"].user
    user.set_password("a-long-and-quiet-river")
    user.save()
    answer = clients("anonymous").post(
        "/login/?next=https://evil.example/",
        {"username": "alice", "password": "a-long-and-quiet-river", "next": "//evil.example"},
    )
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/"


@pytest.mark.parametrize(
    "field", ["is_staff", "is_superuser", "role", "annotator", "study", "user"]
)
def test_a_field_too_many_changes_nobodys_rights(clients, world, field):
    """Mass assignment: what the body names beside the known fields is not taken."""
    bob = world.people["annotator"]
    browser = clients("annotator")
    for path in ("next", "labels"):
        browser.post(
            f"/api/v1/studies/{world.study.slug}/{path}/",
            {field: "owner", "image": "x", "form": 1, "answers": {}},
            content_type="application/json",
        )
    bob.refresh_from_db()
    bob.user.refresh_from_db()
    assert (bob.role, bob.user.is_staff, bob.user.is_superuser) == ("annotator", False, False)
