"""The ways in: the form with name and password, and single sign-on."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotations.errors import NotYours
from audit.account_pages.first_start import first_start
from audit.accounts import first_account, second_factor, single_sign_on, tokens
from audit.accounts.lockout import LogInForm


class LogIn(auth.LoginView):
    redirect_authenticated_user = True
    authentication_form = LogInForm

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Every page leads here, so here is where the first account is made."""
        if first_account.none_yet():
            return first_start(request)
        return super().get(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        user = form.get_user()
        if not second_factor.is_on(user):
            return super().form_valid(form)
        return second_factor.ask_for_code(self.request, user, self.get_success_url())

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        following = self.get_redirect_url()
        way = reverse("single-sign-on") + (
            f"?{urlencode({'next': following})}" if following else ""
        )
        return super().get_context_data(
            single_sign_on=way if settings.OIDC else "", passwords=not settings.OIDC_ONLY, **more
        )


class AdminLogIn(LogIn):
    """The administration's own form knows no second factor. It sends people without its rights here,
    also those who are logged in."""

    redirect_authenticated_user = False


@login_not_required
@never_cache
@require_http_methods(["GET", "POST"])
def code(request: HttpRequest) -> HttpResponse:
    """The second step of a log-in."""
    half_way = request.session.get(second_factor.HALF_WAY, {})
    user = User.objects.filter(pk=half_way.get("user", 0), is_active=True).first()
    if (
        user is None
        or second_factor.is_too_late(half_way["until"])
        or not constant_time_compare(half_way["password"], user.get_session_auth_hash())
    ):
        return redirect("login")
    wrong = ""
    if request.method == "POST":
        if second_factor.check(user, request.POST.get("code", "")[:50]):
            del request.session[second_factor.HALF_WAY]
            login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
            request.session[second_factor.SHOWN] = True
            return HttpResponseRedirect(half_way["following"])
        wrong = gettext(second_factor.WRONG)
    context = {"wrong": wrong}
    return render(request, "registration/code.html", context, status=422 if wrong else 200)


@login_not_required
@require_GET
@never_cache
def sign_on(request: HttpRequest) -> HttpResponse:
    if not settings.OIDC:
        raise Http404
    if first_account.none_yet():
        # Else a stranger with an account at the provider would come first.
        return redirect("first-start")
    user, connect = request.user, "connect" in request.GET
    if connect and (not user.is_authenticated or tokens.is_crowd_worker(user)):
        raise NotYours("Log in with your own account first.")
    following = reverse("account") if connect else request.GET.get("next", "")
    address = single_sign_on.begin(
        request, back=_back(request), following=following, connect=connect
    )
    return redirect(address)


@login_not_required
@require_GET
@never_cache
def signed_on(request: HttpRequest) -> HttpResponse:
    """The provider sends the browser here."""
    if not settings.OIDC:
        raise Http404
    came = single_sign_on.finish(request, back=_back(request))
    safe = url_has_allowed_host_and_scheme(
        came.following, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    following = came.following if safe and came.following else reverse("home")
    same = came.user == request.user and second_factor.is_shown(request)
    shown = same or second_factor.says_so(came.claims)
    if not shown and second_factor.is_on(came.user):
        return second_factor.ask_for_code(request, came.user, following)
    login(request, came.user, backend=settings.AUTHENTICATION_BACKENDS[0])
    request.session[second_factor.SHOWN] = shown
    return HttpResponseRedirect(following)


def _back(request: HttpRequest) -> str:
    return request.build_absolute_uri(reverse("single-sign-on-back"))
