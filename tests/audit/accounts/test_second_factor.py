"""The second factor: asked for at every door that takes a password, each code once, and optional."""

from __future__ import annotations

import base64

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotations.errors import NotYours, Refused
from annotations.models import Event, Membership
from audit.accounts import one_time_codes, second_factor, tokens
from audit.models import SecondFactor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
PASSWORD = "a-long-and-quiet-river"


@pytest.fixture
def dora():
    return get_user_model().objects.create_user("dora", password=PASSWORD)


class Phone:
    def __init__(self, secret: bytes) -> None:
        self.secret = secret

    def code(self) -> str:
        step = next(one_time_codes.steps_around(timezone.now().timestamp()))
        return one_time_codes.code_at(self.secret, step)


@pytest.fixture
def phone(dora, clock):
    """Dora has turned it on; her recovery codes are `phone.recovery`."""
    phone = Phone(second_factor.begin(dora))
    phone.recovery = second_factor.confirm(dora, phone.code())
    clock(60)
    return phone


def give_password(client, address="/login/"):
    return client.post(address, {"username": "dora", "password": PASSWORD})


def give_code(client, code: str):
    return client.post("/login/code/", {"code": code})


def is_in(client) -> bool:
    return client.get("/").status_code == 200


def test_it_is_turned_on_on_the_account_page(client, dora, clock):
    client.force_login(dora)
    page = client.post("/account/second-factor/", {"password": PASSWORD})
    assert "<svg" in page.text
    assert "style=" not in page.context["picture"]
    letters = page.context["letters"]
    phone = Phone(base64.b32decode(letters))
    assert not second_factor.is_on(dora)
    wrong = client.post("/account/second-factor/on/", {"code": "000000"})
    assert wrong.status_code == 422
    assert letters in wrong.text  # the same picture again
    page = client.post("/account/second-factor/on/", {"code": phone.code()})
    assert second_factor.is_on(dora)
    codes = page.context["recovery_codes"]
    assert len(set(codes)) == 10
    assert all(code in page.text for code in codes)
    again = client.get("/account/").text
    assert codes[0] not in again
    assert letters not in again


def test_turning_it_on_needs_the_password(client, dora):
    client.force_login(dora)
    assert "not right" in client.post("/account/second-factor/", {"password": "wrong"}).text
    assert not SecondFactor.objects.exists()


def test_the_password_alone_logs_nobody_in(dora, phone):
    client = Client()
    assert give_password(client).headers["Location"] == "/login/code/"
    assert not is_in(client)
    assert give_code(client, "000000").status_code == 422
    assert not is_in(client)
    assert give_code(client, phone.code()).headers["Location"] == "/"
    assert is_in(client)


def test_the_code_alone_logs_nobody_in(dora, phone):
    client = Client()
    assert give_code(client, phone.code()).headers["Location"] == "/login/"
    assert not is_in(client)


def test_a_code_counts_once(dora, phone):
    code = phone.code()
    for works in (True, False):
        client = Client()
        give_password(client)
        give_code(client, code)
        assert is_in(client) is works


@pytest.mark.parametrize(("seconds", "works"), [(-30, True), (30, True), (-60, False), (60, False)])
def test_a_clock_may_differ_by_half_a_minute(dora, phone, clock, seconds, works):
    clock(300)
    code = phone.code()
    clock(seconds)
    client = Client()
    give_password(client)
    give_code(client, code)
    assert is_in(client) is works


def test_a_recovery_code_opens_once_and_says_so(dora, phone):
    for works in (True, False):
        client = Client()
        give_password(client)
        give_code(client, phone.recovery[0].upper().replace("-", " "))
        assert is_in(client) is works
    assert Event.objects.filter(words="used a recovery code; 9 are left", by=dora).count() == 1


def test_neither_secret_nor_recovery_codes_lie_readable_in_the_table(dora, phone):
    row = str(SecondFactor.objects.values_list().get())
    letters = one_time_codes.in_letters(phone.secret)
    for secret in (*phone.recovery, letters, phone.secret.hex()):
        assert secret not in row


def test_guessing_codes_has_an_allowance(dora, phone, clock):
    client = Client()
    give_password(client)
    answers = [give_code(client, "000000").status_code for _ in range(6)]
    assert answers == [422] * 5 + [429]
    assert give_code(client, phone.code()).status_code == 429
    clock(60)
    assert give_code(client, phone.code()).status_code == 302


def test_the_time_between_password_and_code_is_short(dora, phone, clock):
    client = Client()
    give_password(client)
    clock(601)
    assert give_code(client, phone.code()).headers["Location"] == "/login/"


@pytest.mark.parametrize("how", ["another password", "closed"])
def test_a_change_in_between_ends_the_log_in(dora, phone, how):
    client = Client()
    give_password(client)
    if how == "closed":
        dora.is_active = False
    else:
        dora.set_password("other-and-long")
    dora.save()
    assert give_code(client, phone.code()).headers["Location"] == "/login/"
    assert not is_in(client)


def test_the_page_that_was_wanted_comes_after_the_code(dora, phone):
    client = Client()
    client.post("/login/?next=/account/", {"username": "dora", "password": PASSWORD})
    assert give_code(client, phone.code()).headers["Location"] == "/account/"


def test_the_administrations_log_in_asks_for_it_too(dora, phone):
    dora.is_staff = dora.is_superuser = True
    dora.save()
    client = Client()
    answer = give_password(client, "/admin/login/?next=/admin/")
    assert answer.headers["Location"] == "/login/code/"
    assert client.get("/admin/").status_code == 302
    assert give_code(client, phone.code()).headers["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_the_administration_sends_nobody_round_in_circles(client, dora):
    client.force_login(dora)
    page = client.get("/admin/", follow=True)
    assert (page.status_code, len(page.redirect_chain)) == (200, 1)


def test_a_token_for_the_password_needs_the_code(dora, phone):
    given = {"username": "dora", "password": PASSWORD}
    answer = Client().post("/api/v1/token/", given)
    assert (answer.status_code, "second factor" in answer.json()["errors"]["code"][0]) == (
        400,
        True,
    )
    assert Client().post("/api/v1/token/", {**given, "code": phone.code()}).status_code == 200


def test_it_is_turned_off_with_a_code(client, dora, phone):
    client.force_login(dora)
    assert client.post("/account/second-factor/off/", {"code": "000000"}).status_code == 422
    assert second_factor.is_on(dora)
    client.post("/account/second-factor/off/", {"code": phone.code()})
    assert not second_factor.is_on(dora)
    assert give_password(Client()).headers["Location"] == "/"
    words = list(Event.objects.filter(did="second factor").order_by("pk").values_list("words"))
    assert words == [("turned the second factor on",), ("turned the second factor off",)]


def test_a_new_secret_replaces_none_that_is_on(client, dora, phone):
    client.force_login(dora)
    answer = client.post("/account/second-factor/", {"password": PASSWORD})
    assert "on already" in answer.text
    assert second_factor.check(dora, phone.code())


def test_who_must_have_one_sees_only_the_account_page_until_then(
    settings, client, dora, alice, study
):
    settings.SECOND_FACTOR_FOR = ["owners"]
    give_password(client)
    assert is_in(client)  # dora owns nothing
    alice.user.set_password(PASSWORD)
    alice.user.save()
    client = Client()
    client.post("/login/", {"username": "alice", "password": PASSWORD})
    answer = client.get("/")
    assert answer.headers["Location"] == "/account/"
    assert client.post(reverse("label", args=[study.slug])).status_code == 302
    assert client.get("/api/v1/studies/").status_code == 403
    page = client.get("/account/")
    assert "Set up the second factor first." in page.text
    page = client.post("/account/second-factor/", {"password": PASSWORD})
    phone = Phone(base64.b32decode(page.context["letters"]))
    client.post("/account/second-factor/on/", {"code": phone.code()})
    assert is_in(client)


def test_superusers_must_have_one_where_the_operator_says_so(settings, client, dora):
    settings.SECOND_FACTOR_FOR = ["superusers"]
    dora.is_superuser = True
    dora.save()
    give_password(client)
    assert not is_in(client)
    given = {"username": "dora", "password": PASSWORD}
    answer = Client().post("/api/v1/token/", given)
    assert answer.status_code == 403


def test_an_administrator_takes_it_off_an_account(client, dora, phone):
    client.force_login(get_user_model().objects.create_superuser("root", password=PASSWORD))
    row = SecondFactor.objects.get()
    client.post(reverse("admin:audit_secondfactor_delete", args=[row.pk]), {"post": "yes"})
    assert not second_factor.is_on(dora)
    words = f"in the administration: deleted the second factor of the user #{dora.pk}"
    assert Event.objects.filter(words=words).exists()


def test_another_secret_key_is_a_sentence(dora, phone, settings):
    settings.SECRET_KEY = "another" * 10
    with pytest.raises(Refused, match="SECRET_KEY has changed"):
        second_factor.check(dora, phone.code())


@pytest.fixture
def owner(settings, client, alice):
    """She is an owner and must have one; she has given her password."""
    settings.SECOND_FACTOR_FOR = ["owners"]
    alice.user.set_password(PASSWORD)
    alice.user.save()
    client.post("/login/", {"username": "alice", "password": PASSWORD})
    return alice


def set_up(client) -> Phone:
    page = client.post("/account/second-factor/", {"password": PASSWORD})
    phone = Phone(base64.b32decode(page.context["letters"]))
    client.post("/account/second-factor/on/", {"code": phone.code()})
    return phone


@pytest.mark.parametrize(
    ("page", "sent"),
    [
        ("/account/tokens/", {"name": "x", "days": "30", "scope": "write"}),
        ("/account/email/", {"email": "new@example.org", "password": PASSWORD}),
        ("/account/second-factor/off/", {"code": "000000"}),
        ("/account/log-out-everywhere/", {}),
        ("/api/v1/tokens/", {"name": "x"}),
    ],
)
def test_nothing_but_setting_it_up_is_open_before(client, owner, page, sent):
    answer = client.post(page, sent)
    assert answer.status_code == (403 if page.startswith("/api/") else 302)
    assert not owner.user.api_tokens.exists()
    shown = client.get("/account/").text
    assert "Set it up" in shown
    assert "Tokens for programs" not in shown


def test_a_token_of_an_owner_is_good_only_if_it_was_made_with_one(client, owner, study, settings):
    settings.SECOND_FACTOR_FOR = []
    _, early = tokens.make(user=owner.user, name="early")
    settings.SECOND_FACTOR_FOR = ["owners"]
    with pytest.raises(NotYours, match="second factor"):
        tokens.make(user=owner.user, name="none")
    set_up(client)
    page = client.post("/account/tokens/", {"name": "x", "days": "30"})
    for text, status in ((early, 401), (page.context["text"], 200)):
        program = Client(headers={"Authorization": f"Token {text}"})
        assert program.get("/api/v1/studies/").status_code == status


def test_whoever_becomes_an_owner_is_asked_at_the_next_request(settings, client, bob):
    settings.SECOND_FACTOR_FOR = ["owners"]
    client.force_login(bob.user)
    assert is_in(client)
    Membership.objects.filter(pk=bob.pk).update(role="owner")
    assert client.get("/").headers["Location"] == "/account/"
    assert client.get("/api/v1/studies/").status_code == 403


def test_a_session_that_never_gave_the_code_is_asked_for_it(settings, client, dora, phone, study):
    client.force_login(dora)
    Membership.objects.create(study=study, user=dora, name="dora", role="owner")
    settings.SECOND_FACTOR_FOR = ["owners"]
    answer = client.get("/?page=2")
    assert answer.headers["Location"] == "/login/code/"
    assert give_code(client, phone.code()).headers["Location"] == "/?page=2"
    assert is_in(client)


@pytest.mark.parametrize(
    ("claims", "says_so"),
    [
        ({"amr": ["pwd", "mfa"]}, True),
        ({"amr": ["pwd", "otp"]}, True),
        ({"acr": "https://refeds.org/profile/mfa"}, True),
        ({"amr": ["pwd"]}, False),
        ({"amr": "mfa"}, False),
        ({"amr": [["mfa"], 1]}, False),
        ({"acr": ["phr"]}, False),
        ({}, False),
    ],
)
def test_what_a_provider_says_of_a_second_factor(claims, says_so):
    assert second_factor.says_so(claims) is says_so
