"""Tokens: how programs log in. Each has a name, an end, a scope, and perhaps one study.

A token is shown once; the table holds its SHA-256, which is enough for 256 random bits. It ends at
its date, when it is revoked, when its owner changes the password or logs out everywhere, and when
the account is closed.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from annotations import event_log
from annotations.access import place_of
from annotations.database.prepared import Prepared
from annotations.errors import NotYours, Refused
from annotations.models import Membership, Study
from audit.accounts import second_factor
from audit.models import ApiToken

if TYPE_CHECKING:
    # This module is imported while `rest_framework.views` is.
    from rest_framework.views import APIView

DAYS = 90
LONGEST_DAYS = 366
MOST = 50
# Each request for a token by password makes one; the oldest of these ends instead of piling up.
MOST_BY_PASSWORD = 20
NO_SECOND_FACTOR = (
    "This account must have a second factor, and this token was made without one; log in with it and "
    "make a new token."
)
# How exactly the last use is known: an answer must not cost a write more.
USE_IS_NOTED = timedelta(hours=1)

TOKEN = Prepared(
    lambda mark: (
        ApiToken.objects.order_by().select_related("user").filter(digest=mark.text("digest"))
    )
)


@transaction.atomic
def make(
    *,
    user: User,
    name: str,
    scope: str = ApiToken.Scope.READ,
    study: str = "",
    days: int = DAYS,
    by_password: bool = False,
    second_factor_shown: bool = False,
) -> tuple[ApiToken, str]:
    """A new token, and its text, which nobody can find out later. `study`: the slug of the only one."""
    name = name.strip()[:100]
    if not name:
        raise Refused(gettext("Give the token a name that says what it is for."))
    if scope not in ApiToken.Scope.values:
        raise Refused(gettext("A token's scope is read or write."))
    if not 1 <= days <= LONGEST_DAYS:
        sentence = gettext("A token is valid for 1 to %(days)s days.")
        raise Refused(sentence % {"days": LONGEST_DAYS})
    if is_crowd_worker(user):
        raise NotYours(gettext("Crowd workers have no tokens."))
    if not second_factor_shown and second_factor.must_have(user):
        raise NotYours(gettext(second_factor.SET_UP))
    only = _study(user, study)
    mine = ApiToken.objects.filter(user=user)
    if by_password:
        kept = mine.filter(by_password=True).order_by("-pk")[: MOST_BY_PASSWORD - 1]
        mine.filter(by_password=True).exclude(pk__in=[row.pk for row in kept]).delete()
    elif mine.filter(by_password=False).count() >= MOST:
        sentence = gettext("You have %(number)s tokens; revoke one that is no longer needed.")
        raise Refused(sentence % {"number": MOST})
    text = f"jb_{secrets.token_urlsafe(32)}"
    token = ApiToken.objects.create(
        user=user,
        name=name,
        digest=digest(text),
        scope=scope,
        study=only,
        by_password=by_password,
        second_factor_shown=second_factor_shown,
        expires_at=timezone.now() + timedelta(days=days),
    )
    words = f"made the token #{token.pk} ({token.get_scope_display()}, until {_day(token)})"
    event_log.note_account("token made", words, account=user, by=user)
    return token, text


@transaction.atomic
def revoke(*, user: User, pk: int) -> bool:
    """False if the account has no such token."""
    gone, _ = ApiToken.objects.filter(user=user, pk=pk).delete()
    if gone:
        event_log.note_account("token revoked", f"revoked the token #{pk}", account=user)
    return bool(gone)


def end_all(user: User, why: str) -> None:
    gone, _ = ApiToken.objects.filter(user=user).delete()
    if gone:
        event_log.note_account("tokens ended", f"{gone} tokens ended: {why}", account=user)


def is_crowd_worker(user: User) -> bool:
    """Such an account belongs to a task, and is open in one browser at a time."""
    return Membership.objects.filter(user=user).exclude(worker="").exists()


def tokens_of(user: User) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(user=user).select_related("study")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Token …`, or `Bearer …`."""

    keywords = (b"token", b"bearer")

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        keyword, _, text = get_authorization_header(request).partition(b" ")
        if keyword.lower() not in self.keywords:
            return None
        token = TOKEN.first(digest=hashlib.sha256(text.strip()).hexdigest())
        if token is None or token.has_expired or not token.user.is_active:
            raise AuthenticationFailed("This token is unknown, has expired or was revoked.")
        if not token.second_factor_shown and second_factor.must_have(token.user):
            raise AuthenticationFailed(NO_SECOND_FACTOR)
        _note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Token"


class WithinScope(BasePermission):
    """What the request's token, if there is one, was made for."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        token = request.auth
        if not isinstance(token, ApiToken):
            return True
        if token.scope == ApiToken.Scope.READ and request.method not in SAFE_METHODS:
            self.message = "This token may only read; make one that may write."
            return False
        return self._of_its_study(token, view.kwargs)

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        """For routes that name no study: the object does."""
        token = request.auth
        return not isinstance(token, ApiToken) or token.study_id in {None, obj.study_id}

    def _of_its_study(self, token: ApiToken, kwargs: dict[str, Any]) -> bool:
        if token.study_id is None or ("slug" not in kwargs and "public_id" in kwargs):
            return True  # or has_object_permission decides
        if Study.objects.filter(pk=token.study_id, slug=kwargs.get("slug", "")).exists():
            return True
        self.message = "This token is for one study only, and this is not part of it."
        return False


def _study(user: User, slug: str) -> Study | None:
    if not slug:
        return None
    place = place_of(user, slug)
    if place is None:
        raise Refused(gettext("You have no place in a study of that name."))
    return place.study


def _note_use(token: ApiToken) -> None:
    now = timezone.now()
    row = ApiToken.objects.filter(pk=token.pk)
    if token.last_used_at is None:
        # Of several first requests at once, one writes the event.
        if row.filter(last_used_at=None).update(last_used_at=now):
            words = f"used the token #{token.pk} for the first time"
            event_log.note_account("token used", words, account=token.user, by=token.user)
    elif token.last_used_at < now - USE_IS_NOTED:
        row.update(last_used_at=now)


def _day(token: ApiToken) -> str:
    return f"{token.expires_at:%Y-%m-%d}"
