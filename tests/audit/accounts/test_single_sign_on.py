"""Single sign-on against a provider on loopback: who gets in, and what is refused."""

from __future__ import annotations

import time
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import httpx
import pytest
from django.contrib.auth import get_user_model
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from joserfc.jwk import OctKey, RSAKey

from annotations.models import Event, Membership
from annotations.studies import invitations
from audit import settings as the_settings
from audit.accounts import addresses, one_time_codes, second_factor
from audit.models import ApiToken, Identity
from tests.audit.accounts.oidc_stand_in import CLIENT, SECRET, running

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-and-quiet-river"


@pytest.fixture(scope="module")
def server():
    with running() as stand_in:
        yield stand_in


@pytest.fixture
def provider(server, settings, monkeypatch):
    from audit.accounts import first_account, single_sign_on

    # The installation has its first account.
    monkeypatch.setattr(first_account, "none_yet", lambda: False)
    before = vars(server).copy()
    monkeypatch.setattr(single_sign_on, "_kept", {})
    settings.OIDC = {"issuer": server.issuer, "client_id": CLIENT, "secret": SECRET}
    server.person, server.claims = dict(server.person), {}
    yield server
    vars(server).update(before)


def at_the_provider(client, **query) -> str:
    """Go there and agree; the address that the browser is sent back to."""
    answer = client.get(reverse("single-sign-on"), query)
    assert answer.status_code == 302, answer.text
    return httpx.get(answer.headers["Location"]).headers["Location"]


def come_back(client, address: str):
    parts = urlsplit(address)
    return client.get(f"{parts.path}?{parts.query}")


def sign_on(client, **query):
    return come_back(client, at_the_provider(client, **query))


def name_of(client) -> str:
    return client.get("/account/").context["user"].get_username()


def test_whoever_comes_first_gets_an_account_without_any_rights(client, provider, study):
    answer = sign_on(client)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert name_of(client) == "dora"
    user = get_user_model().objects.get()
    assert (user.is_staff, user.is_superuser, user.has_usable_password()) == (False, False, False)
    assert not user.memberships.exists()
    assert client.get(reverse("label", args=[study.slug])).status_code == 404
    told = list(Event.objects.filter(account=user).order_by("pk").values_list("words", flat=True))
    assert told == ["made by the first log-in through single sign-on", "logged in"]


def test_the_second_time_it_is_the_same_account_whatever_its_name_is_now(client, provider):
    sign_on(client)
    provider.person |= {"preferred_username": "somebody-else", "email": "new@example.org"}
    again = Client()
    sign_on(again)
    assert name_of(again) == "dora"
    assert Identity.objects.count() == 1


def test_the_page_that_was_wanted_is_shown_and_no_other_site(client, provider):
    assert sign_on(client, next="/account/").headers["Location"] == "/account/"
    for elsewhere in ("https://evil.example/", "//evil.example", "javascript:alert(1)"):
        assert sign_on(Client(), next=elsewhere).headers["Location"] == "/"


def test_a_local_account_of_the_same_name_is_left_alone(client, provider):
    local = get_user_model().objects.create_user("Dora", "dora@example.org", PASSWORD)
    sign_on(client)
    assert name_of(client) == "dora-2"
    assert not local.identities.exists()


def test_a_verified_address_opens_its_account_if_the_operator_says_so(client, provider, settings):
    settings.OIDC_LINK_BY_EMAIL = True
    local = get_user_model().objects.create_user("local", "DORA@example.org", PASSWORD)
    addresses.confirm(local, addresses.path_for(local).split("/")[-2])
    sign_on(client)
    assert name_of(client) == "local"
    assert local.identities.get().subject == "subject-1"


@pytest.mark.parametrize(
    "why",
    [
        "not verified",
        "an administrator",
        "two of them",
        "as a text",
        "never confirmed",
        "changed since",
    ],
)
def test_an_address_opens_no_account(client, provider, settings, why):
    settings.OIDC_LINK_BY_EMAIL = True
    people = get_user_model().objects
    local = people.create_user(
        "local", "dora@example.org", PASSWORD, is_staff=why == "an administrator"
    )
    if why == "changed since":
        addresses.note_confirmed(local, "older@example.org")
    elif why != "never confirmed":
        addresses.note_confirmed(local, "dora@example.org")
    if why == "two of them":
        other = people.create_user("other", "dora@example.org", PASSWORD)
        addresses.note_confirmed(other, "dora@example.org")
    if why in {"not verified", "as a text"}:
        provider.person["email_verified"] = "true" if why == "as a text" else False
    sign_on(client)
    assert name_of(client) == "dora"


@pytest.mark.parametrize(
    "email", ["d" * 250 + "@example.org", "do\0ra@example.org", ["a@b.example"], 7]
)
def test_an_address_that_cannot_be_kept_whole_is_not_kept(client, provider, email):
    provider.person["email"] = email
    sign_on(client)
    user = client.get("/account/").context["user"]
    assert user.email == "" and not addresses.is_confirmed(user)


def test_somebody_connects_their_own_account(client, provider):
    local = get_user_model().objects.create_user("local", password=PASSWORD)
    client.force_login(local)
    assert "Connect" in client.get("/account/").text
    assert sign_on(client, connect="").headers["Location"] == "/account/"
    assert "is connected" in client.get("/account/").text
    other = Client()
    sign_on(other)
    assert name_of(other) == "local"


def test_single_sign_on_counts_as_a_second_factor_only_if_its_claims_say_so(
    client, provider, settings, study
):
    sign_on(client)
    user = get_user_model().objects.get()
    Membership.objects.create(study=study, user=user, name="dora", role="owner")
    settings.SECOND_FACTOR_FOR = ["owners"]
    assert client.get("/").headers["Location"] == "/account/"
    assert client.get(reverse("single-sign-on"), {"connect": ""}).status_code == 302
    secret = second_factor.begin(user)
    step = next(one_time_codes.steps_around(timezone.now().timestamp()))
    second_factor.confirm(user, one_time_codes.code_at(secret, step))
    assert sign_on(Client()).headers["Location"] == "/login/code/"
    provider.claims = {"amr": ["pwd", "mfa"]}
    with_both = Client()
    assert sign_on(with_both).headers["Location"] == "/"
    assert with_both.get("/").status_code == 200


def test_one_log_in_of_the_provider_is_one_account(client, provider):
    sign_on(Client())
    client.force_login(get_user_model().objects.create_user("local", password=PASSWORD))
    answer = sign_on(client, connect="")
    assert answer.status_code == 403
    assert "belongs to another account" in answer.text


def test_a_closed_account_stays_closed(client, provider):
    sign_on(Client())
    get_user_model().objects.update(is_active=False)
    assert "This account is closed." in sign_on(client).text
    assert client.get("/").status_code == 302


HOUR = 3600
WRONG = {
    "another issuer": {"iss": "https://evil.example"},
    "another audience": {"aud": "another-client"},
    "no audience": {"aud": None},
    "for others too, by another client": {"aud": [CLIENT, "another"], "azp": "another"},
    "for others too, nobody says by whom": {"aud": [CLIENT, "another"]},
    "another nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "expired": {"exp": int(time.time()) - HOUR},
    "no end": {"exp": None},
    "from the future": {"iat": int(time.time()) + 10 * HOUR},
    "nobody": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject that no database keeps": {"sub": "per\0son"},
}


@pytest.mark.parametrize("claims", WRONG.values(), ids=WRONG)
def test_an_id_token_that_is_not_for_this_log_in_is_refused(client, provider, claims):
    provider.claims = claims
    answer = sign_on(client)
    assert answer.status_code == 403
    assert "ID token" in answer.text
    assert not get_user_model().objects.exists()
    assert client.get("/").status_code == 302


@pytest.mark.parametrize("how", ["another key", "the secret", "no signature"])
def test_a_forged_signature_is_refused(client, provider, how, monkeypatch):
    if how == "another key":
        provider.key = RSAKey.generate_key(2048, {"kid": "one"})
    elif how == "the secret":
        provider.key = OctKey.import_key(SECRET, {"kid": "one"})
        provider.header = {"alg": "HS256", "kid": "one"}
    else:
        sign = provider.sign
        monkeypatch.setattr(
            provider,
            "sign",
            lambda claims: "eyJhbGciOiJub25lIn0." + sign(claims).split(".")[1] + ".",
        )
    assert sign_on(client).status_code == 403
    assert not get_user_model().objects.exists()


def test_a_new_key_of_the_provider_is_found(client, provider):
    sign_on(Client())
    provider.key = RSAKey.generate_key(2048, {"kid": "two"})
    provider.header = {"alg": "RS256", "kid": "two"}
    provider.published = [*provider.published, provider.key]
    assert sign_on(client).status_code == 302


def test_a_log_in_that_this_browser_did_not_begin_is_refused(client, provider):
    address = at_the_provider(client)
    assert come_back(Client(), address).status_code == 403
    for wrong in ("", "another", "é"):
        client.get(reverse("single-sign-on"))
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        answer = client.get(f"/single-sign-on/back/?{urlencode({**query, 'state': wrong})}")
        assert "was not begun in this browser" in answer.text


def test_an_answer_counts_once(client, provider):
    address = at_the_provider(client)
    assert come_back(client, address).status_code == 302
    client.post("/logout/")
    assert come_back(client, address).status_code == 403


def test_an_answer_in_another_providers_name_is_refused(client, provider):
    address = at_the_provider(client)
    evil = address.replace(urlencode({"iss": provider.issuer}), "iss=https%3A%2F%2Fevil.example")
    assert "comes from another provider" in come_back(client, evil).text


def test_a_refusal_of_the_provider_is_a_sentence(client, provider):
    address = at_the_provider(client)
    state = parse_qs(urlsplit(address).query)["state"][0]
    answer = client.get(f"/single-sign-on/back/?error=access_denied&state={state}")
    assert answer.status_code == 403
    assert "did not log you in" in answer.text


def test_another_provider_at_its_address_or_none_is_a_sentence(client, provider, settings):
    provider.says_issuer = "https://evil.example"
    answer = client.get(reverse("single-sign-on"))
    assert (answer.status_code, "is another provider" in answer.text) == (503, True)
    settings.OIDC = {**settings.OIDC, "issuer": "http://127.0.0.1:9"}
    answer = client.get(reverse("single-sign-on"))
    assert (answer.status_code, "does not answer" in answer.text) == (503, True)


def test_the_log_in_page_offers_it_beside_the_password(client, provider):
    page = client.get("/login/?next=/account/")
    assert 'href="/single-sign-on/?next=%2Faccount%2F"' in page.text
    assert 'type="password"' in page.text


def test_passwords_can_be_switched_off(client, provider, settings):
    get_user_model().objects.create_superuser("root", password=PASSWORD)
    settings.OIDC_ONLY = True
    form = {"username": "root", "password": PASSWORD}
    assert 'type="password"' not in client.get("/login/").text
    for address in ("/login/", "/admin/login/", "/api/v1/token/"):
        assert client.post(address, form).status_code in {200, 400}
    assert client.get("/").status_code == 302
    assert not ApiToken.objects.exists()
    assert sign_on(client).status_code == 302
    assert 'type="password"' not in client.get("/account/").text


def test_without_passwords_an_invitation_leads_to_the_log_in(client, provider, settings, study):
    settings.OIDC_ONLY = True
    door = reverse("join", args=[invitations.token_of(invitations.invite(study=study))])
    assert unquote(client.get(door).headers["Location"]) == f"/login/?next={door}"
    assert sign_on(client, next=door).headers["Location"] == door
    assert client.post(door).status_code == 302
    assert get_user_model().objects.get().memberships.get().study == study


def test_without_a_provider_there_is_no_such_page(client):
    assert client.get("/single-sign-on/").status_code == 404
    assert client.get("/single-sign-on/back/").status_code == 404
    assert "single sign-on" not in client.get("/login/").text


def test_the_setting_is_read_or_refused_without_showing_the_secret():
    read = the_settings._provider("https://me:a%2Fb%40c@id.example/realms/lab")
    assert read == {"issuer": "https://id.example/realms/lab", "client_id": "me", "secret": "a/b@c"}
    assert the_settings._provider("") == {}
    for wrong in ("http://me:hush@id.example", "https://id.example", "https://me@id.example", "x"):
        with pytest.raises(ImproperlyConfigured) as refused:
            the_settings._provider(wrong)
        assert "hush" not in str(refused.value)
