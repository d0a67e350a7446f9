"""The page of an installation without any account: it makes the first one, and is gone."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ValidationError
from django.forms import CharField, EmailField, EmailInput, TextInput
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotations.errors import TooOften
from annotations.pages.join import AccountForm
from annotations.rates import network
from audit.accounts import first_account
from audit.installation.proxies import is_from_this_machine


class FirstAccountForm(AccountForm):
    field_order = ["code", "username", "email", "password1", "password2"]

    code = CharField(
        label=gettext_lazy("Code from the terminal or the log"),
        max_length=40,
        widget=TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters"}),
    )
    email = EmailField(
        label=gettext_lazy("E-mail address (optional)"),
        required=False,
        max_length=254,
        widget=EmailInput(attrs={"autocomplete": "email"}),
    )

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.POST if request.method == "POST" else None)
        self.request = request
        if is_from_this_machine(request):
            del self.fields["code"]
        next(iter(self.fields.values())).widget.attrs["autofocus"] = True

    def clean_code(self) -> str:
        whose = network(self.request)
        if not first_account.WRONG_CODES.take(whose):
            raise ValidationError(TooOften(first_account.WRONG_CODES.seconds_left(whose)).message)
        if not first_account.is_code(self.cleaned_data["code"]):
            raise ValidationError(
                "This is not the code. It stands where “manage.py serve” writes, and “manage.py "
                "createowner --code” prints it."
            )
        first_account.WRONG_CODES.give_back(whose)
        return self.cleaned_data["code"]


@login_not_required
@sensitive_post_parameters("password1", "password2", "code")
@never_cache
@require_http_methods(["GET", "POST"])
def first_start(request: HttpRequest) -> HttpResponse:
    if not first_account.none_yet():
        raise Http404
    form = FirstAccountForm(request)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        user = first_account.make(
            name=given["username"], password=given["password1"], email=given["email"], first=True
        )
        login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
        return redirect("home")
    status = 422 if form.errors else 200
    return render(request, "registration/first_start.html", {"form": form}, status=status)
