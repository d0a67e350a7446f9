"""Accounts with passwords: Django's own, with limited guessing and a faster look-up of the user."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.http import HttpRequest

from annotations.database.prepared import Prepared
from audit.accounts import lockout

USER = Prepared(lambda mark: get_user_model().objects.order_by().filter(pk=mark("user")))


class Accounts(ModelBackend):
    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **more: Any,
    ) -> User | None:
        """Every password passes here: from pages, the API and the administration."""
        if username is None or password is None or settings.OIDC_ONLY:
            return None
        lockout.count_try(request, username)
        user = super().authenticate(request, username=username, password=password, **more)
        if user is not None:
            lockout.forget(request, username)
        return user

    def get_user(self, user_id: int) -> User | None:
        user = USER.first(user=user_id)
        return user if user is not None and self.user_can_authenticate(user) else None
