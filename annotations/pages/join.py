"""The doors: what somebody sees who opens an invitation. Looking changes nothing; a button does."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import UserCreationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotations.access import place_or_404
from annotations.errors import StudyRefused
from annotations.labelling.assign import has_done_their_share, upcoming
from annotations.labelling.queries import held
from annotations.studies import invitations as inviting


@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    invitation = inviting.read_token(token)
    form = None
    if request.user.is_authenticated:
        if request.method == "POST":
            inviting.accept(invitation=invitation, user=request.user)
            return redirect("label", slug=invitation.study.slug)
    else:
        form = UserCreationForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            user = form.save()
            login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
            inviting.accept(invitation=invitation, user=user)
            return redirect("label", slug=invitation.study.slug)
    return render(request, "annotations/join.html", {"invitation": invitation, "form": form})


@never_cache
def crowd(request: HttpRequest, token: str) -> HttpResponse:
    """The platform's link. A worker comes without a password; the link's signature lets them in."""
    invitation = inviting.read_token(token)
    worker = inviting.worker_in(request.GET if request.method == "GET" else request.POST)
    if request.method == "POST":
        member = inviting.enter_from_crowd(invitation=invitation, worker=worker)
        # A worker's place carries no rights beyond labelling; somebody who is logged in as more
        # than that is not turned into a worker by a link.
        if request.user.is_authenticated and request.user.pk != member.user_id:
            raise StudyRefused(
                "You are logged in already. Log out first, then open the link again."
            )
        login(request, member.user, backend=settings.AUTHENTICATION_BACKENDS[0])
        inviting.remember_session(member=member, session_key=request.session.session_key)
        return redirect("label", slug=invitation.study.slug)
    context = {"invitation": invitation, "worker": worker}
    return render(request, "annotations/crowd.html", context)


@require_GET
@login_required
@never_cache
def finished(request: HttpRequest, slug: str) -> HttpResponse:
    """The end of a worker's task, with the code for the platform; before that, the way back."""
    place = place_or_404(request, slug)
    done = has_done_their_share(place.membership) or (
        place.study.is_open
        and held(place.membership) is None
        and not upcoming(annotator=place.membership)
    )
    code = inviting.completion_of(place.membership) if done else None
    context = {
        "study": place.study,
        "may_research": place.may_research,
        "done": done,
        "invitation": code,
    }
    return render(request, "annotations/finished.html", context)
