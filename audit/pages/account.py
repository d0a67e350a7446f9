"""A person's own account: password, tokens, where it is logged in. And the installation's events."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotations import event_log
from annotations.access import PersonsRequest
from annotations.errors import Refused
from annotations.models import Membership
from annotations.rates import Rate
from audit.accounts import tokens, trail
from audit.models import ApiToken

EVENTS_PER_PAGE = 100
# A browser that was left open must not be a place to guess the password.
OLD_PASSWORDS = Rate("old passwords", free=5, every=timedelta(minutes=5))


@require_GET
@login_required
@never_cache
def account(request: PersonsRequest) -> HttpResponse:
    return _page(request)


@require_POST
@login_required
@never_cache
def token_make(request: PersonsRequest) -> HttpResponse:
    """The only page that ever shows the token."""
    given = request.POST
    days = given.get("days", "")
    try:
        token, text = tokens.make(
            user=request.user,
            name=given.get("name", ""),
            scope=given.get("scope", ApiToken.Scope.READ),
            study=given.get("study", ""),
            days=int(days) if days.isdecimal() and len(days) < 5 else 0,
        )
    except Refused as refusal:
        return _page(request, status=refusal.status, refusal=refusal.message)
    return _page(request, made=token, text=text)


@require_POST
@login_required
def token_end(request: PersonsRequest, token_id: int) -> HttpResponse:
    if not tokens.revoke(user=request.user, pk=token_id):
        raise Http404
    messages.success(request, "The token is revoked.")
    return redirect("account")


@require_POST
@login_required
@never_cache
def password(request: PersonsRequest) -> HttpResponse:
    if not request.user.has_usable_password() or settings.OIDC_ONLY:
        raise Refused("This account has no password.")
    OLD_PASSWORDS.take_or_refuse(str(request.user.pk))
    form = PasswordChangeForm(request.user, request.POST)
    if not form.is_valid():
        return _page(request, status=422, password_form=form)
    OLD_PASSWORDS.give_back(str(request.user.pk))
    form.save()
    update_session_auth_hash(request, request.user)
    messages.success(
        request,
        "The password is changed. Other browsers are logged out, and all tokens have ended.",
    )
    return redirect("account")


@require_POST
@login_required
def log_out_everywhere(request: PersonsRequest) -> HttpResponse:
    trail.log_out_everywhere(request.user)
    return redirect("login")


@require_GET
@login_required
def events(request: PersonsRequest) -> HttpResponse:
    """Log-ins, passwords, tokens, and what administrators did; for superusers."""
    if not request.user.is_superuser:
        raise Http404
    page = Paginator(event_log.installation_events(), EVENTS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    template = "audit/installation_events.html"
    if request.htmx:
        template += "#events"
    return render(request, template, {"page": page, "events": page.object_list})


def _page(request: PersonsRequest, status: int = 200, **more: object) -> HttpResponse:
    places = Membership.objects.filter(user=request.user, removed_at=None).select_related("study")
    has_password = request.user.has_usable_password() and not settings.OIDC_ONLY
    context = {
        "tokens": tokens.tokens_of(request.user),
        "scopes": ApiToken.Scope.choices,
        "days": tokens.DAYS,
        "longest": tokens.LONGEST_DAYS,
        "studies": [place.study for place in places],
        "may_have_tokens": not any(place.worker for place in places),
        "password_form": PasswordChangeForm(request.user) if has_password else None,
        "single_sign_on": bool(settings.OIDC),
        "identities": bool(settings.OIDC) and request.user.identities.exists(),
        **more,
    }
    return render(request, "registration/account.html", context, status=status)
