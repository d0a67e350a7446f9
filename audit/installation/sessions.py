"""Sessions in the database, as Django's own, with the one question of every request built once."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotations.database.prepared import Prepared

SESSION = Prepared(lambda mark: Session.objects.order_by().filter(pk=mark.text("key")))


class SessionStore(db.SessionStore):
    def _get_session_from_db(self):
        found = SESSION.first(key=self.session_key)
        if found is None or found.expire_date <= timezone.now():
            self._session_key = None
            return None
        return found
