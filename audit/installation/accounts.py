"""Accounts with passwords, as Django's own, with the one question of every request built once."""

from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend

from annotations.database.prepared import Prepared
from audit.installation import lockout

USER = Prepared(lambda mark: get_user_model().objects.order_by().filter(pk=mark("user")))


class Accounts(ModelBackend):
    def authenticate(self, request, username=None, password=None, **more):
        """The one place through which every password comes: pages, API and administration."""
        if username is None or password is None:
            return None
        lockout.check(request, username)
        user = super().authenticate(request, username=username, password=password, **more)
        if user is None:
            lockout.wrong(request, username)
        else:
            lockout.right(request, username)
        return user

    def get_user(self, user_id):
        user = USER.first(user=user_id)
        return user if user is not None and self.user_can_authenticate(user) else None
