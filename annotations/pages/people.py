"""The people of a study: their roles, how they answer, and the invitations."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from annotations.access import HtmxRequest, Place, owner_place_or_404, research_place_or_404
from annotations.models import Invitation, Membership
from annotations.pages.form_values import whole
from annotations.studies import annotator_quality, invitations, set_aside
from annotations.studies import settings as study_settings


@require_GET
@login_required
def people(request: HtmxRequest, slug: str) -> HttpResponse:
    return _people(request, research_place_or_404(request, slug))


@require_POST
@login_required
def person(request: HtmxRequest, slug: str, member_id: int) -> HttpResponse:
    """Change one person: role, remove, set aside, count again."""
    place = owner_place_or_404(request, slug)
    member = get_object_or_404(Membership, pk=member_id, study=place.study)
    verb, words = request.POST.get("do", ""), ""
    if verb == "role":
        study_settings.set_role(member=member, role=request.POST.get("role", ""))
    elif verb == "remove":
        study_settings.remove(member=member)
    elif verb == "set-aside":
        set_aside.set_aside(member=member)
    elif verb == "count":
        words = set_aside.count_again(member=member).words
    else:
        raise Http404
    if request.htmx:
        return _people(request, place, words)
    if words:
        messages.warning(request, words)
    return redirect("people", slug=slug)


@require_POST
@login_required
def invite(request: HtmxRequest, slug: str) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    given = request.POST
    if given.get("kind") == Invitation.Kind.CROWD:
        each = given.get("images_each", "")
        invitations.open_to_crowd(
            study=place.study,
            note=given.get("note", ""),
            images_each=whole(each) if each else None,
            completion_code=given.get("completion_code", ""),
            completion_url=given.get("completion_url", ""),
        )
    else:
        invitations.invite(
            study=place.study, role=given.get("role", "annotator"), note=given.get("note", "")
        )
    if request.htmx:
        return _people(request, place)
    return redirect("people", slug=slug)


@require_POST
@login_required
def close_invitation(request: HtmxRequest, slug: str, invitation_id: int) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    invitation = get_object_or_404(Invitation, pk=invitation_id, study=place.study)
    invitations.close_invitation(invitation=invitation)
    if request.htmx:
        return _people(request, place)
    return redirect("people", slug=slug)


def _people(request: HtmxRequest, place: Place, words: str = "") -> HttpResponse:
    study = place.study
    open_invitations = study.invitations.filter(closed_at=None).order_by("-pk")
    template = "annotations/people.html"
    if request.htmx:
        template += "#people"
    context = {
        "study": study,
        "may_research": True,
        "may_change": place.membership.role == Membership.Role.OWNER,
        "words": words,
        "rows": annotator_quality.people_rows(study),
        "roles": Membership.Role.choices,
        "invitations": [(each, _link(request, each)) for each in open_invitations],
        "me": place.membership,
    }
    return render(request, template, context)


def _link(request: HtmxRequest, invitation: Invitation) -> str:
    door = "crowd" if invitation.kind == Invitation.Kind.CROWD else "join"
    return request.build_absolute_uri(reverse(door, args=[invitations.token_of(invitation)]))
