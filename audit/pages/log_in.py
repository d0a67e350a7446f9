"""The ways in: the form with name and password, and single sign-on."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth import views as auth
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotations.errors import NotYours
from audit.accounts import single_sign_on, tokens
from audit.accounts.lockout import LogInForm


class LogIn(auth.LoginView):
    redirect_authenticated_user = True
    authentication_form = LogInForm

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        following = self.get_redirect_url()
        way = reverse("single-sign-on") + (
            f"?{urlencode({'next': following})}" if following else ""
        )
        return super().get_context_data(
            single_sign_on=way if settings.OIDC else "", passwords=not settings.OIDC_ONLY, **more
        )


@require_GET
@never_cache
def sign_on(request: HttpRequest) -> HttpResponse:
    if not settings.OIDC:
        raise Http404
    user, connect = request.user, "connect" in request.GET
    if connect and (not user.is_authenticated or tokens.is_crowd_worker(user)):
        raise NotYours("Log in with your own account first.")
    following = reverse("account") if connect else request.GET.get("next", "")
    address = single_sign_on.begin(
        request, back=_back(request), following=following, connect=connect
    )
    return redirect(address)


@require_GET
@never_cache
def signed_on(request: HttpRequest) -> HttpResponse:
    """The provider sends the browser here."""
    if not settings.OIDC:
        raise Http404
    user, following = single_sign_on.finish(request, back=_back(request))
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    safe = url_has_allowed_host_and_scheme(
        following, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return redirect(following if safe and following else "home")


def _back(request: HttpRequest) -> str:
    return request.build_absolute_uri(reverse("single-sign-on-back"))
