"""Sessions in the database: Django's own, with a faster look-up."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import BACKEND_SESSION_KEY
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotations.database.prepared import Prepared

SESSION = Prepared(lambda mark: Session.objects.order_by().filter(pk=mark.text("key")))


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> Session | None:
        session = SESSION.first(key=self.session_key)
        if session is None or session.expire_date <= timezone.now():
            self._session_key = None
            return None
        return session

    def decode(self, session_data: bytes | str) -> dict[str, Any]:
        session = super().decode(session_data)
        # For one release: people stay logged in who did so before `audit.accounts` was moved.
        if session.get(BACKEND_SESSION_KEY) == "audit.accounts.Accounts":
            session[BACKEND_SESSION_KEY] = "audit.installation.accounts.Accounts"
        return session
