"""A person's own account: password, tokens, where it is logged in. And the installation's events."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotations import event_log
from annotations.access import PersonsRequest, places_of
from annotations.bounded_numbers import read_whole
from annotations.errors import Refused
from annotations.labelling.own_work import own_work
from annotations.pages.events import show_events
from annotations.rates import Rate
from audit.accounts import addresses, one_time_codes, second_factor, tokens, trail
from audit.installation import own_address
from audit.models import ApiToken, SecondFactor
from audit.tasks import mail_address_task
from judges.runs.wake import send

# A browser that was left open must not be a place to guess the password.
OLD_PASSWORDS = Rate("old passwords", free=5, every=timedelta(minutes=5))


@require_GET
@never_cache
def account(request: PersonsRequest) -> HttpResponse:
    return _page(request)


@require_POST
@never_cache
def token_make(request: PersonsRequest) -> HttpResponse:
    """The only page that ever shows the token."""
    given = request.POST
    try:
        token, text = tokens.make(
            user=request.user,
            name=given.get("name", ""),
            scope=given.get("scope", ApiToken.Scope.READ),
            study=given.get("study", ""),
            days=read_whole(given.get("days", ""), low=0, high=9999) or 0,
            second_factor_shown=second_factor.is_shown(request),
        )
    except Refused as refusal:
        return _page(request, status=refusal.status, refusal=refusal.message)
    return _page(request, made=token, text=text)


@require_POST
def token_end(request: PersonsRequest, token_id: int) -> HttpResponse:
    if not tokens.revoke(user=request.user, pk=token_id):
        raise Http404
    messages.success(request, gettext("The token is revoked."))
    return redirect("account")


@require_POST
@never_cache
def password(request: PersonsRequest) -> HttpResponse:
    if not request.user.has_usable_password() or settings.OIDC_ONLY:
        raise Refused(gettext("This account has no password."))
    OLD_PASSWORDS.take_or_refuse(str(request.user.pk))
    form = PasswordChangeForm(request.user, request.POST)
    if not form.is_valid():
        return _page(request, status=422, password_form=form)
    OLD_PASSWORDS.give_back(str(request.user.pk))
    form.save()
    update_session_auth_hash(request, request.user)
    messages.success(
        request,
        gettext(
            "The password is changed. Other browsers are logged out, and all tokens have ended."
        ),
    )
    return redirect("account")


@require_POST
@never_cache
def email(request: PersonsRequest) -> HttpResponse:
    """Where a link goes when the password is forgotten; so it takes the password to change it. It
    opens no account before it is confirmed."""
    user, typed = request.user, request.POST.get("email", "").strip()[:255]
    if not user.has_usable_password() or settings.OIDC_ONLY:
        raise Refused(gettext("The address of this account is changed in the administration."))
    OLD_PASSWORDS.take_or_refuse(str(user.pk))
    if not user.check_password(request.POST.get("password", "")):
        refusal = gettext("The password is not right.")
        return _page(request, status=422, email=typed, email_refusal=refusal)
    OLD_PASSWORDS.give_back(str(user.pk))
    if typed:
        try:
            User._meta.get_field("email").clean(typed, user)
        except ValidationError as error:
            return _page(request, status=422, email=typed, email_refusal=" ".join(error.messages))
    user.email = typed
    with transaction.atomic():
        user.save(update_fields=["email"])
        event_log.note_account("e-mail", "changed the e-mail address", account=user, by=user)
    done = gettext("The e-mail address is changed.") if typed else gettext("No address is kept.")
    messages.success(request, done)
    return redirect("account")


@require_POST
def email_letter(request: PersonsRequest) -> HttpResponse:
    """A link goes to the address; opening it shows whose it is."""
    addresses.ask_for_letter(request.user)
    address = own_address.default() or request.build_absolute_uri("/")
    send(mail_address_task, request.user.pk, address)
    sentence = gettext("A link is on its way to %(address)s. Open it within a day.")
    messages.success(request, sentence % {"address": request.user.email})
    return redirect("account")


@require_http_methods(["GET", "POST"])
@never_cache
def email_confirm(request: PersonsRequest, key: str) -> HttpResponse:
    """Programs that look at a mail's links open them: only the button confirms."""
    if request.method != "POST":
        return render(request, "registration/confirm_address.html")
    addresses.confirm(request.user, key)
    messages.success(request, gettext("The e-mail address is confirmed."))
    return redirect("account")


@require_POST
@never_cache
def factor_begin(request: PersonsRequest) -> HttpResponse:
    """Show the secret as a picture; it counts once a code from it has come back."""
    user = request.user
    if tokens.is_crowd_worker(user):
        raise Refused(gettext("Crowd workers have no password, and no second factor."))
    if user.has_usable_password() and not settings.OIDC_ONLY:
        OLD_PASSWORDS.take_or_refuse(str(user.pk))
        if not user.check_password(request.POST.get("password", "")):
            return _page(request, status=422, refusal=gettext("The password is not right."))
        OLD_PASSWORDS.give_back(str(user.pk))
    return _page(request, secret=second_factor.begin(user))


@require_POST
@never_cache
def factor_on(request: PersonsRequest) -> HttpResponse:
    try:
        codes = second_factor.confirm(request.user, request.POST.get("code", "")[:50])
    except Refused as refusal:
        secret = second_factor.secret_of(request.user)
        return _page(request, status=422, refusal=refusal.message, secret=secret)
    request.session[second_factor.SHOWN] = True
    return _page(request, recovery_codes=codes)


@require_POST
@never_cache
def factor_off(request: PersonsRequest) -> HttpResponse:
    try:
        second_factor.turn_off(request.user, request.POST.get("code", "")[:50])
    except Refused as refusal:
        return _page(request, status=422, refusal=refusal.message)
    request.session.pop(second_factor.SHOWN, None)
    messages.success(request, gettext("The second factor is off."))
    return redirect("account")


@require_POST
def log_out_everywhere(request: PersonsRequest) -> HttpResponse:
    trail.log_out_everywhere(request.user)
    return redirect("login")


@require_GET
def events(request: PersonsRequest) -> HttpResponseBase:
    """Log-ins, passwords, tokens, and what administrators did; for superusers."""
    if not request.user.is_superuser:
        raise Http404
    rows = event_log.installation_events()
    return show_events(request, rows, "audit/installation_events.html", "installation-history")


def _page(
    request: PersonsRequest, status: int = 200, *, secret: bytes | None = None, **more: object
) -> HttpResponse:
    factor = SecondFactor.objects.filter(user=request.user).exclude(confirmed_at=None).first()
    places = places_of(request.user)
    form = PasswordChangeForm(request.user)
    # The page has more than one form; none of them takes the keyboard.
    form.fields["old_password"].widget.attrs.pop("autofocus")
    has_password = request.user.has_usable_password() and not settings.OIDC_ONLY
    context = {
        "tokens": tokens.tokens_of(request.user),
        "scopes": ApiToken.Scope.choices,
        "days": tokens.DAYS,
        "longest": tokens.LONGEST_DAYS,
        "studies": [place.study for place in places],
        "may_have_tokens": not any(place.own is not None and place.own.worker for place in places),
        "password_form": form if has_password else None,
        "factor": factor,
        # Until then the page shows how to set it up, and no more.
        "must_set_up": second_factor.is_lacking(request),
        "letters": one_time_codes.in_letters(secret) if secret else "",
        # Made here from the secret and the name, escaped by segno.
        "picture": mark_safe(second_factor.picture(request.user, secret)) if secret else "",  # noqa: S308
        "email": request.user.email,
        "may_change_email": has_password,
        "may_confirm_email": settings.SENDS_MAIL
        and bool(request.user.email)
        and not addresses.is_confirmed(request.user),
        "sends_mail": settings.SENDS_MAIL,
        "own_work": own_work(request.user),
        "single_sign_on": bool(settings.OIDC),
        "identities": bool(settings.OIDC) and request.user.identities.exists(),
        **more,
    }
    return render(request, "registration/account.html", context, status=status)
