"""The pages of a crowd platform's workers: the first, which logs them in, and the last."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotations.access import place_or_404
from annotations.errors import StudyRefused
from annotations.labelling import assign
from annotations.labelling.queries import held_assignment
from annotations.models import Invitation, Membership
from annotations.studies import crowd as crowd_places
from annotations.studies import invitations


@login_not_required
@never_cache
def crowd(request: HttpRequest, token: str) -> HttpResponse:
    """Opening the link changes nothing; its button begins, or goes on."""
    invitation = invitations.read_token(token)
    given = request.GET if request.method == "GET" else request.POST
    user = request.user if request.user.is_authenticated else None
    visit = crowd_places.Visit(
        worker=crowd_places.worker_in(given),
        signature=given.get("signature", ""),
        code=request.POST.get("code", ""),
        address=request.META.get("REMOTE_ADDR", ""),
        user=user,
    )
    try:
        if request.method == "POST":
            return _enter(request, invitation, visit)
        known = crowd_places.place_of(invitation=invitation, visit=visit)
    except crowd_places.CodeNeeded as refusal:
        # The sentence is a mistake only after somebody has given a code.
        wrong = refusal.message if visit.code else ""
        return _page(request, invitation, visit, needs_code=True, wrong=wrong)
    return _page(request, invitation, visit, known=known)


def _enter(request: HttpRequest, invitation: Invitation, visit: crowd_places.Visit) -> HttpResponse:
    known = crowd_places.place_of(invitation=invitation, visit=visit)
    if visit.user is not None and (known is None or known.user_id != visit.user.pk):
        # A worker can only label. Somebody who is logged in must not become a worker by a link.
        raise StudyRefused("You are logged in already. Log out first, then open the link again.")
    member = crowd_places.enter_from_crowd(
        invitation=invitation,
        worker=visit.worker,
        signature=visit.signature,
        code=visit.code,
        address=visit.address,
        user=visit.user,
        chosen_code=request.POST.get("chosen_code", ""),
    )
    if visit.user is None:
        login(request, member.user, backend=settings.AUTHENTICATION_BACKENDS[0])
    session_key = request.session.session_key or ""
    crowd_places.remember_session(member=member, session_key=session_key)
    return redirect("label", slug=invitation.study.slug)


def _page(
    request: HttpRequest,
    invitation: Invitation,
    visit: crowd_places.Visit,
    *,
    known: Membership | None = None,
    needs_code: bool = False,
    wrong: str = "",
) -> HttpResponse:
    is_new = known is None and not needs_code
    context = {
        "invitation": invitation,
        "visit": visit,
        "known": known,
        "needs_code": needs_code,
        "wrong": wrong,
        "chosen_code": crowd_places.new_code() if is_new and not invitation.signed else "",
    }
    status = 409 if needs_code and request.method == "POST" else 200
    return render(request, "annotations/crowd.html", context, status=status)


@require_GET
@never_cache
def finished(request: HttpRequest, slug: str) -> HttpResponse:
    """The last page of a worker's task, with the completion code; before that, a link back."""
    place = place_or_404(request, slug)
    member = place.membership
    left = place.study.is_open and not assign.has_done_their_share(member)
    left = left and (held_assignment(member) is not None or bool(assign.upcoming(annotator=member)))
    context = {
        "study": place.study,
        "left": left,
        "invitation": crowd_places.completion_of(member),
        "counts": crowd_places.counts_of(member) if member.worker else None,
    }
    return render(request, "annotations/finished.html", context)
