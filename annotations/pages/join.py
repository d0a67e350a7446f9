"""The page behind an invitation for people. Opening it changes nothing; only its button does."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.forms import CharField, Form, PasswordInput, TextInput
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from annotations.models import Invitation
from annotations.studies import invitations


class AccountForm(Form):
    """Says nothing about accounts that exist: see `annotations.studies.invitations`."""

    username = CharField(
        label=gettext_lazy("Name"),
        max_length=invitations.NAME_LENGTH,
        validators=[UnicodeUsernameValidator()],
        widget=TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password1 = CharField(
        label=gettext_lazy("Password"),
        strip=False,
        widget=PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    password2 = CharField(
        label=gettext_lazy("Repeat password"),
        strip=False,
        widget=PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_password1(self) -> str:
        password = self.cleaned_data["password1"]
        validate_password(password)
        return password

    def clean(self) -> None:
        first, second = self.cleaned_data.get("password1"), self.cleaned_data.get("password2")
        if first is not None and second is not None and first != second:
            raise ValidationError(gettext("The two passwords differ; type both again."))


@login_not_required
@sensitive_post_parameters("password1", "password2")
@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    invitation = invitations.find(token)
    user = request.user
    if user.is_authenticated and invitations.membership_of(invitation=invitation, user=user):
        return redirect("label", slug=invitation.study.slug)
    invitations.check_open(invitation)
    if user.is_authenticated:
        if request.method == "POST":
            invitations.accept(invitation=invitation, user=user)
            return redirect("label", slug=invitation.study.slug)
        return _page(request, invitation)
    if settings.OIDC_ONLY:
        return redirect_to_login(request.get_full_path())
    form = AccountForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        made = invitations.join_by_name(
            request=request,
            invitation=invitation,
            name=given["username"],
            password=given["password1"],
        )
        if made is None:
            # Not logged in here: the log-in may ask for more than a password.
            messages.info(request, "You have an account: log in, then join.")
            return redirect_to_login(request.get_full_path())
        login(request, made, backend=settings.AUTHENTICATION_BACKENDS[0])
        name = made.get_username()
        sentence = gettext("Your account is “%(name)s”. Log in with this name next time.")
        messages.info(request, sentence % {"name": name})
        return redirect("label", slug=invitation.study.slug)
    return _page(request, invitation, form)


def _page(
    request: HttpRequest, invitation: Invitation, form: AccountForm | None = None
) -> HttpResponse:
    return render(request, "annotations/join.html", {"invitation": invitation, "form": form})
