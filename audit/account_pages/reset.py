"""A forgotten password: asking for a link, making one for somebody, and the page that it opens."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse_lazy
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotations import event_log
from annotations.access import PersonsRequest, owner_place_or_404
from annotations.errors import Refused
from annotations.models import Membership
from annotations.rates import network
from audit.accounts import reset_links
from audit.installation import own_address
from audit.tasks import mail_reset_task
from judges.runs.wake import send


@login_not_required
@never_cache
@require_http_methods(["GET", "POST"])
def forgot(request: HttpRequest) -> HttpResponse:
    """The answer is the same whether there is such an account or not."""
    if settings.OIDC_ONLY:
        raise Http404
    asked = request.method == "POST" and settings.SENDS_MAIL
    if asked:
        reset_links.QUESTIONS.take_or_refuse(network(request))
        accounts = reset_links.accounts_for(request.POST.get("who", "").strip()[:254])
        send(mail_reset_task, accounts, own_address.default() or request.build_absolute_uri("/"))
    context = {"asked": asked, "sends_mail": settings.SENDS_MAIL}
    return render(request, "registration/forgot.html", context)


@require_POST
@never_cache
def make(request: PersonsRequest, slug: str, member_id: int) -> HttpResponse:
    """The only page that ever shows the link."""
    place = owner_place_or_404(request, slug)
    members = Membership.objects.filter(study=place.study).select_related("user")
    member = get_object_or_404(members, pk=member_id)
    if member.user is None:
        raise Refused("This person has no account.")
    path = reset_links.make(user=member.user, by=request.user, member=member)
    context = {"study": place.study, "member": member, "link": request.build_absolute_uri(path)}
    return render(request, "registration/reset_link.html", context)


class Reset(auth.PasswordResetConfirmView):
    """Django's own: it takes the link out of the address before it shows the form."""

    template_name = "registration/reset.html"
    success_url = reverse_lazy("login")

    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponse:
        if settings.OIDC_ONLY:
            raise Http404
        return super().dispatch(*args, **kwargs)  # type: ignore[return-value]

    def form_valid(self, form: Any) -> HttpResponse:
        answer = super().form_valid(form)
        words = "set a new password by a link"
        event_log.note_account("password", words, account=form.user, by=form.user)
        messages.success(self.request, gettext("The new password is set. Log in with it."))
        return answer
