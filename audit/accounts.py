"""Accounts with passwords, as Django's own, with the one question of every request built once."""

from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend

from annotations.prepared import Prepared

USER = Prepared(lambda mark: get_user_model().objects.order_by().filter(pk=mark("user")))


class Accounts(ModelBackend):
    def get_user(self, user_id):
        user = USER.first(user=user_id)
        return user if user is not None and self.user_can_authenticate(user) else None
