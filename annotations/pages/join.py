"""The pages behind an invitation. Opening one changes nothing; only its button does."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotations.access import place_or_404
from annotations.errors import StudyRefused
from annotations.labelling.assign import has_done_their_share, upcoming
from annotations.labelling.queries import held
from annotations.studies import invitations


@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    invitation = invitations.read_token(token)
    form: UserCreationForm | None = None
    if request.user.is_authenticated:
        if request.method == "POST":
            invitations.accept(invitation=invitation, user=request.user)
            return redirect("label", slug=invitation.study.slug)
    elif settings.OIDC_ONLY:
        return redirect_to_login(request.get_full_path())
    else:
        form = UserCreationForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            user = form.save()
            login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
            invitations.accept(invitation=invitation, user=user)
            return redirect("label", slug=invitation.study.slug)
    return render(request, "annotations/join.html", {"invitation": invitation, "form": form})


@never_cache
def crowd(request: HttpRequest, token: str) -> HttpResponse:
    """A crowd platform's link. Workers have no password; the signed link logs them in."""
    invitation = invitations.read_token(token)
    worker = invitations.worker_in(request.GET if request.method == "GET" else request.POST)
    if request.method == "POST":
        member = invitations.enter_from_crowd(invitation=invitation, worker=worker)
        # A worker can only label. Somebody who is logged in must not become a worker by a link.
        if request.user.is_authenticated and request.user.pk != member.user_id:
            raise StudyRefused(
                "You are logged in already. Log out first, then open the link again."
            )
        login(request, member.user, backend=settings.AUTHENTICATION_BACKENDS[0])
        invitations.remember_session(member=member, session_key=request.session.session_key or "")
        return redirect("label", slug=invitation.study.slug)
    context = {"invitation": invitation, "worker": worker}
    return render(request, "annotations/crowd.html", context)


@require_GET
@login_required
@never_cache
def finished(request: HttpRequest, slug: str) -> HttpResponse:
    """The last page of a worker's task, with the completion code; before that, a link back."""
    place = place_or_404(request, slug)
    done = has_done_their_share(place.membership) or (
        place.study.is_open
        and held(place.membership) is None
        and not upcoming(annotator=place.membership)
    )
    code = invitations.completion_of(place.membership) if done else None
    context = {
        "study": place.study,
        "may_research": place.may_research,
        "done": done,
        "invitation": code,
    }
    return render(request, "annotations/finished.html", context)
