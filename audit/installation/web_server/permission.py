"""How much somebody may send, known from the head of the request alone."""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.handlers.wsgi import WSGIRequest
from django.db import close_old_connections
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.views import APIView

from annotations.models import Membership
from audit.installation.web_server.request import SMALL

logger = logging.getLogger(__name__)

# Long lists of labels through the API.
OF_AN_ACCOUNT = 10 * 1024**2
# Archives with the pictures of a study.
OF_A_RESEARCHER = 8 * 1024**3


def most(environ: dict[str, Any]) -> int:
    """In bytes. A cookie or a token counts for nothing by itself: what it names is looked up."""
    if "HTTP_COOKIE" not in environ and "HTTP_AUTHORIZATION" not in environ:
        return SMALL
    close_old_connections()
    try:
        person = _person(environ)
        if person is None:
            return SMALL
        may_import = (
            person.is_superuser
            or Membership.objects.filter(
                user=person, role__in=[Membership.Role.OWNER, Membership.Role.RESEARCHER]
            ).exists()
        )
        return OF_A_RESEARCHER if may_import else OF_AN_ACCOUNT
    except Exception:
        # The database is away, for one: what is small still comes through and gets its own sentence.
        logger.exception("cannot tell who sends a large request")
        return SMALL
    finally:
        close_old_connections()


def _person(environ: dict[str, Any]) -> Any:
    request = WSGIRequest(environ)
    store = import_module(settings.SESSION_ENGINE).SessionStore
    request.session = store(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    user: AbstractBaseUser | AnonymousUser = get_user(request)
    if user.is_authenticated:
        return user
    for authentication in APIView.authentication_classes:
        # A session has been looked up above; here it would look for a form's token in the body.
        if issubclass(authentication, SessionAuthentication):
            continue
        try:
            found = authentication().authenticate(Request(request))
        except APIException:
            continue
        if found:
            return found[0]
    return None
