"""The people of a study: their roles, how they answer, and the invitations."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from annotations.access import (
    HtmxRequest,
    PersonsRequest,
    Place,
    owner_place_or_404,
    research_place_or_404,
)
from annotations.models import Invitation, Membership, Study
from annotations.models.people import PLACES_PER_ADDRESS
from annotations.pages.form_values import whole
from annotations.studies import annotator_quality, crowd, invitations, set_aside
from annotations.studies import settings as study_settings

PAST_LINKS = 20


@require_GET
@login_required
def people(request: HtmxRequest, slug: str) -> HttpResponse:
    return _people(request, research_place_or_404(request, slug))


@require_POST
@login_required
def person(request: HtmxRequest, slug: str, member_id: int) -> HttpResponse:
    """Change one person: role, remove, add again, new code, set aside, count again."""
    place = owner_place_or_404(request, slug)
    member = get_object_or_404(Membership, pk=member_id, study=place.study)
    verb, words = request.POST.get("do", ""), ""
    if verb == "role":
        study_settings.set_role(member=member, role=request.POST.get("role", ""))
    elif verb == "remove":
        words = study_settings.remove(member=member)
    elif verb == "add-again":
        study_settings.add_again(member=member, role=request.POST.get("role", ""))
    elif verb == "new-code":
        code = crowd.give_new_code(member=member)
        words = f"The new code of {member.name} is {code}. It is shown only now: send it to them."
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
def invite(request: PersonsRequest, slug: str) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    given = request.POST
    if given.get("kind") == Invitation.Kind.CROWD:
        each = given.get("images_each", "")
        crowd.open_to_crowd(
            study=place.study,
            note=given.get("note", ""),
            images_each=whole(each) if each else None,
            completion_code=given.get("completion_code", ""),
            completion_url=given.get("completion_url", ""),
            signed="signed" in given,
            places_per_address=whole(given.get("places_per_address") or str(PLACES_PER_ADDRESS)),
            by=request.user,
        )
    else:
        invitations.invite(
            study=place.study,
            role=given.get("role", "annotator"),
            note=given.get("note", ""),
            uses=whole(given.get("uses") or "1"),
            days=whole(given.get("days") or str(invitations.DAYS)),
            by=request.user,
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


@require_POST
@login_required
def set_places(request: HtmxRequest, slug: str, invitation_id: int) -> HttpResponse:
    """How many workers may come from one address by this link."""
    place = owner_place_or_404(request, slug)
    invitation = get_object_or_404(Invitation, pk=invitation_id, study=place.study)
    places = whole(request.POST.get("places", ""))
    crowd.set_places_per_address(invitation=invitation, places=places)
    if request.htmx:
        return _people(request, place)
    return redirect("people", slug=slug)


def _people(request: HtmxRequest, place: Place, words: str = "") -> HttpResponse:
    study = place.study
    may_change = place.membership.role == Membership.Role.OWNER
    template = "annotations/people.html"
    if request.htmx:
        template += "#people"
    links = _links(request, study) if may_change else []
    context = {
        "study": study,
        "may_research": True,
        "may_change": may_change,
        "words": words,
        "rows": annotator_quality.people_rows(study),
        "roles": Membership.Role.choices,
        "open_links": [link for link in links if link.invitation.is_open],
        "past_links": [link for link in links if not link.invitation.is_open],
        "me": place.membership,
        "usual_days": invitations.DAYS,
        "usual_places": PLACES_PER_ADDRESS,
    }
    return render(request, template, context)


@dataclass(frozen=True, slots=True)
class Link:
    """An invitation as the page shows it. `came`: how many workers, of a crowd's link."""

    invitation: Invitation
    address: str
    people: list[Membership]
    came: int
    key: str


def _links(request: HtmxRequest, study: Study) -> list[Link]:
    """All open links, and the newest of the others."""
    rows = list(invitations.links(study))
    past = [row.pk for row in rows if not row.is_open][:PAST_LINKS]
    shown = [row for row in rows if row.is_open or row.pk in past]
    people: dict[int, list[Membership]] = {row.pk: [] for row in shown}
    came = Membership.objects.filter(invitation__in=people).order_by("pk")
    of_people = came.filter(invitation__kind=Invitation.Kind.PERSON)
    for member in of_people.only("name", "created_at", "removed_at", "invitation_id"):
        people[member.invitation_id or 0].append(member)
    counts = dict(came.order_by().values_list("invitation").annotate(Count("pk")))
    return [
        Link(
            row,
            _address(request, row),
            people[row.pk],
            counts.get(row.pk, 0),
            crowd.signing_key(row) if row.signed else "",
        )
        for row in shown
    ]


def _address(request: HtmxRequest, invitation: Invitation) -> str:
    door = "crowd" if invitation.kind == Invitation.Kind.CROWD else "join"
    return request.build_absolute_uri(reverse(door, args=[invitations.token_of(invitation)]))
