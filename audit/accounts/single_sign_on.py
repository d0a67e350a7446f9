"""Single sign-on: people log in at the provider that OIDC_PROVIDER names (OpenID Connect).

The authorization code flow with PKCE; the endpoints and keys are found by discovery. An ID token
counts only if the provider's key signed it, it was issued by the provider, for this installation,
for the log-in that this browser began (state, nonce), and has not expired.

Whoever comes first gets a new account without a place in any study. An account is known by issuer
and subject, never by its name: one of the same name that exists here is left alone. With
OIDC_LINK_BY_EMAIL the provider's verified address opens the account that has confirmed it; anybody can connect
their own account on their account page.

Why joserfc and httpx, and not a package for Django: mozilla-django-oidc 5.0 checks neither issuer
nor audience, and allauth 65 skips the signature; both bring pages and tables that would replace ours.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from annotations import event_log
from annotations.errors import Refused
from annotations.names import clean_name, name_like
from audit.accounts import addresses
from audit.models import Identity
from jurybox_formats.sources.checks import is_sound

SESSION_KEY = "single_sign_on"
# Signatures with a public key only: with HMAC, whoever knows the client's secret could sign.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]
# How far the provider's clock may differ, and how long what it says about itself is kept.
LEEWAY, KEPT = 60, 600
SECONDS, SECONDS_TO_CONNECT = 10, 5
MOST_BYTES = 1_000_000
LONGEST_ADDRESS = 254
BEGIN_AGAIN = "Begin again on the log-in page."

_kept: dict[str, tuple[float, dict[str, Any]]] = {}


class SignOnFailed(Refused):
    status = 403


class ProviderAway(Refused):
    status = 503


def begin(request: HttpRequest, *, back: str, following: str, connect: bool) -> str:
    """Where to send the browser. `back` is our own address, `following` the page after the log-in."""
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    request.session[SESSION_KEY] = {
        "state": state,
        "nonce": nonce,
        "verifier": verifier,
        "following": following,
        "connect": connect,
    }
    digest = hashlib.sha256(verifier.encode()).digest()
    query = {
        "response_type": "code",
        "client_id": settings.OIDC["client_id"],
        "redirect_uri": back,
        "scope": "openid profile email",
        "state": state,
        "nonce": nonce,
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
    }
    address = _endpoint("authorization_endpoint")
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"


@dataclass(frozen=True, slots=True)
class Arrival:
    """Who came back from the provider, what it says of them, and the page they wanted."""

    user: User
    claims: dict[str, Any]
    following: str


def finish(request: HttpRequest, *, back: str) -> Arrival:
    begun = request.session.pop(SESSION_KEY, None)
    given = request.GET.get("state", "")
    if not begun or not secrets.compare_digest(given.encode(), begun["state"].encode()):
        raise SignOnFailed(f"This log-in was not begun in this browser. {BEGIN_AGAIN}")
    if "error" in request.GET:
        raise SignOnFailed(f"The provider did not log you in. {BEGIN_AGAIN}")
    if request.GET.get("iss", _metadata()["issuer"]) != _metadata()["issuer"]:
        raise SignOnFailed(f"This answer comes from another provider. {BEGIN_AGAIN}")
    token = _token(request.GET.get("code", ""), verifier=begun["verifier"], back=back)
    claims = _claims(token, nonce=begun["nonce"])
    only = None
    if begun["connect"]:
        if not request.user.is_authenticated:
            raise SignOnFailed("Log in first, then connect the account on its page.")
        only = request.user
    user = _account(claims, only)
    if not user.is_active:
        raise SignOnFailed("This account is closed.")
    return Arrival(user, claims, begun["following"])


@transaction.atomic
def _account(claims: dict[str, Any], connect: User | None) -> User:
    issuer, subject = claims["iss"], claims["sub"]
    known = Identity.objects.filter(issuer=issuer, subject=subject).select_related("user").first()
    if known is not None:
        if connect is not None and known.user_id != connect.pk:
            raise SignOnFailed("This log-in of the provider belongs to another account here.")
        return known.user
    email = _verified_address(claims)
    user = connect or _with_address(email)
    if user is None:
        user = get_user_model()(username=_free_name(claims), email=email)
        user.set_unusable_password()
        user.save()
        if email:
            addresses.note_confirmed(user, email)
        words = "made by the first log-in through single sign-on"
    else:
        words = "connected to single sign-on"
    Identity.objects.create(user=user, issuer=issuer, subject=subject)
    event_log.note_account("single sign-on", words, account=user, by=user)
    return user


def _verified_address(claims: dict[str, Any]) -> str:
    """Whole or not at all: the beginning of an address is another one."""
    email = claims.get("email") if claims.get("email_verified") is True else None
    if not isinstance(email, str) or len(email) > LONGEST_ADDRESS or not is_sound(email):
        return ""
    return email


def _with_address(email: str) -> User | None:
    """The one account that has confirmed this address, if the operator lets addresses open accounts."""
    if not email or not settings.OIDC_LINK_BY_EMAIL:
        return None
    user = addresses.account_of(email)
    # An administrator's account is connected by its owner only, while logged in.
    return user if user is not None and not user.is_staff else None


def _free_name(claims: dict[str, Any]) -> str:
    wanted = claims.get("preferred_username") or str(claims.get("email") or "").partition("@")[0]
    name = re.sub(r"[^\w.@+-]", "", clean_name(str(wanted)))[:140] or "person"
    names = set(get_user_model().objects.values_list("username", flat=True))
    number, free = 1, name
    while name_like(free, names) is not None:
        number += 1
        free = f"{name}-{number}"
    return free


def _token(code: str, *, verifier: str, back: str) -> str:
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": back,
        "code_verifier": verifier,
    }
    # RFC 6749: both are form-encoded before they become a user name and a password.
    client = (quote(settings.OIDC["client_id"], ""), quote(settings.OIDC["secret"], ""))
    answer = _ask("POST", _endpoint("token_endpoint"), data=form, auth=client)
    token = answer.get("id_token")
    if not isinstance(token, str):
        raise SignOnFailed(f"The provider gave no ID token. {BEGIN_AGAIN}")
    return token


def _claims(token: str, *, nonce: str) -> dict[str, Any]:
    """The token's claims, once everything about it is checked."""
    client = settings.OIDC["client_id"]
    registry = jwt.JWTClaimsRegistry(
        leeway=LEEWAY,
        iss={"essential": True, "value": _metadata()["issuer"]},
        aud={"essential": True, "value": client},
        sub={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        claims = _decoded(token).claims
        registry.validate(claims)
    except (JoseError, ValueError, TypeError, KeyError):
        raise SignOnFailed(f"The provider's ID token is not valid. {BEGIN_AGAIN}") from None
    several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if claims.get("azp", None if several else client) != client:
        raise SignOnFailed(f"The provider's ID token is for another client. {BEGIN_AGAIN}")
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= 255 or not is_sound(subject):
        raise SignOnFailed("The provider's ID token names nobody.")
    return claims


def _decoded(token: str) -> jwt.Token:
    try:
        return jwt.decode(token, _keys(), algorithms=ALGORITHMS)
    except (JoseError, ValueError):
        # Perhaps the provider signs with a new key.
        return jwt.decode(token, _keys(anew=True), algorithms=ALGORITHMS)


def _keys(*, anew: bool = False) -> KeySet:
    found: Any = _keep(_endpoint("jwks_uri"), anew=anew)
    return KeySet.import_key_set(found)


def _metadata() -> dict[str, Any]:
    issuer = settings.OIDC["issuer"]
    found = _keep(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    if str(found.get("issuer", "")).rstrip("/") != issuer.rstrip("/"):
        raise ProviderAway("What answers at the address of OIDC_PROVIDER is another provider.")
    return found


def _endpoint(name: str) -> str:
    address = _metadata().get(name)
    secure = settings.OIDC["issuer"].startswith("https:")
    if not isinstance(address, str) or (secure and urlsplit(address).scheme != "https"):
        raise ProviderAway(f"The provider of OIDC_PROVIDER has no usable {name}.")
    return address


def _keep(address: str, *, anew: bool = False) -> dict[str, Any]:
    at, found = _kept.get(address, (0.0, {}))
    if anew or not found or time.monotonic() - at > KEPT:
        found = _ask("GET", address)
        _kept[address] = (time.monotonic(), found)
    return found


def _ask(method: str, address: str, **more: Any) -> dict[str, Any]:
    # It takes a quarter of a program's start.
    import httpx

    timeout = httpx.Timeout(SECONDS, connect=SECONDS_TO_CONNECT)
    try:
        answer = httpx.request(method, address, timeout=timeout, **more)
        found = answer.json() if len(answer.content) <= MOST_BYTES else None
    except (httpx.HTTPError, ValueError):
        raise ProviderAway("The provider of the log-in does not answer. Try again later.") from None
    if 400 <= answer.status_code < 500 and method == "POST":
        raise SignOnFailed(f"The provider refused this log-in. {BEGIN_AGAIN}")
    if answer.status_code != 200 or not isinstance(found, dict):
        raise ProviderAway("The provider of the log-in does not answer. Try again later.")
    return found
