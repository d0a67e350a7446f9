"""Tokens: shown once, with an end, a scope, perhaps one study; gone with the password."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.models import Event
from annotations.studies import crowd
from audit import tasks
from audit.accounts import tokens
from audit.models import ApiToken
from tests import making

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-and-quiet-river"
STUDIES = "/api/v1/studies/"


@pytest.fixture
def dora(alice):
    """Alice's study is hers, too."""
    alice.user.set_password(PASSWORD)
    alice.user.save()
    return alice.user


def ask(text: str, path: str = STUDIES, verb: str = "get", **more):
    headers = {"Authorization": f"Token {text}"}
    return getattr(Client(), verb)(path, headers=headers, **more)


def test_the_table_holds_no_token(dora):
    token, text = tokens.make(user=dora, name="laptop")
    assert text.startswith("jb_")
    assert len(text) > 40
    assert text not in str(ApiToken.objects.values_list())
    assert token.digest == hashlib.sha256(text.encode()).hexdigest()
    assert ask(text).status_code == 200
    assert Client().get(STUDIES, headers={"Authorization": f"Bearer {text}"}).status_code == 200


@pytest.mark.parametrize("wrong", ["", "x", "jb_x", "é", "a b c"])
def test_what_is_no_token_lets_nobody_in(dora, wrong):
    assert ask(wrong.encode().decode("latin-1")).status_code in {401, 403}


def test_a_token_ends_at_its_date(dora):
    token, text = tokens.make(user=dora, name="laptop", days=1)
    assert timedelta(hours=23) < token.expires_at - timezone.now() <= timedelta(days=1)
    assert ask(text).status_code == 200
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    answer = ask(text)
    assert answer.status_code in {401, 403}
    assert "has expired or was revoked" in answer.json()["detail"]
    assert tasks.delete_expired()["tokens"] == 1


@pytest.mark.parametrize("days", [0, -1, tokens.LONGEST_DAYS + 1])
def test_no_token_is_for_ever(as_alice, days):
    answer = as_alice.post(reverse("account-token-make"), {"name": "x", "days": days})
    assert "A token is valid for 1 to 366 days." in answer.text
    assert not ApiToken.objects.exists()


def test_a_changed_password_ends_all_tokens(client, dora):
    text = making.token(dora)
    client.force_login(dora)
    form = {
        "old_password": PASSWORD,
        "new_password1": "other-and-long",
        "new_password2": "other-and-long",
    }
    assert client.post(reverse("account-password"), form).status_code == 302
    assert ask(text).status_code in {401, 403}
    assert client.get(reverse("account")).status_code == 200  # this browser stays


@pytest.mark.parametrize("how", ["set_password", "close the account", "everywhere"])
def test_other_ways_to_end_them(client, dora, how):
    text = making.token(dora)
    if how == "set_password":
        dora.set_password("other-and-long")
        dora.save()
    elif how == "close the account":
        dora.is_active = False
        dora.save()
    else:
        client.force_login(dora)
        elsewhere = Client()
        elsewhere.force_login(dora)
        client.post(reverse("account-log-out-everywhere"))
        assert elsewhere.get("/").status_code == 302
    assert ask(text).status_code in {401, 403}
    assert not ApiToken.objects.exists()


def test_a_log_in_that_makes_the_hash_anew_ends_none(dora, settings):
    text = making.token(dora)
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.ScryptPasswordHasher",
        *settings.PASSWORD_HASHERS,
    ]
    before = dora.password
    assert Client().login(username=dora.get_username(), password=PASSWORD)
    dora.refresh_from_db()
    assert dora.password != before
    assert ask(text).status_code == 200


def test_a_token_that_may_read_changes_nothing(dora, study):
    text = making.token(dora, scope="read")
    assert ask(text, f"{STUDIES}{study.slug}/images/").status_code == 200
    answer = ask(text, f"{STUDIES}{study.slug}/next/", "post")
    assert answer.status_code == 403
    assert answer.json()["detail"] == "This token may only read; make one that may write."
    assert ask(making.token(dora), f"{STUDIES}{study.slug}/next/", "post").status_code == 200


def test_a_token_of_one_study_reaches_no_other(dora, study):
    other = making.study("other")
    making.person(other, "alice", role="owner")
    text = making.token(dora, study=study.slug)
    assert ask(text, f"{STUDIES}{study.slug}/images/").status_code == 200
    assert ask(text, f"{STUDIES}other/images/").status_code == 403
    assert ask(text, STUDIES).status_code == 403
    picture = other.images.first()
    assert ask(text, reverse("image", args=[picture.public_id])).status_code == 403


def test_programs_fetch_pictures_with_their_token(dora, study):
    address = reverse("image", args=[study.images.first().public_id])
    answer = ask(making.token(dora, scope="read"), address)
    assert answer.headers["Content-Type"] == "image/png"
    assert b"".join(answer.streaming_content).startswith(b"\x89PNG")
    small = ask(making.token(dora, scope="read", study=study.slug), f"{address}?small")
    assert small.status_code == 200
    assert b"".join(small.streaming_content)
    assert ask("jb_wrong", address).status_code in {401, 403}
    stranger = making.person(making.study("elsewhere"), "stranger")
    assert ask(making.token(stranger.user), address).status_code == 404
    assert ask(making.token(dora), address, "post").status_code == 405
    assert Client().get(address).status_code == 302


def test_the_page_shows_a_token_once(as_alice, alice):
    answer = as_alice.post(reverse("account-token-make"), {"name": "laptop", "days": "30"})
    text = answer.context["text"]
    assert text in answer.text
    assert "no-store" in answer.headers["Cache-Control"]
    page = as_alice.get(reverse("account"))
    assert text not in page.text
    assert "laptop" in page.text
    token = ApiToken.objects.get()
    assert (token.scope, token.study) == ("read", None)
    as_alice.post(reverse("account-token-end", args=[token.pk]))
    assert ask(text).status_code in {401, 403}


def test_nobody_revokes_anothers_token(as_bob, dora):
    making.token(dora)
    pk = ApiToken.objects.get().pk
    assert as_bob.post(reverse("account-token-end", args=[pk])).status_code == 404
    assert as_bob.delete(f"/api/v1/tokens/{pk}/").status_code == 404
    assert ApiToken.objects.exists()


def test_over_the_api_tokens_are_listed_made_and_revoked(as_alice, dora, study):
    as_alice.force_login(dora)
    made = as_alice.post(
        "/api/v1/tokens/",
        {"name": "laptop", "scope": "write", "study": study.slug, "days": 7},
        content_type="application/json",
    )
    assert made.status_code == 201
    (listed,) = as_alice.get("/api/v1/tokens/").json()
    assert listed == {k: v for k, v in made.json().items() if k != "token"}
    assert (listed["scope"], listed["study"]) == ("write", study.slug)
    assert as_alice.delete(f"/api/v1/tokens/{listed['id']}/").status_code == 204
    assert as_alice.get("/api/v1/tokens/").json() == []


def test_a_token_makes_no_tokens(dora):
    answer = ask(
        making.token(dora),
        "/api/v1/tokens/",
        "post",
        data={"name": "x"},
        content_type="application/json",
    )
    assert answer.status_code == 403
    assert "cannot make tokens" in answer.json()["message"]


def test_a_password_still_gets_a_token(dora):
    given = {"username": dora.get_username(), "password": PASSWORD}
    made = Client().post("/api/v1/token/", given)
    assert made.status_code == 200
    assert ask(made.json()["token"], STUDIES).status_code == 200
    assert ApiToken.objects.get().expires_at < timezone.now() + timedelta(days=91)
    answer = Client().post("/api/v1/token/", {**given, "password": "wrong"})
    assert answer.status_code == 400
    words = ["Unable to log in with provided credentials."]
    assert answer.json()["non_field_errors"] == answer.json()["errors"]["non_field_errors"] == words


def test_scripts_that_ask_each_time_leave_no_pile(dora):
    made = [tokens.make(user=dora, name="x", by_password=True)[1] for _ in range(25)]
    assert ApiToken.objects.count() == tokens.MOST_BY_PASSWORD
    assert ask(made[-1]).status_code == 200


def test_workers_of_a_crowd_have_none(study):
    door = crowd.open_to_crowd(study=study, completion_code="C0DE")
    member = crowd.enter_from_crowd(invitation=door, worker="worker-0815")
    client = Client()
    client.force_login(member.user)
    answer = client.post(reverse("account-token-make"), {"name": "x", "days": "30"})
    assert answer.status_code == 403
    assert not ApiToken.objects.exists()


def test_making_using_and_revoking_leave_events(dora):
    token, text = tokens.make(user=dora, name="laptop")
    ask(text)
    ask(text)
    tokens.revoke(user=dora, pk=token.pk)
    events = Event.objects.filter(account=dora, did__startswith="token").order_by("pk")
    assert [event.did for event in events] == ["token made", "token used", "token revoked"]
    assert text not in str(list(events.values_list()))


def test_a_request_costs_one_query_for_the_token(dora, study, django_assert_num_queries):
    text = making.token(dora)
    ask(text)  # the first use is noted
    with django_assert_num_queries(2):
        assert ask(text).status_code == 200


def test_the_schema_says_scopes(as_alice):
    schema = as_alice.get("/api/v1/schema/?format=json").json()
    scopes = {
        operation["x-scope"]
        for operations in schema["paths"].values()
        for operation in operations.values()
        if isinstance(operation, dict) and operation.get("security")
    }
    assert scopes == {"read", "write"}
    assert schema["paths"]["/api/v1/studies/"]["get"]["x-scope"] == "read"
    assert "write" in schema["components"]["securitySchemes"]["token"]["description"]


def test_the_account_page_asks_as_much_with_ten_tokens_more(
    as_alice, alice, django_assert_num_queries
):
    making.token(alice.user)
    with CaptureQueriesContext(connection) as few:
        as_alice.get(reverse("account"))
    for _ in range(10):
        making.token(alice.user)
    with django_assert_num_queries(len(few)):
        as_alice.get(reverse("account"))


def test_a_superuser_is_the_same_to_a_token(db):
    root = get_user_model().objects.create_superuser("root", password=PASSWORD)
    assert ask(making.token(root), f"{STUDIES}shapes/images/").status_code == 404
